"""Puts up the walls of a plan by system calls, before bubblewrap is started behind them.

bubblewrap reads the list of all mounts anew for each that it makes. Here the mounts are made in a
mount namespace of the command's own, of which bubblewrap then takes a copy: in a user namespace
below, where the kernel lets none of them be taken away or opened.

What is bound is looked up before anything is covered.
"""

import os
from _collections_abc import Sequence

from execpolicy.sandbox.backends.bubblewrap import NOTHING, SHARED_MEMORY, TEMPORARIES, TEMPORARY
from execpolicy.sandbox.backends.mounts import (
    NEW_MOUNTS,
    NO_DEVICES,
    NO_PROGRAMS,
    NO_SUID,
    READ_ONLY,
)
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.wrap.start.calls import Calls, numbers

BEHIND = (
    *("--unshare-user", "--unshare-cgroup-try", "--new-session", "--disable-userns"),
    *("--die-with-parent", "--cap-drop", "ALL", "--dev-bind", "/", "/"),
    *("--ro-bind", "/proc/sys", "/proc/sys"),
)
"""What is left to bubblewrap, which writes below `/proc/sys` before it covers that."""
HERE = -100
"""AT_FDCWD."""
_EMPTY, _RECURSIVE = 0x1000, 0x8000
"""AT_EMPTY_PATH and AT_RECURSIVE."""
_CLONE, _FROM_DESCRIPTOR, _FOLLOW, _ON_DESCRIPTOR = 1, 4, 0x10, 0x40
"""OPEN_TREE_CLONE; MOVE_MOUNT_F_EMPTY_PATH, MOVE_MOUNT_T_SYMLINKS and MOVE_MOUNT_T_EMPTY_PATH."""
_NO_LINKS = 4
"""RESOLVE_NO_SYMLINKS of openat2(2)."""
_REGULAR = 0o100000
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LINKS = {
    "stdin": "/proc/self/fd/0",
    "stdout": "/proc/self/fd/1",
    "stderr": "/proc/self/fd/2",
    "fd": "/proc/self/fd",
    "core": "/proc/kcore",
    "ptmx": "pts/ptmx",
}
"""What is in `/dev`, as bubblewrap makes it."""
_HELD = NO_SUID | NO_DEVICES
"""These and `READ_ONLY` mean the same to mount(2) and mount_setattr(2)."""
_EMPTY_FILE = b"/dev/.nothing"
MAX_KNOWN = 8
_MANY = 400
"""Walls for which a process could need more descriptors than it may have open."""


def takes_walls() -> bool:
    """Whether the kernel has what puts walls up (Linux 5.12), in a process that may."""
    calls, given = Calls(), numbers(NO_SUID, 0, 0, 0)
    calls.add("mount_setattr", HERE, b"/proc", 0, given, len(given))
    try:
        calls.make()
    except OSError:
        return False
    return True


def walls_of(plan: Plan, binds: "tuple[tuple[str, str, bool], ...]") -> Calls | None:
    """What puts up the walls and binds directories at other places; None where that cannot be done
    so. Most commands of a session have the walls of an earlier one."""
    settings = plan.settings
    of = plan.mounts, plan.temporary, settings.memory, settings.temporary, binds
    for known, made in _lately:
        if known == of:
            return made
    _lately[MAX_KNOWN - 1 :] = ()
    _lately.insert(0, (of, _made(plan, binds)))
    return _lately[0][1]


_lately: "list[tuple[tuple[object, ...], Calls | None]]" = []
"""Walls that were made, each with what they depend on."""


def _made(plan: Plan, binds: "tuple[tuple[str, str, bool], ...]") -> Calls | None:
    mounts = plan.mounts
    if len(mounts) > _MANY or any(m.wall is Wall.COPY or m.content is not None for m in mounts):
        return None
    walls = _Walls(plan, binds)
    walls.add()
    return walls.calls


class _Walls:
    def __init__(self, plan: Plan, binds: "tuple[tuple[str, str, bool], ...]") -> None:
        self.calls, self._plan, self._binds = Calls(), plan, binds
        self._size = plan.settings.memory or SHARED_MEMORY
        self._made: dict[str, bool] = {}
        """Directories that are mounted anew, and whether they are to be read only."""
        self._bound: set[str] = set()
        self._walls = {mount.path: mount.wall for mount in plan.mounts}

    def add(self) -> None:
        mounts = [mount for mount in self._plan.mounts if mount.path != "/"]
        calls = self.calls
        calls.add("unshare", NEW_MOUNTS)
        calls.add("umask", 0)
        devices = [self._tree(f"/dev/{name}", NO_SUID) for name in _DEVICES]
        sources = [self._source(mount) for mount in mounts]
        bound = [
            (self._tree(source, _flags(0 if written else READ_ONLY), True, written), target)
            for source, target, written in self._binds
        ]
        self._attributes(HERE, b"/", _RECURSIVE, _flags(READ_ONLY))
        self._attributes(HERE, b"/proc", 0, 0, READ_ONLY)
        self._devices(devices)
        passed = _above([*(m.path for m in mounts), *(target for _, target in bound)])
        for mount, source in zip(mounts, sources, strict=True):
            self._mount(mount, source, mount.path in passed)
        for source, target in bound:
            self._place(source, target, True)
        self._end()

    def _source(self, mount: Mount) -> "tuple[int] | None":
        """What is bound at a path, if anything is: a copy of the mounts there."""
        path = mount.path
        if mount.target or mount.wall in (Wall.COVERED, Wall.HIDDEN):
            return None
        if mount.wall is Wall.PRIVATE:
            shared = self._plan.temporary if path == TEMPORARY else ""
            return self._tree(shared, _flags(), True, True) if shared else None
        if mount.wall is Wall.READ:
            return self._tree(path, _flags(READ_ONLY), True, self._is_written(path))
        if path.startswith("/dev/"):
            return self._tree(path, NO_SUID, True)
        return self._tree(path, _flags(), True, True)

    def _is_written(self, path: str) -> bool:
        """Whether the directory of a path is written, so that other commands may change meanwhile
        what the path leads to."""
        while path != "/":
            path = os.path.dirname(path)
            if path in self._walls:
                return self._walls[path] is Wall.WRITE
        return False

    def _mount(self, mount: Mount, source: "tuple[int] | None", passed: bool) -> None:
        path, directory = mount.path, mount.directory
        if source is not None:
            self._place(source, path, directory)
            if mount.wall is Wall.PRIVATE:
                self._bound.discard(path)
                self._made[path] = False
        elif mount.target:
            self._parents(path)
            self.calls.add("symlinkat", os.fsencode(mount.target), HERE, os.fsencode(path))
        elif mount.wall is Wall.PRIVATE:
            room = self._plan.settings.temporary if path in TEMPORARIES else None
            self._directory(path, f"mode=1777,size={room or self._size}")
        elif not directory:
            self._place(self._tree(_EMPTY_FILE.decode(), _flags(READ_ONLY)), path, False)
        elif mount.wall is Wall.COVERED or passed:
            self._directory(path, "mode=0555")
            self._made[path] = True
        else:
            self._directory(path, f"mode=0000,size={NOTHING}", READ_ONLY)

    def _tree(
        self, path: str, flags: int, whole: bool = False, strict: bool = False
    ) -> "tuple[int]":
        """A copy of the mount at a path, with all below it if `whole`; if `strict` with no link on
        the way."""
        more = _RECURSIVE if whole else 0
        at, name, empty = self._named(path, strict)
        made = self.calls.add("open_tree", at, name, _CLONE | os.O_CLOEXEC | more | empty)
        self._attributes(made, b"", _EMPTY | more, flags)
        return made

    def _named(self, path: str, strict: bool) -> "tuple[int | tuple[int], bytes, int]":
        """What names a path in a call, and the flag for that."""
        name = os.fsencode(path)
        if not strict:
            return HERE, name, 0
        how = numbers(os.O_PATH | os.O_CLOEXEC, 0, _NO_LINKS)
        return self.calls.add("openat2", HERE, name, how, len(how)), b"", _EMPTY

    def _attributes(
        self, at: "int | tuple[int]", path: bytes, how: int, flags: int, without: int = 0
    ) -> None:
        given = numbers(flags, without, 0, 0)
        self.calls.add("mount_setattr", at, path, how, given, len(given))

    def _place(self, source: "tuple[int]", path: str, directory: bool) -> None:
        self._parents(path)
        if self._is_made(path):
            self._point(path, directory)
        self._bound.add(path)
        at, name, empty = self._named(path, self._is_written(path))
        how = _FROM_DESCRIPTOR | (_ON_DESCRIPTOR if empty else _FOLLOW)
        self.calls.add("move_mount", source, b"", at, name, how)

    def _directory(self, path: str, options: str, more: int = 0) -> None:
        """Mount a new directory."""
        self._parents(path)
        if self._is_made(path):
            self._point(path, True)
        kind, where = b"tmpfs", os.fsencode(path)
        self.calls.add("mount", kind, where, kind, _HELD | more, options.encode())
        self._made.setdefault(path, False)

    def _is_made(self, path: str) -> bool:
        """Whether what is around a path was mounted anew, so that there is nothing yet."""
        while path != "/":
            path = os.path.dirname(path)
            if path in self._made or path in self._bound:
                return path in self._made
        return False

    def _parents(self, path: str) -> None:
        """Make the directories above a path that a new directory has not."""
        above = os.path.dirname(path)
        if above not in self._made and above not in self._bound and self._is_made(above):
            self._parents(above)
            self._point(above, True)

    def _point(self, path: str, directory: bool) -> None:
        """Make what something is mounted on."""
        how = ("mkdirat", 0o700) if directory else ("mknodat", _REGULAR | 0o666)
        self.calls.add(how[0], HERE, os.fsencode(path), how[1], may_fail=True)

    def _devices(self, devices: "Sequence[tuple[int]]") -> None:
        """Make a `/dev` of the command's own."""
        self._directory("/dev", "mode=0755")
        for name, device in zip(_DEVICES, devices, strict=True):
            self._place(device, f"/dev/{name}", False)
        for name, target in _LINKS.items():
            self.calls.add("symlinkat", target.encode(), HERE, f"/dev/{name}".encode())
        self.calls.add("mkdirat", HERE, b"/dev/pts", 0o755)
        kind, options = b"devpts", b"newinstance,ptmxmode=0666,mode=620"
        self.calls.add("mount", kind, b"/dev/pts", kind, NO_SUID | NO_PROGRAMS, options)
        self._directory("/dev/shm", f"mode=0755,size={self._size}")  # noqa: S108
        self.calls.add("mknodat", HERE, _EMPTY_FILE, _REGULAR)
        self._made["/dev"] = True

    def _end(self) -> None:
        """Close what is whole now."""
        self.calls.add("unlinkat", HERE, _EMPTY_FILE, 0)
        for path, read_only in self._made.items():
            if read_only:
                self._attributes(HERE, os.fsencode(path), 0, READ_ONLY)


def _flags(more: int = 0) -> int:
    return _HELD | more


def _above(paths: "Sequence[str]") -> "set[str]":
    """The directories that these lie in, however deep."""
    found: set[str] = set()
    for path in map(os.path.dirname, paths):
        while path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return found
