"""What is left of a verdict's questions once approvals answered some of them, or where some cannot
be put at all: these refuse."""

from _collections_abc import Sequence

from execpolicy.approvals.cover import covers, holds
from execpolicy.approvals.memory import never_whole
from execpolicy.approvals.subject import Here
from execpolicy.model.approval import ASK, Approval, Asking
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect
from execpolicy.model.verdict import NOTHING, JudgedOperation, Match, Source, Verdict
from execpolicy.support.record import Value


class Settled(Value):
    """A verdict, and the approvals that it rests on now, in the order of its operations."""

    verdict: Verdict
    used: tuple[Approval, ...] = ()


def settle(verdict: Verdict, approvals: "Sequence[Approval]", here: Here) -> Settled:
    """The verdict with the questions answered that approvals cover. Pure.

    Each operation is looked at alone. Nothing forbidden is lowered, and nothing under a floor. A
    request of which one operation still asks uses up no approval.
    """
    if verdict.decision is not Decision.PROMPT or never_whole(verdict) or not approvals:
        return Settled(verdict)
    if len(here.subjects) != len(verdict.judged):
        return Settled(verdict)
    judged: list[JudgedOperation] = []
    used: list[Approval] = []
    for one, subject in zip(verdict.judged, here.subjects, strict=True):
        found = None
        if one.decision is Decision.PROMPT:
            fresh = (a for a in approvals if a.bounds.uses is None or _left(a, used))
            found = next((a for a in fresh if covers(a, one, subject, here)), None)
        judged.append(one if found is None else _answered(one, found))
        used += [] if found is None else [found]
    decision = max((one.decision for one in judged), default=Decision.PROMPT)
    if decision is not Decision.ALLOW:
        return Settled(verdict.replace(judged=tuple(judged)))
    return Settled(_allowed(verdict, tuple(judged)), tuple(used))


def settle_whole(settled: Settled, approvals: "Sequence[Approval]", here: Here) -> Settled:
    """The same for what is still asked, where the user let this very request pass. Pure.

    `approvals` are for the request as a whole: what each operation asks was shown to the user.
    """
    found = next((approval for approval in approvals if holds(approval, here)), None)
    verdict = settled.verdict
    if found is None or never_whole(verdict) or not verdict.judged:
        return settled
    judged = tuple(
        _answered(one, found) if one.decision is Decision.PROMPT else one for one in verdict.judged
    )
    if max(one.decision for one in judged) is not Decision.ALLOW:
        return settled
    return Settled(_allowed(verdict, judged), (found,))


def _allowed(verdict: Verdict, judged: tuple[JudgedOperation, ...]) -> Verdict:
    return verdict.replace(
        decision=Decision.ALLOW, judged=judged, proposal=NOTHING, confined=Decision.ALLOW
    )


def _left(approval: Approval, used: "Sequence[Approval]") -> bool:
    """Whether an approval that counts its uses has one left beside those of this request."""
    return used.count(approval) < (approval.bounds.uses or 0)


def _answered(judged: JudgedOperation, approval: Approval) -> JudgedOperation:
    """The operation with one approval in the place of what asked."""
    kept = tuple(m for m in judged.matches if m.decision is not Decision.PROMPT)
    why = f"approved by {approval.by} ({approval.id})"
    return judged.replace(matches=(*kept, Match(Source.APPROVAL, Decision.ALLOW, why)))


def refuse_unasked(verdict: Verdict, asking: Asking) -> Verdict:
    """The verdict where some questions cannot be put: these make it FORBIDDEN.

    `never` of Codex and a run without the user refuse all; `granular` refuses some kinds.
    """
    if verdict.decision is not Decision.PROMPT:
        return verdict
    kinds = {source(m, one) for one in verdict.judged for m in one.matches if m.decision}
    kinds |= {"rule"} if verdict.floor or not kinds else set()
    if all(getattr(asking, kind) == ASK for kind in kinds):
        return verdict
    refusal = Match(Source.FLOOR, Decision.FORBIDDEN, "the user cannot be asked")
    judged = (*verdict.judged[:-1], _also(verdict.judged[-1], refusal)) if verdict.judged else ()
    return verdict.replace(decision=Decision.FORBIDDEN, judged=judged, proposal=NOTHING)


def _also(judged: JudgedOperation, match: Match) -> JudgedOperation:
    return judged.replace(matches=(*judged.matches, match))


def source(match: Match, judged: JudgedOperation) -> str:
    """What kind of question a match asks: `rule`, `path`, `host` or `posture`."""
    if isinstance(judged.operation, Connect):
        return "host"
    if match.source is Source.PLACE or isinstance(judged.operation, Access):
        return "path"
    return "rule" if match.source in (Source.RULE, Source.FLOOR) else "posture"
