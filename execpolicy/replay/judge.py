"""Each call decided by a policy: what it asks, and why."""

from _collections_abc import Sequence

from execpolicy.engine.decide import decide
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError
from execpolicy.model.operation import Access, Connect, Exec, Operation
from execpolicy.model.verdict import JudgedOperation, Match, Source, Verdict
from execpolicy.places.blind import Empty
from execpolicy.places.resolver import Resolver
from execpolicy.replay.requests import ReplayCall, there
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

FIELDS = ("decision", "confined")


class AskReason(Value):
    """Why something asks: the program with its sub-command, or what it is in the place of one, and
    the effects or the place."""

    program: str
    what: str

    def __str__(self) -> str:
        return f"{self.program} [{self.what}]"


class ReplayVerdict(Value):
    """What a policy says of a call. `reasons` are those of what is not allowed."""

    decision: Decision
    reason: str = ""
    reasons: tuple[AskReason, ...] = ()
    places: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether the user is asked."""
        return self.decision is Decision.PROMPT


class Judge:
    """A policy over the calls of a log. Equal calls are decided once.

    `field` is the decision that counts: as it is, or in the sandbox.
    """

    def __init__(
        self, snapshot: "Snapshot", calls: "Sequence[ReplayCall]", field: str, disk: "Resolver"
    ) -> None:
        self.snapshot = snapshot
        self.confined = field == FIELDS[1]
        self._disk = disk
        self._elsewhere = Empty(there(calls))
        self._known: dict[object, ReplayVerdict] = {}

    def verdict(self, each: ReplayCall, snapshot: "Snapshot | None" = None) -> Verdict:
        """The whole verdict, under the policy or another one. Raises `RequestError`."""
        used = snapshot or self.snapshot
        if each.home is None:
            return decide(each.request, used, self._disk)
        return decide(each.request, used.replace(home=each.home), self._elsewhere)

    def of(self, each: ReplayCall) -> ReplayVerdict:
        """What is said of a call. One that is not a valid request asks."""
        key = each.request.replace(session=None, agent=None), each.home
        found = self._known.get(key)
        if found is None:
            try:
                found = self.brief(self.verdict(each))
            except RequestError as error:
                found = ReplayVerdict(Decision.PROMPT, str(error), (AskReason("(request)", ""),))
            self._known[key] = found
        return found

    def decision(self, verdict: Verdict) -> Decision:
        """The decision that counts."""
        return verdict.confined if self.confined else verdict.decision

    def brief(self, verdict: Verdict) -> ReplayVerdict:
        """What of a verdict is counted."""
        decision = self.decision(verdict)
        places = dict.fromkeys(p for j in verdict.judged for m in j.matches for p in m.places)
        if decision is Decision.ALLOW:
            return ReplayVerdict(decision, places=tuple(places))
        found = [self._reason(one) for one in verdict.operations]
        reasons = tuple(dict.fromkeys(reason for reason in found if reason is not None))
        return ReplayVerdict(decision, verdict.reason, reasons, tuple(places))

    def asking(self, one: JudgedOperation) -> list[Match]:
        """The matches that do not allow an operation."""
        return [m for m in one.matches if (m.in_sandbox if self.confined else m.decision)]

    def _reason(self, one: JudgedOperation) -> AskReason | None:
        asking = self.asking(one)
        if not asking:
            return None
        effects = dict.fromkeys(e for match in asking for e in match.effects)
        places = dict.fromkeys(p for m in asking for p in m.places if m.source is Source.PLACE)
        sources = dict.fromkeys(str(match.source) for match in asking)
        what = "+".join(effects or places or sources)
        return AskReason(subject(one.operation), what)


def subject(operation: Operation) -> str:
    """The program and the word after it, or what is touched without one."""
    if isinstance(operation, Exec):
        words = [word if isinstance(word, str) else "$…" for word in operation.argv[:2]]
        second = words[1] if len(words) > 1 else ""
        named = second[:1].isalpha() and second.replace("-", "").isalnum() and len(second) < 20
        return f"{words[0].rpartition('/')[2]} {second}" if named else words[0].rpartition("/")[2]
    if isinstance(operation, Access):
        return f"({operation.mode} a file)"
    if isinstance(operation, Connect):
        return "(connect)"
    return "(not understood)"
