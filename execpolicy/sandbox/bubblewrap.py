"""A plan as the arguments of bubblewrap, 0.8 or newer.

Its options work in order, so a mount comes after those it lies in. What is hidden is an empty
directory or file that nobody may open; a directory that holds something seen again may be passed
through.
"""

from execpolicy.path_match import below
from execpolicy.sandbox.walls import Mount, Wall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.plan import Plan

NAME = "bwrap"
NAMESPACES = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
SHARED_MEMORY = 1 << 30
"""The size of a private directory in bytes where the rules set no limit of memory."""
EMPTY = "EMPTY"
"""Stands in the arguments for the number of a descriptor that reads as nothing."""


def arguments(plan: "Plan") -> "list[str]":
    """The options for a plan, up to where the command begins.

    Each `EMPTY` is to be replaced by a descriptor of its own, which bubblewrap closes.
    """
    size = str(plan.settings.memory or SHARED_MEMORY)
    words = [*NAMESPACES, *(() if plan.network else ("--unshare-net",))]
    words += ["--disable-userns", "--die-with-parent", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]  # noqa: S108
    for mount in plan.mounts:
        words += _mount(mount, plan.mounts, size)
    words += ["--remount-ro", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]
    for mount in plan.mounts:
        if mount.wall is Wall.HIDDEN and mount.directory:
            words += ["--remount-ro", mount.path]
    return [*words, "--hostname", "sandbox", "--chdir", plan.cwd]


def _mount(mount: Mount, every: "tuple[Mount, ...]", size: str) -> "list[str]":
    if mount.path == "/":
        return []
    if mount.wall is Wall.WRITE:
        return ["--bind", mount.path, mount.path]
    if mount.wall is Wall.READ:
        return ["--ro-bind", mount.path, mount.path]
    if mount.wall is Wall.PRIVATE:
        return ["--perms", "1777", "--size", size, "--tmpfs", mount.path]
    if not mount.directory:
        return ["--perms", "0000", "--ro-bind-data", EMPTY, mount.path]
    inside = any(m is not mount and below(m.path, mount.path) for m in every)
    return ["--perms", "0111" if inside else "0000", "--tmpfs", mount.path]
