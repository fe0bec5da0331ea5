"""`execpolicy run`: decide about a command, and run it in a sandbox made from the same policy."""

import os
import sys

from execpolicy.commands.arguments import Option, Syntax, Takes, parse
from execpolicy.commands.options import SHARED
from execpolicy.decision import Decision
from execpolicy.errors import UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.operation import Request
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.engine.engine import Engine
    from execpolicy.verdict import Verdict

HELP = """\
usage: execpolicy run [OPTION]… [--] WORD…
       execpolicy run [OPTION]… -c TEXT

Decide about a command, and run it in a sandbox: it writes only where it may without a question,
does not see what may not be read, and reaches no host that no rule allows.

  -c TEXT             run a script, by bash
  --confined          ask only about what the sandbox does not hold
  --dry               print the plan of the sandbox and run nothing
  --format FORMAT     with --dry: text (for people) or json
  --status-fd FD      write what became of it to this descriptor, a JSON object a line
  -r, --rules FILE    use this file instead of the user's rules (repeatable)
  --no-builtin        leave out the rules and the catalogue that ship with execpolicy
  --cwd DIR           where to run it; else the current directory

exit codes: the command's own; 122 forbidden, 123 a person has to be asked, 124 out of time,
            125 there is no sandbox here, 64 usage
examples:   execpolicy run --confined -- pytest -q
            execpolicy run --dry -c 'make && make test'
"""


class Options(Value):
    """What the command line of `run` says."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    shell: str | None = None
    builtin: bool = True
    confined: bool = False
    dry: bool = False
    format: str = "text"
    status: str | None = None


SYNTAX = Syntax(
    "run",
    (
        *(option for option in SHARED if option.field != "shell"),
        Option(("--confined",), "confined"),
        Option(("--dry",), "dry"),
        Option(("--format",), "format", Takes("format")),
        Option(("--status-fd",), "status", Takes("descriptor")),
    ),
    Takes("command"),
    leads=True,
)


def main(arguments: "Sequence[str]") -> int:
    """Decide, run, and give the command's exit code."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    options = Options(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    if (options.text is None) == (not options.argv):
        raise UsageError("give words, or `-c TEXT`: `execpolicy run -- COMMAND…`")
    from execpolicy.commands.check import directory
    from execpolicy.engine.engine import Engine

    options = options.replace(cwd=directory(options.cwd))
    engine = Engine.load(options.rules, builtin=options.builtin, cwd=options.cwd, audit=True)
    return _decided(engine, options)


def _decided(engine: "Engine", options: Options) -> int:
    from execpolicy.sandbox import box

    request = Request(options.text, options.argv or None, options.cwd, "bash")
    verdict = engine.decide(request)
    decision = verdict.decision
    if decision is Decision.FORBIDDEN and not options.dry and not options.confined:
        return _told(ExitCode.REFUSED, verdict.reason)
    argv = box.shell_words(options.text) if options.text is not None else options.argv
    job = box.prepared(engine.snapshot, verdict, argv, options.cwd or "/")
    if options.dry:
        print(job.plan)
        return 0
    outcome = box.run(job)
    return outcome.code


def _told(code: ExitCode, why: str) -> ExitCode:
    print(f"execpolicy: {printable(why, 300)}", file=sys.stderr)
    return code
