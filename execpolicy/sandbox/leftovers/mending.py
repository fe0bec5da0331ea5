"""Covers again what another process put in the place of a covered path, while the run goes on."""

import os
from _collections_abc import Iterable

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends import halted, mounts
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.walls import Mount
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TRIES = 3


class Mended(Value):
    """What came of it: why the run may not go on, and what else the user has to know, in whole
    sentences."""

    lost: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def mended(job: "Job", init: int, paths: "Iterable[str]", still: halted.Halted) -> Mended:
    """Cover what stands at these paths, in the run with this first process.

    Nothing inside runs meanwhile, as `still` has it. What a process has open is open to it: of the
    project that ends the run, elsewhere it ends the process.
    """
    stand = _stand(job, paths)
    if not stand:
        return Mended()
    lost, told = [], []
    covered = _covered(init, stand)
    for mount, done in zip(stand, covered, strict=True):
        users = [] if mount.pin else still.users(mount.path)
        if done and not users and (still.whole or mount.pin):
            continue
        if any(below(mount.path, place) for place in job.around.places):
            lost.append(_lost(mount, done=done))
        else:
            halted.end(users)
            told += _report(mount, done=done, users=users)
    return Mended(tuple(lost), tuple(told))


def _stand(job: "Job", paths: "Iterable[str]") -> "list[Mount]":
    """The covers of those of these paths where something stands now."""
    known = {mount.path: mount for mount in job.plan.mounts}
    return [known[path] for path in paths if path in known and os.path.lexists(path)]


def _covered(init: int, stand: "list[Mount]") -> "list[bool]":
    """Which have a cover now. What is replaced once more meanwhile takes another try."""
    covered = mounts.cover(init, stand)
    for _ in range(TRIES):
        left = [at for at, done in enumerate(covered) if not done]
        if not left:
            break
        for at, done in zip(left, mounts.cover(init, [stand[at] for at in left]), strict=True):
            covered[at] = done
    return covered


def _lost(mount: "Mount", *, done: bool) -> str:
    path = printable(mount.path, 200)
    why = "the command had open what stands there now" if done else "it cannot be covered again"
    return (
        f"`{path}` was replaced by another process and {why}: the run was ended; look at it before "
        "you use it"
    )


def _report(mount: "Mount", *, done: bool, users: "list[int]") -> "list[str]":
    path, found = printable(mount.path, 200), []
    if users:
        found.append(f"`{path}` was replaced, and what had it open inside was ended")
    if not done:
        found.append(f"`{path}` was replaced and cannot be covered again: the command can read it")
    return found
