"""What stored memory never answers: the user is asked each time, whatever was agreed before."""

from execpolicy.model.decision import Decision
from execpolicy.model.operation import (
    MCP,
    Access,
    Assign,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
)
from execpolicy.model.program import UNSEEN
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict
from execpolicy.support.resources import BUILTIN

_IN_PLACE = frozenset(("generated",))


def never_whole(verdict: Verdict) -> str | None:
    """Why nothing of a verdict may be answered by memory; None where its operations may be."""
    if verdict.decision is Decision.FORBIDDEN:
        return "it is forbidden"
    return verdict.floor and "a rules file is broken or cannot be read"


def never(judged: JudgedOperation) -> str | None:
    """Why memory may not answer for an operation; None where it may.

    Forbidden, not understood, computed, the policy itself and what stands guard for it, other
    rights, wide destruction, and tools of which the effect is not known.
    """
    if judged.decision is Decision.FORBIDDEN:
        return "it is forbidden"
    return _unknown(judged.operation) or _guarded(judged) or _strong(judged)


def _unknown(operation: Operation) -> str | None:
    if isinstance(operation, Opaque):
        return "it is not understood"
    if isinstance(operation, Assign):
        return "a variable of the shell may change what follows"
    if is_computed(operation):
        return "a word of it is computed"
    return None


def is_computed(operation: Operation) -> bool:
    """Whether any part of an operation is known only when it runs."""
    if isinstance(operation, Exec):
        values = (assignment.value for assignment in operation.env)
        return any(not isinstance(word, str) for word in (*operation.argv, *values)) or isinstance(
            operation.stdin, Dynamic
        )
    if isinstance(operation, Access):
        return isinstance(operation.path, Dynamic) or isinstance(operation.source, Dynamic)
    return isinstance(operation, Connect) and isinstance(operation.host, Dynamic)


def _guarded(judged: JudgedOperation) -> str | None:
    """What the reader does not trust, and what protects the policy."""
    for match in judged.matches:
        if "policy" in match.places:
            return "it touches the policy"
        if match.decision is not Decision.PROMPT:
            continue
        if match.source in (Source.READER, Source.FLOOR):
            return "it is not fully understood"
        if (
            match.source is Source.RULE
            and match.origin is not None
            and match.origin.layer == BUILTIN
        ):
            return "a shipped rule asks each time"
    return None


def _strong(judged: JudgedOperation) -> str | None:
    effects = {effect for match in judged.matches for effect in match.effects}
    if "privilege" in effects:
        return "it takes other privileges"
    if any(_destroys_widely(match) for match in judged.matches):
        return "it destroys more than what a build makes again"
    operation = judged.operation
    if isinstance(operation, Exec) and operation.fed_by and not effects.isdisjoint(UNSEEN):
        return "it runs what another program prints"
    is_tool = isinstance(operation, Exec) and str(operation.argv[0]).startswith(MCP)
    if is_tool and (not effects or "unknown" in effects):
        return "the effect of the tool is not known"
    return None


def _destroys_widely(match: Match) -> bool:
    return "destroy" in match.effects and not (match.places and _IN_PLACE.issuperset(match.places))
