"""Confined runs that were killed: the next process finishes them before it does anything else."""

import os

from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.store.snapshot import Snapshot


def finish(snapshot: "Snapshot", quiet: bool = False) -> None:
    """Move away what killed runs left under protected names, and say so unless `quiet`.

    A disk that refuses is no reason to fail: the journals stay for another process.
    """
    try:
        if os.path.lexists(os.path.join(directories.state(), "shared")):
            from execpolicy.sandbox.session.directory import sweep

            sweep()
        if not os.listdir(os.path.join(directories.state(), "runs")):
            return
        from execpolicy.store import runs

        for path, data in runs.abandoned():
            from execpolicy.sandbox.journal import finished

            moved = finished(path, data, snapshot)
            if moved and not quiet:
                from execpolicy.commands.afterwards import tell_moved

                tell_moved(moved)
    except OSError:
        return
