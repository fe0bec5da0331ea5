"""`execpolicy completion`: a script with which a shell completes our command line."""

import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import Kind, Syntax, Takes, one_of, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import UsageError

SHELLS = ("bash", "zsh", "fish")
SYNTAX = Syntax("completion", (), Takes("shell", Kind.WORD, SHELLS), most=1)


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the script."""
    parsed = parse(SYNTAX, arguments)
    if not parsed.operands:
        raise UsageError(f"no shell: use {one_of(SHELLS)}")
    sys.stdout.write(script(parsed.operands[0]))
    return ExitCode.ALLOW


def script(shell: str) -> str:
    """The script for a shell."""
    from execpolicy.commands.render import completion_bash, completion_fish, completion_zsh
    from execpolicy.commands.render.completion_table import table

    scripts = {
        "bash": completion_bash.script,
        "zsh": completion_zsh.script,
        "fish": completion_fish.script,
    }
    return scripts[shell](table())
