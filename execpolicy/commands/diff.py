"""`execpolicy diff`: what other rules would decide otherwise."""

import sys

from execpolicy.commands.arguments import RULES, Option, Syntax, counted, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.engine.engine import Engine
from execpolicy.model.errors import Diagnostic, PolicyError, RequestError, UsageError, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HELP = """\
usage: execpolicy diff [--no-builtin] OLD NEW < COMMANDS

Decide about each command, a script a line on stdin, by the rules of the file OLD and by those of
NEW, and print those about which they differ.

  --no-builtin  leave out the rules and the catalogue that ship with execpolicy

exit codes: 0 no difference, 1 some, 64 usage
example:    git show HEAD:team.rules > /tmp/old.rules
            execpolicy diff /tmp/old.rules team.rules < commands.txt
"""

SYNTAX = Syntax("diff", (Option(("--no-builtin",), "builtin", value=False),), RULES, most=2)


def main(arguments: "Sequence[str]") -> ExitCode:
    """Print what is decided otherwise. ERROR if anything is."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    if len(parsed.operands) != 2:
        raise UsageError("give two rules files: the old one and the new one")
    builtin = "builtin" not in parsed.fields
    old, new = _loaded(parsed.operands, builtin)
    commands = (line.rstrip("\r\n") for line in sys.stdin)
    different = total = 0
    for line in _compared(old, new, commands):
        total += 1
        different += bool(line)
        sys.stdout.write(line)
    print(f"{counted(total, 'command')}, {different} decided otherwise")
    return ExitCode.ERROR if different else ExitCode.ALLOW


def _loaded(paths: "Sequence[str]", builtin: bool) -> list[Engine]:
    """An engine for each file. Raises `PolicyError` with the problems of all of them."""
    engines: list[Engine] = []
    problems: list[Diagnostic] = []
    for path in paths:
        try:
            engines.append(Engine.load([path], builtin=builtin))
        except PolicyError as error:
            problems += error.diagnostics
    if problems:
        raise PolicyError(tuple(problems))
    return engines


def _compared(old: Engine, new: Engine, commands: "Iterator[str]") -> "Iterator[str]":
    """For each command what changes, or an empty text."""
    for command in filter(str.strip, commands):
        try:
            before, after = old.check(command), new.check(command)
        except RequestError as error:
            yield f"{printable(command, 200)}\n  {error}\n"
            continue
        if before.decision is after.decision:
            yield ""
        else:
            shown = printable(command, 200)
            first = f"  - {before.decision.word}: {before.reason}\n"
            yield f"{shown}\n{first}  + {after.decision.word}: {after.reason}\n"
