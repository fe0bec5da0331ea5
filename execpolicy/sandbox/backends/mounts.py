"""Changes the mounts of a run from outside, by a process that enters its namespaces and ends.

bubblewrap gives up every right before the command begins. Who made the user namespace of a run has
all of them in it (user_namespaces(7)), and needs none of the machine's.
"""

import os
import time

from execpolicy.sandbox.kernel import call, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable, Sequence

    from execpolicy.sandbox.walls import Mount
else:
    import _signal

NEW_MOUNTS, NEW_USER = 0x20000, 0x10000000
"""CLONE_NEWNS and CLONE_NEWUSER of clone(2)."""
NS_GET_USERNS = 0xB701
"""ioctl_ns(2): the user namespace that owns another."""
READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS, REMOUNT = 1, 2, 4, 8, 32
BIND, RECURSIVE, PRIVATE = 4096, 1 << 14, 1 << 18
"""Of mount(2). The first four are those of statvfs(3), too."""
DETACH = 2
"""MNT_DETACH of umount2(2)."""
STAGE = b"/dev/shm"
"""A directory that every run has, where a file for a cover is made."""
_DONE, _REFUSED = b"+", b"-"
_TRIES, _BETWEEN_TRIES = 200, 0.005
"""How often, and after how many seconds, a root that changes just now is entered again."""


def keep_out(init: int) -> bool:
    """Have nothing arrive any more in the run with this first process; whether that was done.

    It holds for all mounts that the run makes later: they are copies of these. bubblewrap changes
    the root of the run meanwhile: who enters between pivot_root(2) and umount2(2) stands in a tree
    that is about to go, where nothing can be changed, and enters again.
    """
    for _ in range(_TRIES):
        if in_mount_namespace(init, [lambda: mount(None, b"/", RECURSIVE | PRIVATE)]) == [True]:
            return True
        if not has_mounts(init):
            return False
        time.sleep(_BETWEEN_TRIES)
    return False


def has_mounts(init: int) -> bool:
    """Whether a run with this first process has mounts still: one that has ended has none."""
    return os.path.exists(f"/proc/{init}/ns/mnt")


def cover(init: int, walls: "Sequence[Mount]") -> "list[bool]":
    """Put covers on what stands at these paths now, parents first; which of them have one."""
    from execpolicy.sandbox.walls import Wall

    return in_mount_namespace(init, [_covering(one, one.wall is Wall.HIDDEN) for one in walls])


def in_mount_namespace(init: int, works: "Sequence[Callable[[], object]]") -> "list[bool]":
    """Do some works where the run with this first process has its mounts; which were done."""
    load()
    read, write = os.pipe()
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
    try:
        child = os.fork()
        if child == 0:
            _do(init, works, write)
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
        os.close(write)
    try:
        with os.fdopen(read, "rb") as told:
            done = [byte == _DONE[0] for byte in told.read()]
        return done + [False] * (len(works) - len(done))
    finally:
        _forget(child)


def _forget(child: int) -> None:
    try:
        os.waitpid(child, 0)
    except ChildProcessError:  # SIGCHLD is ignored (waitpid(2))
        return


def _do(init: int, works: "Sequence[Callable[[], object]]", write: int) -> None:
    """The child's side. Never returns; of this process's signals it gets none."""
    try:
        mounts = os.open(f"/proc/{init}/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
        call("setns", call("ioctl", mounts, NS_GET_USERNS), NEW_USER)
        call("setns", mounts, NEW_MOUNTS)
        for work in works:
            os.write(write, _DONE if _is_done(work) else _REFUSED)
    finally:
        os._exit(0)


def _is_done(work: "Callable[[], object]") -> bool:
    try:
        work()
    except OSError:
        return False
    return True


def mount(source: bytes | None, target: bytes, flags: int, kind: bytes | None = None,
          data: bytes | None = None) -> None:  # fmt: skip
    """mount(2). Raises `OSError` where it is refused."""
    call("mount", source, target, kind, flags, data)


def _covering(one: "Mount", hidden: bool) -> "Callable[[], object]":
    return lambda: _cover(one.path, hidden, one.pin)


def _cover(name: str, hidden: bool, pin: bool) -> None:
    path = os.fsencode(name)
    if os.path.islink(path):
        raise OSError("a link cannot be covered")
    if not os.path.lexists(path) or (not pin and _is_covered(path, hidden)):
        return
    if not hidden:
        _bind(path, path, writable=pin)
    elif os.path.isdir(path):
        flags = READ_ONLY | NO_SUID | NO_DEVICES
        mount(b"tmpfs", path, flags, b"tmpfs", b"mode=0000,size=4096")
    else:
        mount(b"tmpfs", STAGE, NO_SUID | NO_DEVICES, b"tmpfs", b"size=4096")
        try:
            os.close(os.open(STAGE + b"/nothing", os.O_CREAT | os.O_CLOEXEC, 0))
            _bind(STAGE + b"/nothing", path)
        finally:
            call("umount2", STAGE, DETACH)


def _is_covered(path: bytes, hidden: bool) -> bool:
    """Whether a cover stands: the run was begun when what is there had been replaced already."""
    if hidden:
        found = os.stat(path)
        return not found.st_mode & 0o777 and found.st_dev != os.stat(os.path.dirname(path)).st_dev
    return bool(os.statvfs(path).f_flag & READ_ONLY)


def _bind(source: bytes, path: bytes, *, writable: bool = False) -> None:
    mount(source, path, BIND | RECURSIVE)  # what lies below may have been mounted by others
    kept = os.statvfs(path).f_flag & NO_PROGRAMS
    flags = kept | NO_SUID | NO_DEVICES | (0 if writable else READ_ONLY)
    mount(None, path, BIND | REMOUNT | flags)
