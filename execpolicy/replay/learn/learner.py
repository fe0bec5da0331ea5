"""The greedy choice: the rule next that settles most of what still asks, tried by the engine.

A question is settled by several rules together, so that one of them alone may settle none: what it
brings nearer counts, too, and less the more is missing. What the engine then decides is what counts
as settled. A rule is given back where by it something passes that a person refused, or that asked
for a reason which is never learned.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from execpolicy.engine.decide import examine
from execpolicy.engine.scene import Scene
from execpolicy.hosts.transcripts.call import CallOutcome
from execpolicy.model.decision import Decision
from execpolicy.model.errors import RequestError
from execpolicy.model.verdict import JudgedOperation
from execpolicy.places.blind import Empty
from execpolicy.replay.judge import Judge
from execpolicy.replay.learn.candidates import (
    Candidate,
    Family,
    Need,
    in_sandbox,
    is_never_learned,
    needs,
)
from execpolicy.replay.learn.rules import LearnedRule, with_rules
from execpolicy.replay.requests import ReplayCall, there
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

NEAR = 3
"""A rule of several that a question needs counts its share, to this power, of a whole answer."""


class Question:
    """A request that asks, with all calls that are it, and what would settle it."""

    def __init__(self, call: ReplayCall) -> None:
        self.calls = [call]
        self.needs: tuple[Need, ...] | None = None
        self.guarded: tuple[int, ...] = ()
        """The numbers of the operations that are never to pass."""

    @property
    def is_refused(self) -> bool:
        """Whether a person refused one of the calls."""
        return any(each.call.outcome is CallOutcome.PERSON for each in self.calls)


class LearnedStep(Value):
    """A rule, and the questions that it settled beside those before it, by calls."""

    rule: LearnedRule
    settled: int
    calls: tuple[ReplayCall, ...]


class Learned(Value):
    """What was learned: the rules in the order in which they settle most, and of how many calls
    that ask. `dropped` are rules that were given back."""

    steps: tuple[LearnedStep, ...]
    asked: int
    dropped: int = 0

    @property
    def rules(self) -> tuple[LearnedRule, ...]:
        """The rules alone."""
        return tuple(step.rule for step in self.steps)

    @property
    def settled(self) -> int:
        """The calls that ask no more."""
        return sum(step.settled for step in self.steps)


class Learner:
    """Learns from the calls of a judge's log."""

    def __init__(self, judge: Judge, calls: Sequence[ReplayCall], disk: object) -> None:
        self._judge = judge
        self._disk = disk
        self._elsewhere = Empty(there(calls))
        self.questions = self._questions(calls)
        self._prepare()
        refused = (each for each in calls if each.call.outcome is CallOutcome.PERSON)
        self._refused = [each for each in refused if judge.of(each).decision]
        """What passes already is no fault of a rule."""

    def _questions(self, calls: Sequence[ReplayCall]) -> list[Question]:
        found: dict[object, Question] = {}
        for each in calls:
            if not self._judge.of(each).asks:
                continue
            key = each.request.replace(session=None, agent=None), each.home
            if key in found:
                found[key].calls.append(each)
            else:
                found[key] = Question(each)
        return list(found.values())

    def _examined(
        self, each: ReplayCall, snapshot: Snapshot
    ) -> tuple[Scene, list[JudgedOperation]]:
        if each.home is None:
            return examine(each.request, snapshot, self._disk)  # type: ignore[arg-type]
        return examine(each.request, snapshot.replace(home=each.home), self._elsewhere)

    def _prepare(self) -> None:
        confined = self._judge.confined
        for question in self.questions:
            try:
                scene, judged = self._examined(question.calls[0], self._judge.snapshot)
            except RequestError:
                continue
            used = [in_sandbox(one) for one in judged] if confined else judged
            question.guarded = tuple(
                number
                for number, one in enumerate(used)
                if one.decision and is_never_learned(one, number, scene)
            )
            question.needs = needs(scene, judged, confined)

    def learn(self, most: int) -> Learned:
        """At most so many rules, each counted as what it is split into."""
        groups = self._groups()
        open_questions = [q for q in self.questions if q.needs is not None and not q.is_refused]
        steps: list[LearnedStep] = []
        covered: set[Family] = set()
        dropped = 0
        while (family := _best(open_questions, covered, groups.keys())) is not None:
            rule = groups.pop(family)
            if sum(len(each.parts()) for each in (*(s.rule for s in steps), rule)) > most:
                break
            covered.add(family)
            trial = with_rules(self._judge.snapshot, [*(s.rule for s in steps), rule])
            touched = [q for q in open_questions if _is_near(q, rule)]
            settled = [q for q in touched if self._passes(q.calls[0], trial)]
            if self._opens(rule, trial):
                dropped += 1
                covered.discard(family)
                continue
            done = set(map(id, settled))
            open_questions = [q for q in open_questions if id(q) not in done]
            calls = tuple(each for q in touched for each in q.calls)
            steps.append(LearnedStep(rule, sum(len(q.calls) for q in settled), calls))
        asked = sum(len(q.calls) for q in self.questions)
        return Learned(tuple(self._without_idle(steps)), asked, dropped)

    def _without_idle(self, steps: list[LearnedStep]) -> list[LearnedStep]:
        """The steps without those that settled nothing, where the rest settles as much alone."""
        for idle in [step for step in steps if not step.settled]:
            others = [step for step in steps if step is not idle]
            before = self.settles([step.rule for step in steps])
            if self.settles([step.rule for step in others]) == before:
                steps = others
        return steps

    def _groups(self) -> dict[Family, LearnedRule]:
        """The rule of each family, over all that would be settled by it, banned ones left out."""
        members: dict[Family, dict[Candidate, None]] = {}
        for question in self.questions:
            if question.needs is None or question.is_refused:
                continue
            for candidate in (c for need in question.needs for c in need):
                members.setdefault(candidate.family, {})[candidate] = None
        refused = self._refused_words()
        found: dict[Family, LearnedRule] = {}
        for family, of in members.items():
            kept = [c for c in of if c.words not in refused and family.tree not in refused]
            rule = LearnedRule.of(family, kept, self._judge.confined) if kept else None
            if rule is not None and not rule.is_banned(self._judge.snapshot):
                found[family] = rule
        return found

    def _refused_words(self) -> set[object]:
        """The words and trees of which a person refused one."""
        found: set[object] = set()
        for question in self.questions:
            if question.is_refused and question.needs is not None:
                for candidate in (c for need in question.needs for c in need):
                    found.add(candidate.words or candidate.family.tree)
        return found

    def _passes(self, each: ReplayCall, snapshot: Snapshot) -> bool:
        verdict = self._judge.verdict(each, snapshot)
        return self._judge.decision(verdict) is Decision.ALLOW

    def _opens(self, rule: LearnedRule, snapshot: Snapshot) -> bool:
        """Whether by these rules something passes that must not."""
        if any(self._passes(each, snapshot) for each in self._refused):
            return True
        guarded = [
            q for q in self.questions if q.guarded and rule.may_concern(q.calls[0].call.shown)
        ]
        return any(self._lets_guarded(question, snapshot) for question in guarded)

    def _lets_guarded(self, question: Question, snapshot: Snapshot) -> bool:
        _, judged = self._examined(question.calls[0], snapshot)
        used = [in_sandbox(one) for one in judged] if self._judge.confined else judged
        return any(n >= len(used) or not used[n].decision for n in question.guarded)

    def again(self, learned: Learned, rules: Sequence[LearnedRule]) -> Learned:
        """What was learned with these rules in the place of its own, counted anew."""
        snapshot = self._judge.snapshot
        steps: list[LearnedStep] = []
        open_questions = self.questions
        for number, rule in enumerate(rules, 1):
            trial = with_rules(snapshot, rules[:number])
            near = [q for q in self.questions if _is_near(q, rule)]
            done = [q for q in near if q in open_questions and self._passes(q.calls[0], trial)]
            settled = sum(len(q.calls) for q in done)
            open_questions = [q for q in open_questions if q not in done]
            calls = tuple(each for q in near for each in q.calls)
            steps.append(LearnedStep(rule, settled, calls))
        return Learned(tuple(steps), learned.asked, learned.dropped)

    def split(self, learned: Learned) -> Learned:
        """The same rules, each as those of which all words do the same."""
        return self.again(learned, [part for rule in learned.rules for part in rule.parts()])

    def settles(self, rules: Sequence[LearnedRule]) -> int:
        """How many calls that ask pass under rules that were learned elsewhere."""
        snapshot = with_rules(self._judge.snapshot, rules)
        passing = (q for q in self.questions if self._passes(q.calls[0], snapshot))
        return sum(len(q.calls) for q in passing)


def _best(
    questions: Sequence[Question], covered: set[Family], left: Iterable[Family]
) -> Family | None:
    """The family that brings most calls nearest to an answer."""
    usable = set(left)
    scores: Counter[Family] = Counter()
    for question in questions:
        needs = question.needs or ()
        missing = [need for need in needs if all(c.family not in covered for c in need)]
        if not missing or not all(any(c.family in usable for c in need) for need in missing):
            continue
        families = {c.family for need in missing for c in need if c.family in usable}
        for family in families:
            open_needs = sum(family not in {c.family for c in need} for need in missing)
            scores[family] += len(question.calls) * 1000 // (1 + open_needs) ** NEAR
    if not scores:
        return None
    top = max(scores.values())
    return max((f for f, n in scores.items() if n == top), key=lambda f: (len(f.tree), str(f)))


def _is_near(question: Question, rule: LearnedRule) -> bool:
    """Whether a rule is about something that a question needs."""
    every = (c for need in question.needs or () for c in need if c.family == rule.family)
    return any(not c.words or c.words[-1] in rule.words for c in every)
