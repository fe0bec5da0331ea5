"""The process of a command: what it starts with, and the code that it ends with."""

import gc
import os
import sys

from execpolicy.commands import named
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.support import startup

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Sequence
else:  # what `signal` is made of, without its enumerations
    import _signal

SHORT = ("check", "hook")
"""The commands that end at once. What `check` reads from a stream turns the collector on itself."""


def main() -> None:
    """Run the command that the process was given, and exit with its code.

    The process ends without tearing the interpreter down, which takes as long as a decision.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed by the process that started this one
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        getattr(sys, name).reconfigure(encoding="utf-8", errors="backslashreplace")
    code = run(_single, sys.argv[1:])
    try:
        sys.stderr.flush()
    except OSError:
        os._exit(code)  # it is not read any more: what was done stands
    os._exit(code)


def _single(arguments: "Sequence[str]") -> int:
    """Run the command in a process of its own, which gives one answer and ends."""
    if arguments[:1] not in (["check"], ["hook"], ["run"]):
        return dispatch(arguments)
    _end_at_interrupts()
    if arguments[0] == "run":
        startup.ahead("run")
        from execpolicy.commands import run_again

        return run_again.run(arguments[1:])
    startup.ahead("again" if arguments[0] == "check" else "hook")
    from execpolicy.commands import repeat

    repeat.single = True
    if arguments[0] == "hook":
        return dispatch(arguments)
    return repeat.check(arguments[1:], _check)


def _end_at_interrupts() -> None:
    """Have an interrupt end this process as it ends any other, until something else is said.

    Python would raise an exception wherever it is at that moment, and lose it where that is a
    callback: a command would start after the user had stopped it.
    """
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def _check(arguments: "Sequence[str]") -> int:
    return dispatch(["check", *arguments])


def dispatch(arguments: "Sequence[str]") -> int:
    """Run the named command with the rest of the arguments."""
    if not arguments or arguments[0] in ("-h", "--help"):
        from execpolicy.commands.help import overview

        print(overview(), end="")
        return ExitCode.ALLOW if arguments else ExitCode.USAGE
    if arguments[0] in ("-V", "--version"):
        from execpolicy.support.version import PACKAGE

        print("execpolicy", PACKAGE)
        return ExitCode.ALLOW
    if arguments[0] not in SHORT:
        gc.enable()
        startup.with_site()
    return named(arguments[0]).load()(arguments[1:])
