"""Tasks of mise, after mise.jdx.dev 2026.9: the texts that a configuration names."""

import re

_NAME = re.compile(r"[A-Za-z0-9_][\w:-]*", re.A)
_CONFIGURATION = frozenset(("tasks", "min_version"))
_TASK = frozenset(("run", "description", "hide", "quiet", "silent"))
_TEMPLATES = ("{{", "{%", "{#")
MORE_TASKS = ":::"


def runs(text: str, name: str) -> "tuple[str, ...] | None":
    """The texts of a task; None where the configuration has none of that name, or there may be more
    to it."""
    import tomllib

    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError):
        return None
    tasks = found.get("tasks", {})
    if not found.keys() <= _CONFIGURATION or not isinstance(tasks, dict):
        return None
    # A task is found without what comes after a dot in its name, too.
    is_other = any(each != name and each.partition(".")[0] == name for each in tasks)
    if is_other or any(map(_has_another_name, tasks.values())):
        return None
    return _texts(tasks[name]) if name in tasks else None


def is_name(word: str) -> bool:
    """Whether a word is the name of one task: no pattern, no path."""
    return _NAME.fullmatch(word) is not None


def _has_another_name(task: object) -> bool:
    return isinstance(task, dict) and ("alias" in task or "aliases" in task)


def _texts(task: object) -> "tuple[str, ...] | None":
    if isinstance(task, dict):
        return _texts(task.get("run", [])) if task.keys() <= _TASK else None
    every = task if isinstance(task, list) else [task]
    plain = [text for text in every if isinstance(text, str) and _is_plain(text)]
    return tuple(plain) if len(plain) == len(every) else None


def _is_plain(text: str) -> bool:
    """Whether the shell gets a text as it is written: no template, no script of another program."""
    return text[:2] != "#!" and not any(sign in text for sign in _TEMPLATES)
