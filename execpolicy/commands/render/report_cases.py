"""Results of cases as text."""

from execpolicy.cases.coverage import Coverage
from execpolicy.cases.run import Result
from execpolicy.commands.render.explain_steps import explained
from execpolicy.commands.render.explain_text import render
from execpolicy.model.errors import printable
from execpolicy.store.snapshot import Snapshot

WIDTH = 80


def failure(result: Result, snapshot: Snapshot) -> str:
    """A failed case with the way to its verdict."""
    case = result.case
    found = explained(result.request, snapshot, result.verdict)
    way = render(result.request, result.verdict, found, snapshot, WIDTH)
    indented = "".join(f"    {line}".rstrip() + "\n" for line in way.splitlines())
    return f"{case.span}: failed: {printable(case.shown, 120)}\n  {result.failure}\n{indented}"


def change(result: Result) -> str:
    """What `--update` does to a case."""
    old, new = result.case.decision.word, result.verdict.decision.word
    return f"{result.case.span}: {printable(result.case.shown, 100)}\n  - {old}\n  + {new}\n"


def coverage(found: Coverage) -> str:
    """How many parts of the rules are reached, and each that is not."""
    missed = [
        f"{origin}: no case reaches {printable(what, 160)}\n" for origin, what in found.missed
    ]
    missed += [
        f"{origin}: no case can reach {printable(what, 160)}: {printable(why, 200)}\n"
        for (origin, what), why in found.idle
    ]
    reached, every = len(found.parts) - len(found.missed), len(found.parts)
    percent = 100 * reached // every if every else 100
    return "".join(missed) + f"coverage: {reached} of {every} parts of the rules, {percent} %\n"
