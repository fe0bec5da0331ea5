"""What would allow a request is worked out once, when it is looked at."""

import copy
import pickle

from execpolicy.engine.engine import Engine
from execpolicy.model.decision import Decision
from execpolicy.model.verdict import NOTHING, Amendment, LazyAmendments, Proposed, Verdict

PUSH = Amendment(("git", "push"), 'prefix_rule(["git", "push"], decision = "allow")')


def test_it_is_worked_out_once() -> None:
    asked: list[int] = []

    def work() -> Proposed:
        asked.append(1)
        return Proposed((PUSH,))

    verdict = Verdict(Decision.PROMPT, floor="why", proposal=LazyAmendments(work))
    assert asked == []
    assert verdict.amendments == verdict.amendments == (PUSH,)
    assert asked == [1]


def test_verdicts_with_the_same_proposal_are_equal() -> None:
    one, other = (
        Verdict(Decision.PROMPT, floor="why", proposal=LazyAmendments.of((PUSH,))) for _ in "ab"
    )
    assert one == other
    assert hash(one) == hash(other)
    assert one != Verdict(Decision.PROMPT, floor="why")
    assert LazyAmendments.of(()) == NOTHING


def test_a_verdict_can_be_copied_and_kept() -> None:
    verdict = Engine.load(rules=[]).check("git push")
    kept = pickle.loads(pickle.dumps(verdict))  # noqa: S301 — of this very test
    assert kept.amendments == copy.deepcopy(verdict).amendments == verdict.amendments
    assert [a.pattern for a in kept.amendments] == [("git", "push")]
    assert "git" in repr(kept)
