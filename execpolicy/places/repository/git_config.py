"""Which programs a configuration of git may name (git-config(1)), without running git.

The text is read by lines: what a line says before its first `=` is its key. A text that git would
take for a value may be taken for a key here, which only makes an answer stricter.
"""

from execpolicy.support.record import Value

_WORDS = (
    *("filter", "fsmonitor", "include", "driver", "program", "editor"),
    *("process", "clean", "smudge", "command", "cmd", "[hook"),
)
"""What the sections and keys contain that name programs, or files that do.

They are fewer than the settings in `rules/words/git.words`, and fit all `changing` ones there: this
is asked whenever a command changes the repository.
"""
_BUILT_IN = frozenset(("fsmonitor", "fsmonitor=", "fsmonitor=false", "fsmonitor=true"))
"""What git does by itself, or not at all (git-fsmonitor--daemon(1))."""
_HOOKS, _TEMPLATE = "hookspath", "templatedir"
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")


class GitConfig(Value):
    """What a configuration says about programs.

    `programs`: it may name one. `hooks` is the directory where it says that hooks are, as it is
    written; empty where it says nothing, None where that is not certain. `template`: it names the
    directory that new repositories are begun with.
    """

    programs: bool
    hooks: str | None
    template: bool = False


def read(text: str) -> GitConfig:
    """What a configuration says, of which this is all."""
    if "\0" in text:
        return GitConfig(programs=True, hooks=None, template=True)
    lines = [line.strip() for line in text.lower().splitlines()]
    programs = any(map(_names_program, lines))
    template = any(_TEMPLATE in line for line in lines)
    hooks = _hooks(text) if any(_HOOKS in line for line in lines) else ""
    return GitConfig(programs, hooks, template)


def _names_program(line: str) -> bool:
    key = _key(line)
    if key == "fsmonitor" and line.replace(" ", "").replace("\t", "") in _BUILT_IN:
        return False
    return any(word in key for word in _WORDS)


def _key(line: str) -> str:
    """What the line says before a value: the section, without what it is about, and the key.

    >>> _key('[remote "my-filter"]'), _key("url = x/clean.git"), _key('[a "="] b = c')
    ('[remote', 'url', '[a b = c')
    """
    if line[:1] in ("#", ";"):
        return ""
    section, closed, rest = line.partition("]") if line[:1] == "[" else ("", "", line)
    name = section.replace(".", " ").replace('"', " ").split(" ")[0]
    # a bracket or a sign inside of quotes leaves more to look at, never less
    return name + (rest if closed and rest else rest.partition("=")[0].strip())


def _hooks(text: str) -> str | None:
    """The one directory of hooks, if a line of its own plainly names it."""
    named = [line for line in text.splitlines() if _HOOKS in line.lower()]
    key, _, path = named[0].partition("=")
    path = path.strip()
    plain = path and _PLAIN.issuperset(path.removeprefix("~/"))
    return path if len(named) == 1 and key.strip().lower() == _HOOKS and plain else None
