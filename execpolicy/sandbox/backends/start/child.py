"""The child's side of a start: between fork and exec, what must not come along is dropped."""

import os

from execpolicy.sandbox.backends.limits import apply
from execpolicy.sandbox.backends.start.prepared import above, close_others
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Callable, Sequence

    from execpolicy.model.confinement import SandboxSettings
    from execpolicy.sandbox.backends.connections.own_sockets import OwnSockets
    from execpolicy.sandbox.backends.control_groups import Groups
    from execpolicy.sandbox.backends.start.launch import Launch
    from execpolicy.sandbox.backends.streams.streams import Streams
    from execpolicy.sandbox.backends.way_out import Gate
else:
    import _signal

NOT_STARTED = 127
_IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")


class Start(Value):
    """What the child begins with.

    `status` takes what the launcher says, `held` stays open, `gate` takes the way out. The command
    waits until there is something to read from `block`; -1 where nothing is waited for. `sockets`
    judges its connections.
    """

    launch: "Launch"
    streams: "Streams"
    groups: "Groups | None"
    status: int
    held: int
    gate: "Gate | None" = None
    block: int = -1
    sockets: "OwnSockets | None" = None


def become(start: Start, command: "Callable[[Start], None]") -> None:
    """Become the command in the child. Never returns."""
    try:
        os.setsid()
        if start.streams.slave >= 0:
            import fcntl
            import termios

            fcntl.ioctl(start.streams.slave, termios.TIOCSCTTY, 0)
        command(start)
    except BaseException as error:
        tell_failed(error)
    finally:
        os._exit(NOT_STARTED)


def tell_failed(error: BaseException) -> int:
    """Say why there is no command; the exit code of a process that was to become one."""
    os.write(2, f"execpolicy: the command could not be started: {error}\n".encode())
    return NOT_STARTED


def prepare_process(
    streams: "Sequence[int]", settings: "SandboxSettings", kept: "list[int]"
) -> None:
    """Settle descriptors, limits and signals of this process: `streams` become the standard ones,
    and of the others only those that are kept stay open."""
    inner = [above(fd) for fd in streams]
    for number, fd in enumerate(inner):
        os.dup2(fd, number)
    close_others(kept)
    for fd in kept:
        os.set_inheritable(fd, True)
    apply(settings)
    _default_signals()


def _default_signals() -> None:
    """What Python ignores, programs may rely on; and bubblewrap waits for its children."""
    for name in (*_IGNORED_BY_PYTHON, "SIGCHLD"):
        _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
