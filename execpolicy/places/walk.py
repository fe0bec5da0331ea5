"""Where a path leads, name by name, as the kernel walks it (path_resolution(7)).

Links are followed before a `..` after them is. What is not there yet is a name below what is; a
`..` after it leads back. Nothing is opened: a link is read, and that is all.
"""

import os
from _collections_abc import Callable

from execpolicy.places.process import owned
from execpolicy.support.record import Value

ReadLink = Callable[[str], str]

MAX_LINKS = 40
"""As many as the kernel follows (path_resolution(7))."""
MAX_NAME = 255
MAX_PATH = 4095
"""Bytes of a name, and of a path without the NUL at its end (limits.h of Linux)."""
LOOP, TOO_LONG, NOT_A_PATH, UNREADABLE = "loop", "too long", "not a path", "unreadable"
PROCESS = "process"


class Walked(Value):
    """Where a walk ended. `real` is None where there is no place, and `problem` says why."""

    real: str | None
    problem: str | None = None


def walk(path: str, read_link: "ReadLink", follow: bool = True) -> Walked:
    """Where an absolute path leads.

    `read_link` raises `OSError` for all but a link, as `os.readlink` does. Without `follow` a link
    at the very end is the place itself: so the kernel removes and renames. In the directory of a
    process no link is followed: it leads elsewhere for each that looks.
    """
    try:
        size = len(os.fsencode(path))
    except UnicodeEncodeError:
        return Walked(None, NOT_A_PATH)
    if "\0" in path or path[:1] != "/":
        return Walked(None, NOT_A_PATH)
    if size > MAX_PATH:
        return Walked(None, TOO_LONG)
    follow = follow or path.rstrip("/") != path or path.endswith(("/.", "/.."))
    return _Walk(path, read_link, follow).end()


class _Walk:
    """The state of one walk: the real directory so far, and the names that are still to come."""

    def __init__(self, path: str, read_link: "ReadLink", follow: bool) -> None:
        self._read, self._follow = read_link, follow
        self._real = ""
        self._names = _reversed(path)
        self._links = self._missing = 0

    def end(self) -> Walked:
        """Walk to the end."""
        while self._names:
            problem = self._step(self._names.pop())
            if problem:
                return Walked(None, problem)
        real = self._real or "/"
        return Walked(real, PROCESS if owned(real) else None)

    def _step(self, name: str) -> str | None:
        """Take one name; what keeps the kernel from it, or None."""
        if name == "..":
            self._real = self._real.rpartition("/")[0]
            self._missing = max(0, self._missing - 1)
            return None
        if len(os.fsencode(name)) > MAX_NAME:
            return TOO_LONG
        at = f"{self._real}/{name}"
        if self._missing or not (self._names or self._follow) or owned(at):
            self._real = at
            self._missing += bool(self._missing)
            return None
        return self._follow_link(at)

    def _follow_link(self, at: str) -> str | None:
        """Follow the link at a place if there is one."""
        try:
            target = self._read(at)
        except OSError as error:
            self._real = at
            return self._without(error)
        self._links += 1
        if self._links > MAX_LINKS:
            return LOOP
        if target[:1] == "/":
            self._real = ""
        self._names += _reversed(target)
        return None

    def _without(self, error: OSError) -> str | None:
        """What it means that there is no link to read."""
        from errno import EINVAL, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR

        if error.errno in (ENOENT, ENOTDIR):
            self._missing = 1
        elif error.errno == ELOOP:
            return LOOP
        elif error.errno == ENAMETOOLONG:
            return TOO_LONG
        elif error.errno != EINVAL:
            return UNREADABLE
        return None


def _reversed(path: str) -> list[str]:
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]
