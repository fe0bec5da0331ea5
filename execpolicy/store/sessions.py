"""The root of each session, kept from its first call on: it never follows a change of directory.

One small file a session, in the state directory, named by a digest of the host and its session.
"""

import os

from execpolicy.store.sources.files import is_mine, private_directory, replace
from execpolicy.support import digest, directories, watching

MAX_SESSIONS = 512
MAX_BYTES = 8192
LOOK = "session"
"""The kind of the look at a session's file (`store.repeat.looks`)."""


def root(host: str, session: str, first: str) -> str:
    """The root kept for this session; `first`, from now on, where there is none yet.

    A disk that refuses is no reason to fail: then each call has the root of its own directory.

    The file is as young as the session when its first answers are kept, so that these go by the
    text, and not by the times of the file.
    """
    directory = os.path.join(directories.state(), "sessions")
    name = digest.of_parts([host.encode(), session.encode("utf-8", "surrogatepass")])[:32]
    path = os.path.join(directory, name)
    with watching.Aside():
        kept = read(path)
        if kept is None and _write(path, first):
            kept = first
    watching.tell(LOOK, path, kept)
    return first if kept is None else kept


def _write(path: str, text: str) -> bool:
    """Whether the file now has this text."""
    directory = os.path.dirname(path)
    try:
        private_directory(directories.state())
        private_directory(directory)
        if not is_mine(directory):
            return False
        _forget(directory)
        replace(path, text.encode("utf-8", "surrogateescape"), 0o600)
    except OSError:
        return False
    return read(path) == text


def read(path: str) -> str | None:
    """The root that is kept at a path; None where there is none, or another user's."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not is_mine(descriptor):
            return None
        text = os.read(descriptor, MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return text if text[:1] == "/" else None


def _forget(directory: str) -> None:
    """Remove the files of the sessions that began longest ago. Raises `OSError`."""
    entries = list(os.scandir(directory))
    if len(entries) < MAX_SESSIONS:
        return
    entries.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime)
    for entry in entries[: len(entries) - MAX_SESSIONS // 2]:
        os.unlink(entry)
