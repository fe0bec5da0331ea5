"""What the command line of `run` says."""

from execpolicy.commands.arguments import COMMAND, Kind, Needs, OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.options import SHARED
from execpolicy.commands.run_job import writable
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.commands.arguments import Parsed

HELP = """\
usage: execpolicy run [OPTION]… [--] WORD…
       execpolicy run [OPTION]… -c TEXT

Decide about a command, and run it in a sandbox: it writes only where it may without a question,
does not see what may not be read, and reaches only the hosts that rules or the user allow.

  -c TEXT             run a script, by bash
  --confined          ask only about what the sandbox does not prevent, as a push to a server
  --dry               print the plan of the sandbox and run nothing; --session and --status-fd then
                      have no effect
  --format FORMAT     with --dry: text (for reading) or json (for programs)
  --session PID       share /tmp and the loopback with the other runs of a session, which lasts as
                      long as this process; by default the session of the agent or the terminal
                      that started the run
  --status-fd FD      write the outcome to this open descriptor, as a line of JSON
  -r, --rules FILE    use this file instead of the user's rules (repeatable); with --confined it
                      takes no walls away: `sandbox(backend = …)` in it does not count
  --no-builtin        leave out the rules and the catalogue that ship with execpolicy
  --cwd DIR           where to run it; else the current directory

exit codes: the command's own; 122 forbidden, 123 the user has to be asked, 124 out of time,
            125 there is no sandbox here, 64 usage
examples:   execpolicy run --confined -- pytest -q
            execpolicy run --dry -c 'make && make test'
"""
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
