"""Learning from half of the sessions, and what that settles in the other half."""

from collections.abc import Sequence

from execpolicy.replay.learn.learner import Learned, Learner
from execpolicy.replay.requests import ReplayCall
from execpolicy.support.record import Value


class HoldoutRow(Value):
    """So many rules, and how many of the calls that ask they settle in both halves."""

    rules: int
    seen: int
    unseen: int


class Holdout(Value):
    """The rows, and how many calls ask in both halves."""

    rows: tuple[HoldoutRow, ...]
    seen: int
    unseen: int


def halves(calls: Sequence[ReplayCall]) -> tuple[list[ReplayCall], list[ReplayCall]]:
    """The calls of every other session of each project, in the order of time, and the others."""
    sessions: dict[str, dict[str, int]] = {}
    found: tuple[list[ReplayCall], list[ReplayCall]] = ([], [])
    for each in calls:
        known = sessions.setdefault(each.project, {})
        number = known.setdefault(each.call.session, len(known))
        found[number % 2].append(each)
    return found


def measure(learned: Learned, seen: Learner, unseen: Learner) -> Holdout:
    """What the first rules settle, for some numbers of them."""
    count = len(learned.steps)
    steps = [n for n in (1, 2, 5, 10, 15, 20, 30, 50) if n < count] + [count] * bool(count)
    rows = []
    for number in steps:
        rules = learned.rules[:number]
        settled = sum(step.settled for step in learned.steps[:number])
        rows.append(HoldoutRow(number, settled, unseen.settles(rules)))
    asked = (sum(len(q.calls) for q in half.questions) for half in (seen, unseen))
    return Holdout(tuple(rows), *asked)
