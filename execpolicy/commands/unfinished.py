"""Confined runs that were killed: the next process finishes them before it does anything else."""

import os
from _collections_abc import Callable

from execpolicy.support import directories


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


def finish() -> None:
    """Move away what killed runs left under protected names, by the rules they had, and say so.

    Whatever goes wrong there is no reason to fail: the journals and the directories stay for
    another process, which is told of a journal. No decision depends on it, so that none of it is
    noted.
    """
    from execpolicy.support import watching

    with watching.Aside():
        _tried(_end_sessions)
        _tried(_finish_runs)


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


def _finish_runs() -> None:
    if not os.listdir(os.path.join(directories.state(), "runs")):
        return
    from execpolicy.store import runs

    for path, data in runs.abandoned():
        _finish_one(path, data)


def _finish_one(path: str, data: bytes) -> None:
    """One journal: the others do not wait for what cannot be finished."""
    from execpolicy.commands.afterwards import tell_moved, tell_problems
    from execpolicy.commands.exit_codes import say
    from execpolicy.model.errors import printable
    from execpolicy.sandbox.leftovers.journal import finished

    try:
        moved, problems = finished(path, data)
    except Exception as error:
        where, why = printable(path, 200), printable(str(error), 200)
        say(f"a run was killed, and what it left cannot be looked for ({why}): see `{where}`")
        return
    tell_moved(moved)
    tell_problems(problems)
