"""A verdict as text: the worst that would happen first, then what the user can do."""

import os
from _collections_abc import Sequence

from execpolicy.catalogue.services import lacking
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Assign, Connect, Exec, Operation
from execpolicy.model.verdict import Verdict, written

COLOURS = {Decision.ALLOW: "32", Decision.PROMPT: "33", Decision.FORBIDDEN: "31"}


def render(
    verdict: Verdict, colour: bool = False, width: int | None = None, notes: Sequence[str] = ()
) -> str:
    """Several lines, each ending in a newline, wrapped where a width in columns is given.

    `notes` are for a question whose rules would allow more once they are trusted or repaired.
    """
    if verdict.decision is Decision.ALLOW:
        lacks = f"  confined: {confined(verdict)}\n" if lacking(verdict) else ""
        return f"{_word(verdict.decision, colour)}: {verdict.reason}\n{lacks}"
    from execpolicy.model.wording import question

    asked = question(verdict)
    said = [(verdict.decision.word, asked.worst)]
    said += [("  " + label, _near(text)) for label, text in asked.lines]
    if verdict.confined is not verdict.decision:
        said.append(("  confined", confined(verdict)))
    said += [("  note", note) for note in notes]
    said += [("  to allow it", command) for command in asked.commands]
    lines = [line for label, text in said for line in _wrapped(f"{label}: ", text, width)]
    lines[0] = lines[0].replace(verdict.decision.word, _word(verdict.decision, colour), 1)
    return "\n".join(lines) + "\n"


def confined(verdict: Verdict) -> str:
    """The decision for the sandbox, and what the sandbox is where it is none of ours."""
    word = verdict.confined.word
    if verdict.backend == "external":
        return f"{word} in the sandbox, which is this machine itself: `sandbox(backend = …)`"
    if verdict.backend:
        return f"{word}, without a sandbox: `sandbox(backend = …)`"
    how = " (`execpolicy run --confined`)" if verdict.confined is Decision.ALLOW else ""
    if how and any(match.undo for match in verdict.matches):
        how += ", and can be undone (`execpolicy undo`)"
    names = "`, `".join(lacking(verdict))
    missing = f", which has no key, host or socket for `{names}`" if names else ""
    return f"{word} in the sandbox{how}{missing}"


def _near(text: str) -> str:
    """A rule's place as one would type it here."""
    try:
        return text.removeprefix(os.getcwd() + "/")
    except OSError:
        return text


def _wrapped(label: str, text: str, width: int | None) -> list[str]:
    """The text after its label, in lines that begin in the same column."""
    if width is None or len(label) + len(text) <= width:
        return [label + text]
    lines, margin = [label], " " * len(label)
    for word in text.split(" "):
        if len(lines[-1]) + len(word) > width and lines[-1].strip() != label.strip():
            lines.append(margin)
        lines[-1] += word + " "
    return [line.rstrip() for line in lines]


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


def _word(decision: Decision, colour: bool) -> str:
    return f"\x1b[{COLOURS[decision]}m{decision.word}\x1b[0m" if colour else decision.word
