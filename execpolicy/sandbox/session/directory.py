"""The directory of a session: its `/tmp`, and the runs that are in its network now.

It is this user's alone, and named by the process that the session lasts as long as, so that
the next run knows which sessions have ended, and removes what they left.
"""

import os

from execpolicy.store.repeat.looks import leads
from execpolicy.store.sources.files import private_directory
from execpolicy.support import digest, directories, processes

TEMPORARY, RUNS = "tmp", "runs"
ALONE = "alone-"
"""Begins the name of a run that is in the session, but not in its network."""
MODE = 0o1777
"""Of `/tmp` (hier(7)): everybody writes, and removes what is one's own."""


def base() -> str:
    """Where the directories of all sessions are."""
    return os.path.join(directories.state(), "shared")


def real_base() -> str:
    """The same with no link on the way to it."""
    return _led(base())


def opened(leader: str, root: str) -> str:
    """The directory of the session that lasts as long as a process, for work in one root, with no
    link on the way to it.

    Raises `OSError`.
    """
    name = digest.of_parts([root.encode("utf-8", "surrogateescape")])[:16]
    path = os.path.join(base(), f"{leader}-{name}")
    temporary = os.path.join(path, TEMPORARY)
    if not os.path.isdir(temporary):
        for one in (directories.state(), base(), path, os.path.join(path, RUNS)):
            private_directory(one)
        os.mkdir(temporary)
    if os.stat(temporary).st_mode & 0o7777 != MODE:  # new, or a command took it away from the next
        os.chmod(temporary, MODE)
    return _led(path)


def _led(path: str) -> str:
    """Where a path leads. To walk there name by name takes five times as long."""
    try:
        return leads(path)
    except OSError:  # there is nothing
        return os.path.realpath(path)


def sweep() -> None:
    """Remove the directories of sessions that have ended."""
    try:
        names = os.listdir(base())
    except OSError:
        return
    from execpolicy.sandbox.session.removal import remove

    for name in names:
        path = os.path.join(base(), name)
        if not processes.lives(name.rpartition("-")[0]) and not _lasts(path):
            remove(path)


def _lasts(path: str) -> bool:
    """Whether a run of a session goes on, though what the session belongs to has ended."""
    try:
        return any(map(_lives, os.listdir(os.path.join(path, RUNS))))
    except OSError:
        return False


def _lives(run: str) -> bool:
    number, _, rest = run.removeprefix(ALONE).partition("-")
    return processes.lives(f"{number}-{rest.partition('-')[0]}")


def begin_alone(session: str) -> str:
    """Say that a run of a session has begun that is not in its network; what to end it by."""
    name = f"{ALONE}{processes.own_name()}-{os.urandom(4).hex()}"
    path = os.path.join(session, RUNS, name)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError:
        return ""
    return path
