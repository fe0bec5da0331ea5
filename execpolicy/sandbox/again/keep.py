"""Keeps a run that was decided about and prepared, with all that this depended on.

What is kept is plain data, under a digest of how the process began (`store.repeat.answers.key`):
what a launcher needs, so that `recall` has nothing to work out, and the whole job beside it.
"""

from _collections_abc import Sequence

from execpolicy.sandbox.again.form import About, KeptRun, KeptStart, Seen, plain, written
from execpolicy.sandbox.again.recall import MAX_LOOKS, SESSION, name
from execpolicy.sandbox.again.whole import plan_of, surroundings_of
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers import journal
from execpolicy.sandbox.session.directory import real_base
from execpolicy.sandbox.session.session import sharing
from execpolicy.sandbox.walls import Wall
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import listings
from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.listings import Names
from execpolicy.store.repeat.looks import WALKED, Look, without_implied
from execpolicy.support.path_match import below
from execpolicy.support.record import Value


class Kept(Value):
    """A run that may begin as it is, with its lines in the log."""

    job: Job
    about: About
    logged: tuple[Logged, ...] = ()


def keep(mark: str, kept: Kept, looks: "Sequence[Look]", settled: int) -> None:
    """Keep a run with the looks that it depends on. `settled`: see `listings.split`."""
    looks = without_implied(looks)
    if len(looks) > MAX_LOOKS:
        return
    job = kept.job
    names = job.around.scene.index.names(job.around.places)
    run = KeptRun(
        _start(job),
        plan_of(job.plan),
        surroundings_of(job),
        kept.about,
        tuple(map(plain, kept.logged)),
        tuple((path, tuple(map(plain, found))) for path, found in job.links),
        *_parted(looks, settled, job.around.places, names),
        names,
    )
    cache.write(name(mark), mark, written(run), durable=False)


def _start(job: Job) -> KeptStart:
    shared = sharing(job.plan, SESSION)
    made = any(mount.wall is Wall.COPY for mount in job.plan.mounts)
    return KeptStart(
        alone=None if made else rendered(job.plan).options,
        shared=None if made else rendered(shared).options,
        rules=rendered(job.plan).rules,
        private=bool(shared.temporary),
        base=real_base(),
        journal=journal.text_of(job.replace(plan=shared)) if job.writes else b"",
    )


def _parted(
    looks: "Sequence[Look]", settled: int, places: tuple[str, ...], names: "Names | None"
) -> tuple[Seen, Seen]:
    """What was seen elsewhere, and what was seen in these places."""

    def seen(inside: bool) -> Seen:
        those = [look for look in looks if _lies(look[1], places) is inside]
        others, listed = listings.split(those, settled)
        others, walked = listings.split(others, settled, WALKED, names)
        rest, absent = listings.part_absent(others, settled)
        return Seen(tuple(rest), tuple(listed), tuple(absent), tuple(walked))

    return seen(False), seen(True)


def _lies(path: str, places: tuple[str, ...]) -> bool:
    return any(below(path, place) for place in places)
