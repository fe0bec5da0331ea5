"""Settings: `config.toml`, and environment variables that override it.

`docs/settings.md` has them in a table. A variable is `EXECPOLICY_` and the key in capitals.
"""

import os

from execpolicy.model.errors import Diagnostic, Span
from execpolicy.store.compiled import cache
from execpolicy.store.sources.files import read_regular, unreadable
from execpolicy.support import digest, directories
from execpolicy.support.record import Value


class Settings(Value):
    """What the user set.

    `audit`: write a line a verdict. `audit_commands`: with the words of commands, not their
    structure alone. `audit_bytes`: rotate the log at this size. `codex`: read Codex's rules
    directories too. `undecided`: what a hook says when it cannot decide, `ask` or `deny`.
    `ask_hosts`: whether a connection that no rule decides waits for the user (`immediate`), or is
    refused and asked about after the command (`deferred`). `notify`: the command that is told of
    each question whose call was refused meanwhile; in the file alone. `wait_seconds`: how long a
    hook waits for the answer to such a question, at most as long as its host lets it. `undo`: keep
    what a command may remove, at most `undo_bytes` of a project for at most `undo_days`.
    `problems` holds what is wrong with the file: with the code `read` where it says nothing that
    can be used, so that it is not known which rules it asks for.
    """

    audit: bool = True
    audit_commands: bool = True
    audit_bytes: int = 10 * 1024 * 1024
    codex: bool = False
    undecided: str = "ask"
    ask_hosts: str = "immediate"
    notify: str = ""
    wait_seconds: int = 0
    undo: bool = True
    undo_bytes: int = 2 * 1024 * 1024 * 1024
    undo_days: int = 7
    problems: tuple[Diagnostic, ...] = ()


MAX_BYTES = 1024 * 1024

_VARIABLES = {
    "audit": "EXECPOLICY_AUDIT",
    "audit_commands": "EXECPOLICY_AUDIT_COMMANDS",
    "codex": "EXECPOLICY_CODEX",
    "undecided": "EXECPOLICY_UNDECIDED",
    "ask_hosts": "EXECPOLICY_ASK_HOSTS",
    "undo": "EXECPOLICY_UNDO",
}
_CHOICES = {"undecided": ("ask", "deny"), "ask_hosts": ("immediate", "deferred")}


def path() -> str:
    """Where the settings file is."""
    return os.path.join(directories.config(), "config.toml")


def load() -> Settings:
    """The settings in force. A file that cannot be used is reported, and its defaults hold."""
    values, problems = _file()
    for name, variable in _VARIABLES.items():
        given = os.environ.get(variable)
        if given is not None:
            problem = _put(values, name, _word(name, given), variable)
            problems += (problem,) if problem else ()
    return Settings(**values, problems=problems)  # type: ignore[arg-type]


def _word(name: str, text: str) -> object:
    """A variable's text as the value it stands for."""
    if name in _CHOICES:
        return text
    return {"1": True, "true": True, "0": False, "false": False}.get(text.lower(), text)


def _file() -> "tuple[dict[str, object], tuple[Diagnostic, ...]]":
    """The values of the file. One that is not there has none; a link to nothing is a problem."""
    place = path()
    try:
        data = read_regular(place, MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise OSError(f"it has more than {MAX_BYTES} bytes")
    except (FileNotFoundError, NotADirectoryError) as error:
        return {}, (unreadable(place, "file", error),) if os.path.islink(place) else ()
    except OSError as error:
        return {}, (unreadable(place, "file", error),)
    return _checked(_parsed(data))


def _parsed(data: bytes) -> "dict[str, object]":
    """The table of the file, from the cache where it has not changed: reading TOML is slow."""
    stamp = digest.of(data)
    found = cache.read("settings", stamp)
    if found is not None and isinstance(found[0], dict):
        return found[0]
    import tomllib

    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return {"": str(error)}
    plain: dict[str, object] = {
        k: v if isinstance(v, (bool, int, str)) else repr(v) for k, v in table.items()
    }
    cache.write("settings", stamp, plain)
    return plain


def _checked(table: "dict[str, object]") -> "tuple[dict[str, object], tuple[Diagnostic, ...]]":
    values: dict[str, object] = {}
    problems = []
    for name, value in table.items():
        if name == "":
            message = f"not TOML: {value}"
            problems.append(Diagnostic("read", message, Span(path()), "correct the file"))
        elif problem := _put(values, name, value, path()):
            problems.append(problem)
    return values, tuple(problems)


def _put(values: "dict[str, object]", name: str, value: object, place: str) -> Diagnostic | None:
    """Take a value if there is such a setting and it is of its type; else say what is wrong."""
    defaults = Settings()
    known = [n for n in Settings.__fields__ if n != "problems"]
    if name not in known:
        return Diagnostic("settings", f"unknown setting `{name}`", Span(place), _meant(name, known))
    choices = _CHOICES.get(name)
    if choices and value not in choices:
        wanted = " or ".join(f"`{c}`" for c in choices)
        return Diagnostic("settings", f"`{name}` must be {wanted}, not `{value}`", Span(place))
    wanted_type = type(getattr(defaults, name))
    if type(value) is not wanted_type:
        noun = {bool: "true or false", int: "a number", str: "a text"}[wanted_type]
        return Diagnostic("settings", f"`{name}` must be {noun}, not `{value}`", Span(place))
    values[name] = value
    return None


def _meant(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"did you mean `{close[0]}`?" if close else "the settings are " + ", ".join(known)
