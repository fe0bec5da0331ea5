"""Confined runs that were killed: the next process finishes them before it does anything else."""

import os

from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.store.snapshot import Snapshot


def is_left() -> bool:
    """Whether there is anything for `finish` to do: of a run or a session whose process is gone."""
    state = directories.state()
    runs = (name.partition("-")[2].partition(".")[0] for name in _names(f"{state}/runs"))
    sessions = (name.rpartition("-")[0] for name in _names(f"{state}/shared"))
    names = {*runs, *sessions}
    if not names:
        return False
    from execpolicy.support import processes

    return not all(map(processes.lives, names))


def _names(directory: str) -> "list[str]":
    try:
        return os.listdir(directory)
    except OSError:
        return []


def finish(snapshot: "Snapshot", quiet: bool = False) -> None:
    """Move away what killed runs left under protected names, and say so unless `quiet`.

    Whatever goes wrong there is no reason to fail: the journals and the directories stay for
    another process. No decision depends on it, so that none of it is noted.
    """
    from execpolicy.support import watching

    with watching.Aside():
        _tried(_end_sessions)
        _tried(lambda: _finish_runs(snapshot, quiet))


def _tried(work: "Callable[[], None]") -> None:
    """Do what commands may have made impossible, whatever they thought of."""
    try:
        work()
    except Exception:
        return


def _end_sessions() -> None:
    if os.path.lexists(os.path.join(directories.state(), "shared")):
        from execpolicy.sandbox.session.directory import sweep

        sweep()


def _finish_runs(snapshot: "Snapshot", quiet: bool) -> None:
    if not os.listdir(os.path.join(directories.state(), "runs")):
        return
    from execpolicy.store import runs

    for path, data in runs.abandoned():
        from execpolicy.sandbox.leftovers.journal import finished

        moved = finished(path, data, snapshot)
        if moved and not quiet:
            from execpolicy.commands.afterwards import tell_moved

            tell_moved(moved)
