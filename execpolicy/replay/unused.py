"""Rules in force that a log does not use."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from execpolicy.model.errors import RequestError
from execpolicy.replay.judge import Judge
from execpolicy.replay.requests import ReplayCall
from execpolicy.support.resources import BUILTIN


def unused(judge: Judge, calls: Sequence[ReplayCall], days: int) -> Iterator[str]:
    """Where each rule stands that matched no call of the last days before the log's end.

    None where the log does not go back so far: then nothing is known.
    """
    dated = [(day, each) for each in calls if (day := _day(each)) is not None]
    if not dated:
        return
    last = max(day for day, _ in dated)
    since = last - timedelta(days=days)
    if min(day for day, _ in dated) > since:
        return
    used = set[str]()
    seen = set[object]()
    for day, each in dated:
        key = each.request.replace(session=None, agent=None)
        if day < since or key in seen:
            continue
        seen.add(key)
        try:
            matches = judge.verdict(each).matches
        except RequestError:
            continue
        used |= {str(match.origin) for match in matches if match.origin}
    written = [r.origin for r in judge.snapshot.policy.rules if r.origin.layer != BUILTIN]
    yield from (origin for origin in dict.fromkeys(map(str, written)) if origin not in used)


def _day(each: ReplayCall) -> date | None:
    try:
        return date.fromisoformat(each.call.time[:10])
    except ValueError:
        return None
