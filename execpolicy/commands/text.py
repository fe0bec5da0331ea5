"""A verdict for people: the answer first, then each thing that was judged, and by whom."""

from execpolicy.decision import Decision
from execpolicy.errors import printable
from execpolicy.operation import Access, Assign, Connect, Exec, Operation
from execpolicy.verdict import Match, Verdict, written

COLOURS = {Decision.ALLOW: "32", Decision.PROMPT: "33", Decision.FORBIDDEN: "31"}


def render(verdict: Verdict, colour: bool = False) -> str:
    """Several lines, each ending in a newline."""
    lines = [f"{_word(verdict.decision, colour)}: {verdict.reason}"]
    if verdict.confined is not verdict.decision:
        lines.append(f"  confined  {_word(verdict.confined, colour)} in the sandbox")
    for judged in verdict.judged:
        shown = describe(judged.operation)
        lines.append(f"  {_word(judged.decision, colour):9} {shown}")
        lines.extend(f"            {_match(m)}" for m in judged.matches)
    if verdict.floor and len(verdict.judged):
        lines.append(f"  floor     {printable(verdict.floor)}")
    lines.extend(f"  to allow it: {amendment.rule}" for amendment in verdict.amendments)
    return "\n".join(lines) + "\n"


def describe(operation: Operation) -> str:
    """An operation in a few words."""
    via = f"  (via {', '.join(printable(v, 40) for v in operation.via)})" if operation.via else ""
    if isinstance(operation, Exec):
        return written(operation.argv, 120) + via
    if isinstance(operation, Access):
        return f"{operation.mode} {written((operation.path,), 100)}{via}"
    if isinstance(operation, Connect):
        return f"connect to {written((operation.host,), 100)} by {operation.protocol}{via}"
    if isinstance(operation, Assign):
        return f"set {operation.assignment.name}{via}"
    return f"not understood: {printable(operation.text, 100)}{via}"


def _match(match: Match) -> str:
    origin = f"  [{match.origin}]" if match.origin else ""
    return f"{match.source}: {printable(match.why, 200)}{origin}"


def _word(decision: Decision, colour: bool) -> str:
    return f"\x1b[{COLOURS[decision]}m{decision.word}\x1b[0m" if colour else decision.word
