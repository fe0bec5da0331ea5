"""`execpolicy reject`: refuse a call that waits for the user."""

from collections.abc import Sequence

from execpolicy.commands.arguments import OptionSyntax, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.approval import Life
from execpolicy.model.errors import printable

SYNTAX = Syntax(
    "reject", (OptionSyntax(("--because",), "because", Takes("text")),), Takes("code"), most=1
)


def main(arguments: Sequence[str]) -> ExitCode:
    """Do it. Raises `ExecPolicyError` where no such question waits."""
    parsed = parse(SYNTAX, arguments)
    from execpolicy.commands import replying

    question = replying.asked(parsed.operands)
    because = parsed.fields.get("because")
    replying.answer(question, Life.REJECT, feedback=None if because is None else str(because))
    print(printable(f"rejected: {question.request}", 500))
    return ExitCode.ALLOW
