"""Refusals that only a whole pipeline shows, such as a download that a shell runs as root."""

from _collections_abc import Sequence

from execpolicy.catalogue import Reading
from execpolicy.catalogue.reading.cause import CommandPart
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Exec, Opaque
from execpolicy.model.verdict import Match, Source


def pipeline_refusal(steps: "Sequence[ExpandedOperation]", number: int) -> Match | None:
    """A refusal of one step for what it is in the whole request, or None."""
    step = steps[number]
    operation = step.operation
    if isinstance(operation, Opaque) and operation.fork_bomb:
        why = "a fork bomb: it starts copies of itself until the machine stands still"
        return Match(Source.READER, Decision.FORBIDDEN, why)
    if not isinstance(operation, Exec) or not _runs_stdin(step.reading):
        return None
    if _downloads(steps, operation) and _as_root(steps, number):
        why = "pipes a download into a shell as root: what it would do is not known"
        return Match(Source.CATALOGUE, Decision.FORBIDDEN, why, effects=("execute", "privilege"))
    return None


def _runs_stdin(reading: Reading | None) -> bool:
    return reading is not None and any(c.by.part is CommandPart.STDIN for c in reading.effects)


def _as_root(steps: "Sequence[ExpandedOperation]", number: int) -> bool:
    """Whether this step or a command around it runs as another user."""
    around: int | None = number
    while around is not None:
        reading = steps[around].reading
        if reading is not None and any(c.effect == "privilege" for c in reading.effects):
            return True
        around = steps[around].outer
    return False


def _downloads(steps: "Sequence[ExpandedOperation]", fed: Exec) -> bool:
    """Whether a program whose output is piped into the command reaches the network."""
    return any(
        step.operation.argv[0] in fed.fed_by and cause.effect in ("network", "remote")
        for step in steps
        if isinstance(step.operation, Exec) and step.reading is not None
        for cause in step.reading.effects
    )
