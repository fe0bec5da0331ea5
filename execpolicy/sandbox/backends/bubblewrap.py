"""A plan as the arguments of bubblewrap, 0.8 or newer.

Its options work in order, so a mount comes after those it lies in. What is hidden is an empty
directory or file that cannot be opened; a directory that holds something seen again may be passed
through.
"""

import os

from execpolicy.sandbox.backends.backend import Outcome, Watching
from execpolicy.sandbox.backends.child import above, in_memory, prepare_process
from execpolicy.sandbox.backends.launcher import Launcher
from execpolicy.sandbox.backends.seccomp import filter_bytes
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.look.opened import opened
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.support.path_match import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.backends.child import Start
    from execpolicy.sandbox.plan import Plan

NAME = "bwrap"
DIRECTORIES = ("/usr/bin", "/bin", "/usr/local/bin")
"""Where it may lie: not where PATH says, which an agent may have set."""
NAMESPACES = (
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
)
OWN_PROC = ("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys")
NO_PROC = ("--perms", "0555", "--tmpfs", "/proc", "--remount-ro", "/proc")
SHARED_MEMORY = 1 << 30
"""The size of a private directory in bytes where the rules set no limit of memory."""
TEMPORARY = "/tmp"  # noqa: S108
TEMPORARIES = (TEMPORARY, "/var/tmp")  # noqa: S108
BESIDE = b"$ORIGIN"
"""In a program that finds libraries by its own place (ld.so(8)): a copy of it would not start."""
EMPTY = "EMPTY"
"""Stands in the arguments for the number of a descriptor that reads as nothing."""
SHELL = "/bin/bash"
SHIM = 'set -m; "$@"; exit $?'
"""Run by bash on a terminal: the command gets a process group of its own there, so that what is
typed to interrupt it does not end the launcher inside with it."""


class Bubblewrap:
    """Confines by bubblewrap and a filter of system calls."""

    name = "bubblewrap"

    def run(self, plan: "Plan", given: tuple[int, int, int], watching: Watching) -> Outcome:
        """Run the command to its end. Raises `NoSandboxError`."""
        program = find()
        outcome = _launched(program, plan, given, watching)
        if outcome.ran or not _refuses_proc(program):
            return outcome
        return _launched(program, plan, given, watching, proc=False)


def _launched(
    program: str,
    plan: "Plan",
    given: tuple[int, int, int],
    watching: Watching,
    *,
    proc: bool = True,
) -> Outcome:
    def command(start: "Start") -> None:
        _become(program, start, proc=proc)

    launcher = Launcher(plan, command, given, watching)
    try:
        return launcher.run()
    finally:
        if plan.session:
            from execpolicy.sandbox.session.network import left

            left(plan.session, launcher.child)


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


def find() -> str:
    """The path of bubblewrap. Raises `NoSandboxError` where it is not installed."""
    for directory in DIRECTORIES:
        path = f"{directory}/{NAME}"
        if os.access(path, os.X_OK):
            return path
    message = "there is no sandbox: `bwrap` is not installed; install the package `bubblewrap`"
    raise NoSandboxError(message)


def _become(program: str, start: "Start", *, proc: bool) -> None:
    """Become bubblewrap in the child. Never returns."""
    settings = start.plan.settings
    start.groups.join()
    shares = _enters_network(start)
    status = above(start.status)
    machine = os.uname().machine
    rules = in_memory(filter_bytes(machine, unix=settings.unix, trace=settings.trace))
    kept = [status, rules]
    known = _options_known(program)
    copies = b"tmp-overlay" in known and _overlays()
    owns = os.stat(program).st_uid == os.geteuid()
    options = arguments(start.plan, shares=shares, copies=copies, proc=proc)
    if b"bind-fd" in known:
        options = _by_descriptor(options, kept)
    options += ["--json-status-fd", str(status), "--seccomp", str(rules)]
    if start.held >= 0:
        kept.append(above(start.held))
        options += ["--sync-fd", str(kept[-1])]
    for at, word in enumerate(options):
        if word is EMPTY:
            kept.append(above(os.open(os.devnull, os.O_RDONLY)))
            options[at] = str(kept[-1])
    text = "".join(f"{word}\0" for word in options)
    kept.append(in_memory(text.encode("utf-8", "surrogateescape")))
    shim = (SHELL, "-c", SHIM, SHELL) if start.streams.slave >= 0 and os.path.exists(SHELL) else ()
    words = [program, "--args", str(kept[-1]), "--", *shim, *start.plan.argv]
    environment = dict(start.plan.environment)
    if owns and BESIDE not in known:
        _become_copy(known, words, environment, start, kept)
    prepare_process(start, kept)
    os.execve(program, words, environment)  # noqa: S606


def _become_copy(
    data: bytes,
    words: "list[str]",
    environment: "dict[str, str]",
    start: "Start",
    kept: "list[int]",
) -> None:
    """Become a copy of bubblewrap in memory. Returns where the kernel runs none.

    `/proc/1/exe` leads past every mount to the file that runs: its owner could take it away from
    others, or give it a mode that others use.
    """
    copy = in_memory(data, NAME)
    prepare_process(start, [*kept, copy])
    os.set_inheritable(copy, False)
    try:
        os.execve(copy, words, environment)  # noqa: S606
    except OSError:
        os.close(copy)


def _enters_network(start: "Start") -> bool:
    """Enter the network of the session, or one of the run's own where it has a way out.

    False where bubblewrap is to make it. Where there is no way out without one, this process ends.
    """
    if not start.plan.session and start.gate is None:
        return False
    from execpolicy.sandbox.session import network

    entered = bool(start.plan.session) and network.enter(start.plan.session)
    if start.gate is None:
        return entered
    try:
        if not entered:
            network.begin()
        start.gate.hand_over()
    except OSError:
        os._exit(127)  # the launcher, which waits for what is handed over, says why
    return True


def _options_known(program: str) -> bytes:
    """The program itself, which holds the names of its options.

    0.10 has `--bind-fd`, and so have some builds of 0.8; 0.11 has `--tmp-overlay`.
    """
    with open(program, "rb") as file:
        return file.read()


def _overlays() -> bool:
    """Whether the kernel has the file system of overlays (overlayfs.rst)."""
    try:
        with open("/proc/filesystems") as file:
            return "\toverlay\n" in file.read()
    except OSError:
        return False


def _by_descriptor(options: "list[str]", kept: "list[int]") -> "list[str]":
    """The same with what is bound for writing opened now, with no link on the way.

    A run beside this one may put a link in the place of a directory at any moment; a path that is
    looked up again later could lead anywhere then. Raises `OSError` for a path with a link in it.
    """
    made = [*options]
    for at, word in enumerate(options):
        if word == "--bind":
            kept.append(above(opened(options[at + 1])))
            made[at : at + 2] = ["--bind-fd", str(kept[-1])]
    return made


def arguments(
    plan: "Plan", *, shares: bool = False, copies: bool = False, proc: bool = True
) -> "list[str]":
    """The options for a plan, up to where the command begins.

    `shares`: the network is the one that this process is in. `copies`: there are overlays; what is
    to be a copy is read-only without. Without `proc` there is no `/proc`: an empty directory, never
    that of the machine. Each `EMPTY` is to be replaced by a descriptor of its own,
    which bubblewrap closes.
    """
    size = str(plan.settings.memory or SHARED_MEMORY)
    words = [*NAMESPACES, *(() if plan.network or shares else ("--unshare-net",))]
    words += ["--disable-userns", "--die-with-parent", "--cap-drop", "ALL"]
    words += ["--ro-bind", "/", "/", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]  # noqa: S108
    for mount in plan.mounts:
        shared = plan.temporary if mount.path == TEMPORARY else ""
        if copies and mount.wall is Wall.COPY:
            words += ["--overlay-src", mount.path, "--tmp-overlay", mount.path]
            continue
        room = plan.settings.temporary if mount.path in TEMPORARIES else None
        words += _mount(mount, plan.mounts, str(room or size), shared)
    words += ["--remount-ro", "/dev"]
    words += OWN_PROC if proc else NO_PROC
    for mount in plan.mounts:
        if mount.wall is Wall.HIDDEN and mount.directory:
            words += ["--remount-ro", mount.path]
    return [*words, "--hostname", "sandbox", "--chdir", plan.cwd]


def _mount(mount: Mount, every: "tuple[Mount, ...]", size: str, shared: str) -> "list[str]":
    if mount.path == "/":
        return []
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
    inside = any(m is not mount and below(m.path, mount.path) for m in every)
    return ["--perms", "0111" if inside else "0000", "--tmpfs", mount.path]
