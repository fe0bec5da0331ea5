"""Covers again what another process put in the place of a covered path, while the run goes on."""

import os

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends import halted, mounts
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.walls import Mount


class Mended(Value):
    """What came of it: why the run may not go on, and what else the user has to know, in whole
    sentences."""

    lost: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


def mended(job: "Job", init: int, paths: "Iterable[str]") -> Mended:
    """Cover what stands at these paths, in the run with this first process.

    Nothing inside runs meanwhile. What a process has open is open to it: of the project that ends
    the run, elsewhere it ends the process.
    """
    known = {mount.path: mount for mount in job.plan.mounts}
    stand = [known[path] for path in paths if path in known and os.path.lexists(path)]
    if not stand:
        return Mended()
    lost, told = [], []
    with halted.Halted(init) as still:
        for mount, done in zip(stand, mounts.cover(init, stand), strict=True):
            users = [] if mount.pin else still.users(mount.path)
            if done and not users and (still.whole or mount.pin):
                continue
            if any(below(mount.path, place) for place in job.around.places):
                lost.append(_lost(mount, done))
            else:
                halted.end(users)
                told += _told(mount, done, users)
    return Mended(tuple(lost), tuple(told))


def _lost(mount: "Mount", done: bool) -> str:
    path = printable(mount.path, 200)
    why = "the command had open what stands there now" if done else "it cannot be covered again"
    return (
        f"`{path}` was replaced by another process and {why}: the run was ended; look at it before "
        "you use it"
    )


def _told(mount: "Mount", done: bool, users: "list[int]") -> "list[str]":
    path, found = printable(mount.path, 200), []
    if users:
        found.append(f"`{path}` was replaced, and what had it open inside was ended")
    if not done:
        found.append(f"`{path}` was replaced and cannot be covered again: the command can read it")
    return found
