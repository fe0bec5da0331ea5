"""`execpolicy help`: the list of commands, and the help of each."""

from collections.abc import Sequence

from execpolicy.commands import COMMANDS, named
from execpolicy.commands.arguments import Kind, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode

OVERVIEW = """\
usage: execpolicy COMMAND [ARGUMENT]…

Decide what a coding agent may run: allow, prompt or forbidden, with the reason.

{commands}

`execpolicy help COMMAND` tells more. Exit codes: 0 allow, 2 forbidden, 3 prompt,
1 could not decide, 64 usage.
"""

SYNTAX = Syntax("help", (), Takes("command", Kind.OPEN, load=lambda: COMMANDS), most=1)


def main(arguments: Sequence[str]) -> int:
    """Print the help of a command, or the list."""
    parsed = parse(SYNTAX, arguments)
    for name in parsed.operands:
        print(named(name).help(), end="")
        return ExitCode.ALLOW
    print(overview(), end="")
    return ExitCode.ALLOW


def overview() -> str:
    """Every command in a line, around it what holds for all of them."""
    width = max(map(len, COMMANDS))
    lines = (f"  {name:{width}}  {named(name).summary()}" for name in COMMANDS)
    return OVERVIEW.format(commands="\n".join(lines))
