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
    from execpolicy.sandbox.prepare import SurveyInput


DYING = 0.05
"""Seconds for what a killed sandbox held to be gone: its lock goes a moment earlier."""


def text_of(job: "Job") -> bytes:
    """What a run may not leave, as it is written down."""
    around = job.around
    around.written = around.written or _written(job)
    mounts = encode([[m.path, int(m.wall)] for m in job.plan.mounts])
    return b'{"mounts": %b, %b' % (mounts.encode(), around.written[1:])


def _written(job: "Job") -> bytes:
    """What of that is the same for all runs that what lies around is looked at for once: `closed`
    are directories that were not looked into, `noted` the protected names that were there."""
    from execpolicy.sandbox.leftovers.kept_scene import plain_of

    held = {
        "scene": plain_of(job.around.scene),
        "closed": [*job.around.closed],
        "noted": [[getattr(one, f) for f in type(one).__fields__] for one in job.noted.values()],
    }
    return encode(held).encode()


def scene_in(text: bytes) -> "SurveyInput":
    """Where the run of a journal worked, and which names mattered there by the rules it had."""
    import json

    from execpolicy.sandbox.leftovers.kept_scene import scene_of

    return scene_of(json.loads(text)["scene"])


def finished(journal: str, data: bytes) -> "tuple[list[Moved], tuple[str, ...]]":
    """Move away what a killed run left, by the rules that it had, and forget its journal.

    Gives what was moved, and sentences about what could not be: then the journal stays. One that is
    not whole is of a run that never began. Raises `OSError`, `ValueError`, `LookupError` and
    `TypeError` where a journal of another version cannot be followed.
    """
    sleep(DYING)
    moved, left = _moved(os.path.basename(journal), data)
    if not left:
        os.unlink(journal)
        os.unlink(f"{journal}{runs.LOCK}")
    return moved, left


def _moved(name: str, data: bytes) -> "tuple[list[Moved], tuple[str, ...]]":
    import json

    from execpolicy.sandbox import prepare
    from execpolicy.sandbox.leftovers.kept_scene import scene_of
    from execpolicy.sandbox.leftovers.quarantine import Quarantine, appeared
    from execpolicy.sandbox.scan.protected_path import ProtectedPath

    try:
        held = json.loads(data)
    except ValueError:
        return [], ()
    noted = {one[0]: ProtectedPath(*one) for one in held["noted"]}
    mounts = [Mount(path, Wall(wall), "") for path, wall in held["mounts"]]
    quarantine = Quarantine(name)
    try:
        scene = scene_of(held["scene"])
        now = prepare.rescan(scene, quarantine.openings, held["closed"]).noted
        left = quarantine.take_all(appeared(noted, now, mounts))
        quarantine.restore(noted.values())
    finally:
        quarantine.openings.close()
    return quarantine.moved, left
