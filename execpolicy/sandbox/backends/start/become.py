"""The child becomes bubblewrap: the words of a launch, in a process that holds nothing else."""

import os

from execpolicy.sandbox import kernel
from execpolicy.sandbox.backends.backend import RunOutcome
from execpolicy.sandbox.backends.start.child import prepare_process
from execpolicy.sandbox.backends.start.launcher import Begin, Launcher
from execpolicy.sandbox.backends.start.prepared import SHELL, Prepared, above
from execpolicy.sandbox.backends.start.spawn import spawned
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.session.directory import begin_alone
from execpolicy.store.sources.files import discard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.backends.backend import Watching
    from execpolicy.sandbox.backends.start.child import Start
    from execpolicy.sandbox.backends.start.launch import Launch

SHIM = """\
exec 3>&2 2</dev/tty; set -m
"$@" 2>&3 3>&-; n=$?
while [[ $n -gt 128 && $(jobs -s) ]]; do kill -STOP $$; fg >/dev/null; n=$?; done
exit $n"""
"""Run by bash on a terminal: the command gets a process group of its own there, so that what is
typed to interrupt it does not end the launcher inside with it. While the command is stopped the
shell is, too, which the launcher sees. The shell looks for the terminal on its standard error,
where it cannot write: it has nothing to say about jobs."""


def launched(
    program: str, launch: "Launch", given: tuple[int, int, int], watching: "Watching"
) -> RunOutcome:
    """Run to the end. Raises `NoSandboxError`."""
    joins = launch.session and not launch.offline
    if joins or watching.gate or launch.hands_over:
        from execpolicy.sandbox.session import network  # noqa: F401 - what the child will need

        kernel.load()
    try:
        prepared = Prepared(program, launch)
    except OSError as error:  # what was to be mounted is another by now
        raise NoSandboxError(f"the run cannot be prepared: {error}") from None
    with prepared:
        begin = Begin(
            lambda start: _become(prepared, start), lambda start: spawned(prepared, start)
        )
        launcher = Launcher(launch, begin, given, watching)
        alone = begin_alone(launch.session) if launch.session and launch.offline else ""
        try:
            return launcher.run()
        finally:
            if joins:
                from execpolicy.sandbox.session.network import left

                left(launch.session, launcher.child)
            if alone:
                discard(alone)


def _become(prepared: Prepared, start: "Start") -> None:
    """Become bubblewrap in the child. Never returns."""
    launch = start.launch
    if start.groups:
        start.groups.join()
    shares = _enters_network(start)
    if start.sockets:
        start.sockets.install(alone=shares and not launch.network)
    kept = [*prepared.kept, above(start.status)]
    words = [*prepared.words, "--json-status-fd", str(kept[-1])]
    words += () if launch.network or shares else ("--unshare-net",)
    for option, fd in (("--sync-fd", start.held), ("--block-fd", start.block)):
        if fd >= 0:
            kept.append(above(fd))
            words += (option, str(kept[-1]))
    there = start.streams.slave >= 0 and os.path.exists(SHELL)
    shim = (launch.shell, "-c", SHIM, launch.shell) if there else ()
    words += ("--", *shim, *prepared.command)
    environment = dict(launch.environment)
    prepare_process(start.streams.inner, start.launch.settings, kept)
    if prepared.copy >= 0:
        os.set_inheritable(prepared.copy, False)
        try:
            os.execve(prepared.copy, words, environment)  # noqa: S606
        except OSError:
            os.close(prepared.copy)  # this kernel runs none from memory
    os.execve(prepared.program, words, environment)  # noqa: S606


def _enters_network(start: "Start") -> bool:
    """Enter the network of the session, or one of the run's own where it has a way out.

    False where bubblewrap is to make it. Where there is no way out without one, this process ends.
    """
    joins = start.launch.session and not start.launch.offline
    if not joins and start.gate is None and start.sockets is None:
        return False
    from execpolicy.sandbox.session import network

    entered = bool(joins) and network.enter(start.launch.session, start.launch.shares)
    try:
        if not entered:
            network.begin()
        if start.gate is not None:
            start.gate.hand_over()
    except OSError:
        if start.gate is None:
            return False
        os._exit(127)  # the launcher, which waits for what is handed over, says why
    return True
