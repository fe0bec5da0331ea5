"""`execpolicy pending`: what waits for the user, of all agents."""

import sys
from collections.abc import Sequence

from execpolicy.commands.arguments import OptionSyntax, Syntax, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import UsageError

HELP = """\
usage: execpolicy pending [--watch | --json]

Show the questions of all agents that wait for the user, the oldest first: the code to answer by,
how long it waits, the agent, its project and branch, the command with what of it asks underlined,
why, and whether the sandbox would hold it. `execpolicy approve CODE` and `execpolicy reject CODE`
answer.

  --watch  stay, and answer with one key: y once, s for the session, t for ten minutes, n no
  --json   an object a line, for programs

A question waits ten minutes, one whose call was refused meanwhile 24 hours. It ends with its
session, and when the rules change.

exit codes: 0 shown, 1 the ledger cannot be used, 64 usage
example:    execpolicy pending
"""

SYNTAX = Syntax("pending", (OptionSyntax(("--watch",), "watch"), OptionSyntax(("--json",), "json")))


def main(arguments: Sequence[str]) -> ExitCode:
    """Show them. Raises `LedgerError` where the ledger is not to be believed."""
    parsed = parse(SYNTAX, arguments)
    if parsed.fields.get("watch"):
        if parsed.fields.get("json"):
            raise UsageError("`--watch` is for a terminal, `--json` for programs")
        return _watch()
    from execpolicy.commands.pending_page import page, questions, width

    every = questions()
    if parsed.fields.get("json"):
        from execpolicy.store.ledger.questions import encode

        sys.stdout.writelines(f"{encode(question)}\n" for question in every)
        return ExitCode.ALLOW
    sys.stdout.write(page(every, width()))
    return ExitCode.ALLOW


def _watch() -> ExitCode:
    from execpolicy.commands import pending_watch, person

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("`--watch` needs a terminal")
    person.refuse_programs()
    return pending_watch.watch()
