"""What the command line of `run` says."""

from _collections_abc import Sequence

from execpolicy.commands.arguments import (
    COMMAND,
    Kind,
    Needs,
    OptionSyntax,
    Parsed,
    Syntax,
    Takes,
    parse,
)
from execpolicy.commands.options import SHARED
from execpolicy.commands.run_job import writable
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.support.record import Value

FORMATS = ("text", "json")


class RunOptions(Value):
    """What the command line of `run` says. `begun`: of a part, what it would start of the project
    ran before."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    builtin: bool = True
    confined: bool = False
    dry: bool = False
    format: str = "text"
    session: str | None = None
    status: str | None = None
    begun: bool = False


SYNTAX = Syntax(
    "run",
    (
        *(option for option in SHARED if option.field != "shell"),
        OptionSyntax(("--confined",), "confined"),
        OptionSyntax(("--dry",), "dry"),
        OptionSyntax(
            ("--format",),
            "format",
            Takes("format", Kind.WORD, FORMATS),
            needs=(Needs("dry", (True,)),),
        ),
        OptionSyntax(("--session",), "session", Takes("process")),
        OptionSyntax(("--status-fd",), "status", Takes("descriptor")),
    ),
    COMMAND,
    leads=True,
)


def read(arguments: "Sequence[str]") -> RunOptions:
    """The options that a command line names. Raises `UsageError`."""
    return valid(parse(SYNTAX, arguments))


def requested(options: RunOptions) -> Request:
    """The request that is decided about."""
    return Request(options.text, options.argv or None, options.cwd, "bash")


def valid(parsed: "Parsed") -> RunOptions:
    """The options with an absolute directory. Raises `UsageError`."""
    from execpolicy.commands.check import directory

    options = RunOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    if (options.text is None) == (not options.argv):
        raise UsageError("give words, or `-c TEXT`: `execpolicy run -- COMMAND…`")
    if options.session is not None and not options.session.isdigit():
        raise UsageError(f"`{printable(options.session, 20)}` is not a process: write its number")
    if options.status is not None and not options.status.isdigit():
        raise UsageError(f"`{printable(options.status, 20)}` is not a descriptor: write its number")
    writable(options.status)
    return options.replace(cwd=directory(options.cwd) or "/")
