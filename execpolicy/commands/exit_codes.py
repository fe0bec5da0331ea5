"""Exit codes, and the one place where exceptions become them."""

import os
import sys
from _collections_abc import Callable, Sequence

from execpolicy.commands import named
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.support.ordered_enum import OrderedEnum


class ExitCode(OrderedEnum):
    """What a process says by ending. A host reads 2 as a refusal, so usage errors are 64.

    The codes from 122 to 125 are those of `run`, whose others are the command's own.
    """

    ALLOW = 0
    ERROR = 1
    FORBIDDEN = 2
    PROMPT = 3
    USAGE = 64
    REFUSED = 122
    NEEDS_USER = 123
    TIMED_OUT = 124
    NO_SANDBOX = 125
    INTERRUPTED = 130

    @classmethod
    def of(cls, decision: Decision) -> "ExitCode":
        """The exit code that stands for a decision."""
        return cls[decision.name]


class HelpError(Exception):
    """The command line asks for the help of the command of this name."""


ENDING = frozenset(
    (
        *(ExitCode.REFUSED, ExitCode.NEEDS_USER, ExitCode.TIMED_OUT, ExitCode.NO_SANDBOX),
        *(128 + signal for signal in (1, 2, 3, 15)),  # SIGHUP, SIGINT, SIGQUIT, SIGTERM
    )
)
"""Codes after which no operator goes on: the run itself was ended, not the part alone."""


def run(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """Run a command and give its exit code; report what it raises in one place."""
    try:
        code = _done(command, arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has what it wanted. Python would complain again when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.ERROR
    except UsageError as error:
        return _report(error, ExitCode(error.code))
    except OSError as error:
        return _report(_system_message(error), ExitCode.ERROR)
    except ExecPolicyError as error:
        return _report(error, ExitCode.ERROR)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    return code


def _done(command: Callable[[Sequence[str]], int], arguments: Sequence[str]) -> int:
    """The code of a command, which may be asked for its help alone."""
    try:
        return command(arguments)
    except HelpError as asked:
        print(named(str(asked)).help(), end="")
        return ExitCode.ALLOW


def _system_message(error: OSError) -> str:
    """What the system said, after the file that it is about."""
    why = (error.strerror or str(error)).lower()
    if error.filename is not None:
        return f"`{printable(os.fsdecode(error.filename))}`: {why}"
    if isinstance(error, FileNotFoundError):  # from getcwd, which names none
        return "the current directory is not there any longer: change to another one"
    return why


def _report(error: Exception | str, code: ExitCode) -> ExitCode:
    say(str(error))
    return code


def say(text: str) -> None:
    """Tell the user. Where it is not read or cannot be written, the exit code still stands."""
    try:
        print(f"execpolicy: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
