"""What is written down before a run, so that another process can finish it."""

import os
from time import sleep

from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.store import runs
from execpolicy.support.json_encode import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.quarantine import Moved
    from execpolicy.store.snapshot import Snapshot


DYING = 0.05
"""Seconds for what a killed sandbox held to be gone: its lock goes a moment earlier."""


def text_of(job: "Job") -> bytes:
    """What a run may not leave, as it is written down."""
    held = {
        "cwd": job.plan.cwd,
        "roots": [*job.around.roots],
        "closed": [*job.around.closed],
        "mounts": [[m.path, int(m.wall)] for m in job.plan.mounts],
        "noted": [[getattr(one, f) for f in type(one).__fields__] for one in job.noted.values()],
    }
    return encode(held).encode()


def finished(journal: str, data: bytes, snapshot: "Snapshot") -> "list[Moved]":
    """Move away what a killed run left, by the rules of this moment, and forget its journal.

    A journal that is not whole is of a run that never began. Raises `OSError`.
    """
    sleep(DYING)
    moved = _moved(os.path.basename(journal), data, snapshot)
    os.unlink(journal)
    os.unlink(f"{journal}{runs.LOCK}")
    return moved


def _moved(name: str, data: bytes, snapshot: "Snapshot") -> "list[Moved]":
    import json

    from execpolicy.sandbox import prepare
    from execpolicy.sandbox.leftovers.quarantine import Quarantine, appeared
    from execpolicy.sandbox.look.noted import Noted

    try:
        held = json.loads(data)
    except ValueError:
        return []
    noted = {one[0]: Noted(*one) for one in held["noted"]}
    mounts = [Mount(path, Wall(wall), "") for path, wall in held["mounts"]]
    scene = prepare.scene(snapshot.policy, held["cwd"])
    scene = scene.replace(roots=tuple(root for root in held["roots"] if os.path.isdir(root)))
    quarantine = Quarantine(name)
    try:
        now = prepare.look_again(scene, quarantine.openings, held["closed"]).noted
        for path in appeared(noted, now, mounts):
            quarantine.take(path)
        quarantine.restore(noted.values())
    finally:
        quarantine.openings.close()
    return quarantine.moved
