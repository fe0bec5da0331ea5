"""The child becomes bubblewrap: the words of a launch, in a process that holds nothing else."""

import os

from execpolicy.sandbox.backends.start.child import above, in_memory, prepare_process
from execpolicy.sandbox.backends.start.launcher import Launcher
from execpolicy.sandbox.errors import NoSandboxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.backends.backend import Outcome, Watching
    from execpolicy.sandbox.backends.start.child import Start
    from execpolicy.sandbox.backends.start.launch import Launch

NAME = "bwrap"
DIRECTORIES = ("/usr/bin", "/bin", "/usr/local/bin")
"""Where it may lie: not where PATH says, which an agent may have set."""
BESIDE = b"$ORIGIN"
"""In a program that finds libraries by its own place (ld.so(8)): a copy of it would not start."""
EMPTY = "EMPTY"
"""Stands in the options for the number of a descriptor that reads as nothing. It is no path: those
begin at the root."""
SHELL = "/bin/bash"
SHIM = 'set -m; "$@"; exit $?'
"""Run by bash on a terminal: the command gets a process group of its own there, so that what is
typed to interrupt it does not end the launcher inside with it."""


def find() -> str:
    """The path of bubblewrap. Raises `NoSandboxError` where it is not installed."""
    for directory in DIRECTORIES:
        path = f"{directory}/{NAME}"
        if os.access(path, os.X_OK):
            return path
    message = "there is no sandbox: `bwrap` is not installed; install the package `bubblewrap`"
    raise NoSandboxError(message)


def launched(
    program: str, launch: "Launch", given: tuple[int, int, int], watching: "Watching"
) -> "Outcome":
    """Run to the end. Raises `NoSandboxError`."""
    launcher = Launcher(launch, lambda start: _become(program, start), given, watching)
    try:
        return launcher.run()
    finally:
        if launch.session:
            from execpolicy.sandbox.session.network import left

            left(launch.session, launcher.child)


def _become(program: str, start: "Start") -> None:
    """Become bubblewrap in the child. Never returns."""
    launch = start.launch
    start.groups.join()
    shares = _enters_network(start)
    status, rules = above(start.status), in_memory(launch.rules)
    kept = [status, rules]
    known = options_known(program)
    owns = os.stat(program).st_uid == os.geteuid()
    options = [*launch.options]
    if b"bind-fd" in known:
        options = _by_descriptor(options, kept)
    options += () if launch.network or shares else ("--unshare-net",)
    options += ("--json-status-fd", str(status), "--seccomp", str(rules))
    if start.held >= 0:
        kept.append(above(start.held))
        options += ("--sync-fd", str(kept[-1]))
    for at, word in enumerate(options):
        if word == EMPTY:
            kept.append(above(os.open(os.devnull, os.O_RDONLY)))
            options[at] = str(kept[-1])
    text = "".join(f"{word}\0" for word in options)
    kept.append(in_memory(text.encode("utf-8", "surrogateescape")))
    shim = (SHELL, "-c", SHIM, SHELL) if start.streams.slave >= 0 and os.path.exists(SHELL) else ()
    words = [program, "--args", str(kept[-1]), "--", *shim, *launch.argv]
    environment = dict(launch.environment)
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
    if not start.launch.session and start.gate is None:
        return False
    from execpolicy.sandbox.session import network

    entered = bool(start.launch.session) and network.enter(start.launch.session)
    if start.gate is None:
        return entered
    try:
        if not entered:
            network.begin()
        start.gate.hand_over()
    except OSError:
        os._exit(127)  # the launcher, which waits for what is handed over, says why
    return True


def options_known(program: str) -> bytes:
    """The program itself, which holds the names of its options.

    0.10 has `--bind-fd`, and so have some builds of 0.8; 0.11 has `--tmp-overlay`.
    """
    with open(program, "rb", buffering=0) as file:
        return file.read()


def _by_descriptor(options: "list[str]", kept: "list[int]") -> "list[str]":
    """The same with what is bound for writing opened now, with no link on the way.

    A run beside this one may put a link in the place of a directory at any moment; a path that is
    looked up again later could lead anywhere then. Raises `OSError` for a path with a link in it.
    """
    from execpolicy.sandbox.look.opened import opened

    made = [*options]
    for at, word in enumerate(options):
        if word == "--bind":
            kept.append(above(opened(options[at + 1])))
            made[at : at + 2] = ["--bind-fd", str(kept[-1])]
    return made
