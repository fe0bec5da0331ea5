"""The question of `run` at a terminal: once, for the session, always, or no with a reason."""

import os
import sys

from execpolicy.commands.ancestors import below_agent
from execpolicy.model.errors import printable
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.commands.run_answers import Answers
    from execpolicy.model.verdict import Verdict


class PromptAnswer(Value):
    """What came of a question. `answered`: the user said no."""

    allowed: bool
    answered: bool
    why: str


def ask(
    verdict: "Verdict",
    reason: str,
    arguments: "Sequence[str]",
    longer: "Callable[[], Answers]",
) -> PromptAnswer:
    """Ask the user at the terminal, if there is one and no agent is between.

    `longer` gives what may be answered beside once and no; it is called where the user is asked.
    """
    if not can_ask():
        from shlex import quote

        from execpolicy.model.wording import typed

        words = ("execpolicy", *arguments)
        again = " ".join(quote(w) if printable(w) == w else typed(w) for w in words)
        return PromptAnswer(
            allowed=False,
            answered=False,
            why=f"the user has to be asked: {reason}; in a terminal: {printable(again, 300)}",
        )
    lines = [f"execpolicy: {printable(reason, 300)}"]
    lines += [f"  to allow it always: {amendment.rule}" for amendment in verdict.amendments]
    print(*lines, sep="\n", file=sys.stderr)
    answers = longer()
    choices = f"y once{answers.words}, N, or a reason against it"
    print(f"run it? [{choices}] ", end="", file=sys.stderr, flush=True)
    said = sys.stdin.readline().strip()
    if said.lower() in ("y", "yes") or answers.keep(said):
        return PromptAnswer(allowed=True, answered=True, why="")
    return PromptAnswer(
        allowed=False,
        answered=True,
        why=f"the user refused it: {said}" if len(said) > 1 else "refused",
    )


def can_ask() -> bool:
    """Whether the user can be asked: at a terminal, with no agent between."""
    return os.isatty(0) and os.isatty(2) and not below_agent()
