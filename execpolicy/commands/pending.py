"""`execpolicy pending`: what waits for the user, of all agents."""

import sys
from collections.abc import Sequence

from execpolicy.commands import pending_watch, person
from execpolicy.commands.arguments import OptionSyntax, Syntax, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.pending_page import page, questions, width
from execpolicy.model.errors import UsageError
from execpolicy.store.ledger.questions import encode

SYNTAX = Syntax("pending", (OptionSyntax(("--watch",), "watch"), OptionSyntax(("--json",), "json")))


def main(arguments: Sequence[str]) -> ExitCode:
    """Show them. Raises `LedgerError` where the ledger is not to be believed."""
    parsed = parse(SYNTAX, arguments)
    if parsed.fields.get("watch"):
        if parsed.fields.get("json"):
            raise UsageError("`--watch` is for a terminal, `--json` for programs")
        return _watch()
    every = questions()
    if parsed.fields.get("json"):
        sys.stdout.writelines(f"{encode(question)}\n" for question in every)
        return ExitCode.ALLOW
    sys.stdout.write(page(every, width()))
    return ExitCode.ALLOW


def _watch() -> ExitCode:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("`--watch` needs a terminal")
    person.refuse_programs()
    return pending_watch.watch()
