"""The options of `check`, read by hand: importing argparse costs as much as the whole decision."""

from execpolicy.errors import UsageError
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Options(Value):
    """What the command line of `check` says."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    host: str | None = None
    mode: str | None = None
    shell: str | None = None
    format: str = "text"
    builtin: bool = True
    jsonl: bool = False
    pretty: bool = False
    resolve: bool = False
    help: bool = False


CODEX_USAGE = 2
"""What `codex execpolicy check` ends with where its command line is wrong."""

_FLAGS = {
    "--no-builtin": ("builtin", False),
    "--jsonl": ("jsonl", True),
    "--pretty": ("pretty", True),
    "--resolve-host-executables": ("resolve", True),
    "-h": ("help", True),
    "--help": ("help", True),
}
_VALUES = {
    "-c": "text",
    "-r": "rules",
    "--rules": "rules",
    "--cwd": "cwd",
    "--host": "host",
    "--mode": "mode",
    "--shell": "shell",
    "--format": "format",
}


def parse(arguments: "Sequence[str]") -> Options:
    """Read the command line up to the first word that is no option; the rest is the command.

    Raises `UsageError`. With `--format codex` an unknown option is the command's first word, as
    there.
    """
    found: dict[str, object] = {}
    try:
        _read(iter(arguments), found)
    except UsageError as error:
        if found.get("format") == "codex":
            raise UsageError(str(error), CODEX_USAGE) from None
        raise
    return Options(**found)  # type: ignore[arg-type]


def _read(rest: "Iterator[str]", found: dict[str, object]) -> None:
    rules: list[str] = []
    for argument in rest:
        name, value = _option(argument)
        if argument == "--":
            found["argv"] = tuple(rest)
        elif name in _VALUES:
            value = next(rest, None) if value is None else value
            if value is None:
                raise UsageError(f"option `{name}` needs a value")
            _keep(found, rules, _VALUES[name], value, name)
        elif argument in _FLAGS:
            key, flag = _FLAGS[argument]
            _once(found, key, flag, argument)
        elif argument.startswith("-") and argument != "-" and found.get("format") != "codex":
            raise UsageError(_unknown(argument))
        else:
            found["argv"] = (argument, *rest)
    if rules:
        found["rules"] = tuple(rules)


def _option(argument: str) -> tuple[str, str | None]:
    """An option's name, and its value where it is joined by `=`."""
    name, equals, value = argument.partition("=")
    if equals and name.startswith("--") and name in _VALUES:
        return name, value
    if argument.startswith("-r") and len(argument) > 2:
        return "-r", argument[2:].removeprefix("=")
    return argument, None


def _keep(found: dict[str, object], rules: list[str], key: str, value: str, name: str) -> None:
    if key == "rules":
        rules.append(value)
    else:
        _once(found, key, value, name)


def _once(found: dict[str, object], key: str, value: object, name: str) -> None:
    if key in found:
        raise UsageError(f"option `{name}` is given twice")
    found[key] = value


def _unknown(argument: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(argument, [*_FLAGS, *_VALUES], 1)
    meant = f"; did you mean `{close[0]}`?" if close else ""
    return f"unknown option `{argument}`{meant} (put `--` in front of the command)"
