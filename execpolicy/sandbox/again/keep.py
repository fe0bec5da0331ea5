"""Keeps a run that was decided about and prepared, with all that this depended on.

What is kept is plain data, under a digest of how the process began (`store.repeat.answers.key`):
what a launcher needs, so that `recall` has nothing to work out, and the whole job beside it.
"""

from execpolicy.sandbox.again.recall import MAX_LOOKS, SESSION, name
from execpolicy.sandbox.again.whole import plain, plain_of
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers import journal
from execpolicy.sandbox.session.directory import real_base
from execpolicy.sandbox.session.session import sharing
from execpolicy.sandbox.walls import Wall
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import listings
from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.looks import without_implied
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.sandbox.again.recall import Begins
    from execpolicy.sandbox.again.whole import Plain
    from execpolicy.store.repeat.looks import Look


class Kept(Value):
    """A run that may begin as it is: it is allowed and needs no answer of the user.

    `writes_git` and `refusal` are what it does with git (`look.git.GitUse`). `session` and `status`
    are the numbers that its words name of a process and of a descriptor. `digest` is that of the
    rules, if they let some connections through. `changes`: it may change files. `logged` are its
    lines in the log.
    """

    job: Job
    writes_git: bool
    refusal: str
    session: str | None
    status: str | None
    digest: str = ""
    changes: bool = True
    logged: tuple[Logged, ...] = ()


def keep(mark: str, kept: Kept, looks: "Sequence[Look]", settled: int) -> None:
    """Keep a run with the looks that it depends on. `settled`: see `listings.split`."""
    looks = without_implied(looks)
    if len(looks) > MAX_LOOKS:
        return
    job = kept.job
    others, listed = listings.split(looks, settled)
    places = job.around.places
    more = kept.writes_git, kept.refusal, kept.session, kept.status, kept.digest, kept.changes
    value = (
        _begins(job),
        plain_of(job),
        (more, tuple(map(plain, kept.logged))),
        tuple((path, tuple(map(plain, found))) for path, found in job.links),
        *_parted(others, [_lies(look[1], places) for look in others]),
        *_parted(listed, [_lies(listing[0], places) for listing in listed]),
    )
    cache.write(name(mark), mark, value, durable=False)


def _begins(job: Job) -> "Begins":
    """What a launcher needs: for a run of its own, and for one in the session that it is called in.

    None in the place of the options where these are another program's business, too.
    """
    shared = sharing(job.plan, SESSION)
    made = any(mount.wall is Wall.COPY for mount in job.plan.mounts)
    launches = None if made else (rendered(job.plan).options, rendered(shared).options)
    text = journal.text_of(job.replace(plan=shared)) if job.writes else b""
    return launches, rendered(job.plan).rules, bool(shared.temporary), real_base(), text


def _parted(every: "Sequence[object]", inside: "Iterable[bool]") -> "tuple[Plain, Plain]":
    """Those elsewhere, and those inside."""
    found: tuple[list[object], list[object]] = [], []
    for one, lies in zip(every, inside, strict=True):
        found[lies].append(one)
    return tuple(found[0]), tuple(found[1])


def _lies(path: str, places: tuple[str, ...]) -> bool:
    return any(below(path, place) for place in places)
