"""What a policy asks of a log: counts by session, program and reason, and what changes."""

from collections import Counter
from collections.abc import Iterable, Sequence

from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.model.decision import Decision
from execpolicy.replay.judge import Judge, ReplayVerdict
from execpolicy.replay.requests import ReplayCall
from execpolicy.support.record import Value


class Tally(Value):
    """How many calls pass, ask and are forbidden."""

    passed: int = 0
    asked: int = 0
    forbidden: int = 0

    @property
    def calls(self) -> int:
        """The number of calls."""
        return self.passed + self.asked + self.forbidden

    @staticmethod
    def of(verdicts: Iterable[ReplayVerdict]) -> "Tally":
        """The counts of some verdicts."""
        counts = Counter(verdict.decision for verdict in verdicts)
        return Tally(counts[Decision.ALLOW], counts[Decision.PROMPT], counts[Decision.FORBIDDEN])

    def wire(self) -> dict[str, int]:
        """The counts by their names."""
        return {"passed": self.passed, "asked": self.asked, "forbidden": self.forbidden}


class ReasonCount(Value):
    """How often a reason asks: calls, sessions, and one of the calls."""

    reason: str
    calls: int
    sessions: int
    example: str


class ReplayChange(Value):
    """A call that two policies decide differently, and how often it is there."""

    before: Decision
    after: Decision
    text: str
    times: int
    reason: str

    @property
    def is_looser(self) -> bool:
        """Whether the later policy is the looser."""
        return self.after < self.before


class ReplaySummary(Value):
    """All that is told about a log. Sessions and programs come with the most questions first.

    `programs`: how many calls ask for a reason that names the program; `places`: how many touch a
    class of places; `days`: by date, without calls whose time is not known; `opened`: calls that a
    person refused when the agent made them, and that this policy would allow.
    """

    tally: Tally
    sessions: tuple[tuple[str, Tally], ...]
    programs: tuple[tuple[str, int], ...]
    reasons: tuple[ReasonCount, ...]
    agents: tuple[tuple[str, Tally], ...]
    days: tuple[tuple[str, Tally], ...]
    places: tuple[tuple[str, int], ...]
    opened: tuple[ReplayCall, ...]

    @property
    def median(self) -> float:
        """The median number of questions of a session."""
        return self.quantile(0.5)

    def quantile(self, share: float) -> float:
        """How many questions a session has at most, in this share of the sessions, interpolated."""
        counts = sorted(tally.asked for _, tally in self.sessions)
        if not counts:
            return 0
        at = share * (len(counts) - 1)
        low = int(at)
        high = min(low + 1, len(counts) - 1)
        return counts[low] + (counts[high] - counts[low]) * (at - low)


def summary(judge: Judge, calls: Sequence[ReplayCall]) -> ReplaySummary:
    """What a policy says of calls."""
    verdicts = [judge.of(each) for each in calls]
    pairs = list(zip(calls, verdicts, strict=True))
    reasons: dict[str, list[ReplayCall]] = {}
    programs: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for each, verdict in pairs:
        places.update(verdict.places)
        for reason in dict.fromkeys(map(str, verdict.reasons)):
            reasons.setdefault(reason, []).append(each)
        programs.update({reason.program.partition(" ")[0] for reason in verdict.reasons})
    counted = [
        ReasonCount(reason, len(of), len({c.call.session for c in of}), of[0].call.shown)
        for reason, of in reasons.items()
    ]
    counted.sort(key=lambda each: (-each.calls, each.reason))
    opened = [each for each, verdict in pairs if _is_opened(each, verdict)]
    return ReplaySummary(
        Tally.of(verdicts),
        tuple(sorted(_by(pairs, "session"), key=lambda each: (-each[1].asked, each[0]))),
        _most_first(programs),
        tuple(counted),
        tuple(sorted(_by(pairs, "agent"))),
        tuple(sorted((day, tally) for day, tally in _by(pairs, "time") if day)),
        _most_first(places),
        tuple(opened),
    )


def _most_first(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _is_opened(each: ReplayCall, verdict: ReplayVerdict) -> bool:
    return each.call.outcome is CallOutcome.PERSON and verdict.decision is Decision.ALLOW


def _by(pairs: Sequence[tuple[ReplayCall, ReplayVerdict]], field: str) -> list[tuple[str, Tally]]:
    groups: dict[str, list[ReplayVerdict]] = {}
    for each, verdict in pairs:
        value = str(getattr(each.call, field))
        groups.setdefault(value[:10] if field == "time" else value, []).append(verdict)
    return [(name, Tally.of(of)) for name, of in groups.items()]


def changes(before: Judge, after: Judge, calls: Sequence[ReplayCall]) -> tuple[ReplayChange, ...]:
    """The calls that `after` decides differently: first what it loosens, then the most frequent."""
    found: Counter[tuple[Decision, Decision, str, str]] = Counter()
    for each in calls:
        old, new = before.of(each), after.of(each)
        if old.decision is not new.decision:
            reason = (new if new.decision > old.decision else old).reason  # the stricter one's
            found[old.decision, new.decision, each.call.shown, reason] += 1
    listed = [ReplayChange(o, n, text, times, why) for (o, n, text, why), times in found.items()]
    return tuple(sorted(listed, key=lambda c: (not c.is_looser, -c.times, c.text)))
