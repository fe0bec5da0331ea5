"""A plan as the arguments of bubblewrap, 0.8 or newer.

Its options work in order, so a mount comes after those it lies in. What is hidden is an empty
directory or file that cannot be opened; a directory that holds something seen again has that alone.
"""

import os
from _collections_abc import Container, Iterable, Sequence

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.backends.seccomp import UnknownMachineError, filter_bytes
from execpolicy.sandbox.backends.start.become import launched
from execpolicy.sandbox.backends.start.launch import Launch, launch_of
from execpolicy.sandbox.backends.start.prepared import EMPTY, FILE, find, options_known
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import MAX_PATH, Mount, Wall, is_mountable

NAMESPACES = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
OWN_PROC = ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
JOINED = ("--unshare-user", "--unshare-cgroup-try", "--new-session")
"""In the namespaces of a wrapped session, of which bubblewrap is in all but these already."""
JOINED_PROC = ("--dev-bind", "/proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
NO_PROC = ("--perms", "0555", "--tmpfs", "/proc", "--remount-ro", "/proc")
SHARED_MEMORY = 1 << 30
"""The size of a private directory in bytes where the rules set no limit of memory."""
NOTHING = "4096"
"""The size of a directory that cannot be opened: one page, the least of tmpfs(5). To make it
read-only, too, bubblewrap would read the whole list of mounts once more."""
SHARED = "/dev/shm"  # noqa: S108
TEMPORARY = "/tmp"  # noqa: S108
TEMPORARIES = (TEMPORARY, "/var/tmp")  # noqa: S108


class Bubblewrap:
    """Confines by bubblewrap and a filter of system calls."""

    name = "bubblewrap"

    def run(self, plan: "Plan", given: tuple[int, int, int], watching: Watching) -> RunOutcome:
        """Run the command to its end. Raises `NoSandboxError`."""
        program = find()
        outcome = launched(program, rendered(plan, program), given, watching)
        if outcome.ran or not _refuses_proc(program):
            return outcome
        return launched(program, rendered(plan, program, proc=False), given, watching)


def rendered(
    plan: "Plan",
    program: str = "",
    *,
    proc: bool = True,
    joined: bool = False,
    memory: bool = True,
    words: "Sequence[str]" = (),
) -> Launch:
    """The launch of a plan by this program, which has to be named where it makes copies. Without
    `memory` no file in memory can be made. `words` are in the place of the options that make
    the walls.

    Raises `NoSandboxError` where there is no filter for this machine, or a path is too long.
    """
    settings = plan.settings
    for mount in plan.mounts:
        if not is_mountable(mount.path):
            path = printable(mount.path, 80)
            raise NoSandboxError(
                f"there is no sandbox: bubblewrap takes paths of at most {MAX_PATH} bytes, and "
                f"`{path}` has more; move it to a directory with a shorter path"
            )
    copies = any(mount.wall is Wall.COPY for mount in plan.mounts) and _copies(program)
    unix = settings.unix and not plan.offline
    try:
        rules = filter_bytes(os.uname().machine, unix=unix, trace=settings.trace, memory=memory)
    except UnknownMachineError as error:
        raise NoSandboxError(f"there is no sandbox: {error}") from error
    words = words or arguments(plan, copies=copies, proc=proc, joined=joined)
    launch = launch_of(plan, tuple(words), rules)
    held = tuple((m.path, m.content) for m in plan.mounts if m.content is not None)
    return launch.replace(contents=held) if held else launch


def _copies(program: str) -> bool:
    """Whether what is written in a directory can be kept apart: by this program, and the kernel."""
    return b"tmp-overlay" in options_known(program) and _overlays()


def _refuses_proc(program: str) -> bool:
    """Whether this machine gives namespaces, but in them no `/proc` of their own.

    Where parts of its own are hidden, as in many containers, the kernel makes no other
    (mount_too_revealing of its fs/namespace.c).
    """
    from subprocess import DEVNULL, call

    words = (program, *NAMESPACES, "--ro-bind", "/", "/")
    tries = (("--proc", "/proc"), ("--tmpfs", "/proc"))
    codes = [
        call((*words, *more, "/bin/true"), stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
        for more in tries
    ]
    return codes[0] != 0 and codes[1] == 0


def _overlays() -> bool:
    """Whether the kernel has the file system of overlays (overlayfs.rst)."""
    try:
        with open("/proc/filesystems") as file:
            return "\toverlay\n" in file.read()
    except OSError:
        return False


def arguments(
    plan: "Plan", *, copies: bool = False, proc: bool = True, joined: bool = False
) -> "list[str]":
    """The options for a plan, but for the network, which may be one that the child is in already.

    `copies`: there are overlays; what is to be a copy is read-only without. Without `proc` there is
    no `/proc`: an empty directory, never that of the machine. `joined`: bubblewrap is started in
    the namespaces of a wrapped session, with their `/proc`. Each `EMPTY` is to be replaced by a
    descriptor of its own, which bubblewrap closes.
    """
    size = str(plan.settings.memory or SHARED_MEMORY)
    words = [
        *(JOINED if joined else NAMESPACES),
        "--disable-userns",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
    ]
    passed = _above(plan.mounts)
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--size", size, "--tmpfs", SHARED]
    for mount in plan.mounts:
        shared = plan.temporary if mount.path == TEMPORARY else ""
        if copies and mount.wall is Wall.COPY and mount.content is None:
            words += ["--overlay-src", mount.path, "--tmp-overlay", mount.path]
            continue
        room = plan.settings.temporary if mount.path in TEMPORARIES else None
        words += mounted(mount, passed, str(room or size), shared)
    words += ["--remount-ro", "/dev"]
    words += JOINED_PROC if joined else OWN_PROC if proc else NO_PROC
    for mount in plan.mounts:
        if mount.wall is Wall.COVERED or (mount.wall is Wall.HIDDEN and mount.path in passed):
            words += ["--remount-ro", mount.path]
    words += () if joined else ("--hostname", "localhost")
    return [*words, "--chdir", plan.cwd]


def mounted(mount: Mount, passed: "Container[str]", size: str, shared: str) -> "list[str]":
    """The options for one mount of several: `passed` are paths that others lie below. `size` is
    that of a directory of its own, `shared` what is mounted in the place of one."""
    if mount.path == "/":
        return []
    if mount.content is not None or mount.target:
        return _made(mount)
    if mount.wall is Wall.WRITE and mount.path.startswith("/dev/"):
        return ["--dev-bind", mount.path, mount.path]
    if mount.wall is Wall.WRITE:
        return ["--bind", mount.path, mount.path]
    if mount.wall in (Wall.READ, Wall.COPY):
        return ["--ro-bind", mount.path, mount.path]
    if mount.wall is Wall.PRIVATE and shared:
        return ["--bind", shared, mount.path]
    if mount.wall is Wall.PRIVATE:
        return ["--perms", "1777", "--size", size, "--tmpfs", mount.path]
    if not mount.directory:
        return ["--perms", "0000", "--ro-bind-data", EMPTY, mount.path]
    if mount.wall is Wall.COVERED or mount.path in passed:
        return ["--perms", "0555", "--tmpfs", mount.path]
    return ["--perms", "0000", "--size", NOTHING, "--tmpfs", mount.path]


def _made(mount: Mount) -> "list[str]":
    """What is there only inside: a file of a known content, or a link."""
    if mount.target:
        return ["--symlink", mount.target, mount.path]
    if mount.wall is Wall.COPY:
        return ["--perms", "0600", "--file", FILE + mount.path, mount.path]
    return ["--perms", "0555", "--ro-bind-data", FILE + mount.path, mount.path]


def _above(every: "Iterable[Mount]") -> "set[str]":
    """The directories that the paths of mounts lie in, however deep."""
    found: set[str] = set()
    for mount in every:
        path = os.path.dirname(mount.path)
        while path not in found:
            found.add(path)
            path = os.path.dirname(path)
    return found
