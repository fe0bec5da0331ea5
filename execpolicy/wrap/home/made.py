"""What an agent writes at its start into directories that a session only reads: made before it."""

import os
from _collections_abc import Iterator
from contextlib import suppress

from execpolicy.hosts.agents.agent import AgentEntry

_DIRECTORY = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def make(entry: AgentEntry, home: str, cwd: str, root: str) -> None:
    """Write the files of the entry that are not there, into directories that are.

    Each is what the agent itself writes there without a session. None is written through a link.
    """
    for path, text in entry.made:
        folder, _, name = path.rpartition("/")
        tops = (home,) if path.startswith("~/") else _up(cwd, root)
        for top in tops:
            with suppress(OSError):  # where the agent could not write it either
                _write(os.path.join(top, folder.removeprefix("~/")), name, text)


def _up(cwd: str, root: str) -> "Iterator[str]":
    """A directory, and each above it to this one."""
    while cwd != root and cwd.startswith(f"{root}/"):
        yield cwd
        cwd = os.path.dirname(cwd)
    yield root


def _write(folder: str, name: str, text: str) -> None:
    opened = os.open(folder, _DIRECTORY)
    try:
        made = os.open(name, _NEW, 0o644, dir_fd=opened)
    finally:
        os.close(opened)
    with open(made, "w", encoding="utf-8") as file:
        file.write(text)
