"""The command line: `execpolicy COMMAND …`."""

import gc
import os
import sys

gc.disable()  # most processes end before a collection could pay; long runs turn it on again

from execpolicy.commands import COMMANDS
from execpolicy.errors import UsageError
from execpolicy.exit import ExitCode, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy COMMAND [ARGUMENT]…

Decide what a coding agent may run: allow, prompt or forbidden, with the reason.

{commands}

`execpolicy COMMAND --help` tells more. Exit codes: 0 allow, 2 forbidden, 3 prompt,
1 could not decide, 64 usage.
"""


def main() -> None:
    """Run the command that the process was given, and exit with its code.

    The process ends without tearing the interpreter down, which takes as long as a decision.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed by whoever started the process
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        getattr(sys, name).reconfigure(encoding="utf-8", errors="backslashreplace")
    code = run(dispatch, sys.argv[1:])
    sys.stderr.flush()
    os._exit(code)


def dispatch(arguments: "Sequence[str]") -> ExitCode:
    """Run the named command with the rest of the arguments."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        width = max(map(len, COMMANDS))
        lines = (f"  {name:{width}}  {c.summary}" for name, c in COMMANDS.items())
        print(HELP.format(commands="\n".join(lines)), end="")
        return ExitCode.ALLOW if arguments else ExitCode.USAGE
    if arguments[0] in ("-V", "--version"):
        from importlib.metadata import version

        print("execpolicy", version("execpolicy"))
        return ExitCode.ALLOW
    command = COMMANDS.get(arguments[0])
    if command is None:
        raise UsageError(_unknown(arguments[0]))
    return command.load()(arguments[1:])


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, COMMANDS, 1)
    meant = f"; did you mean `{close[0]}`?" if close else ""
    return f"unknown command `{name}`{meant} (`execpolicy --help` lists them)"


if __name__ == "__main__":
    main()
