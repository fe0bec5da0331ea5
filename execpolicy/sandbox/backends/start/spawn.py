"""Starts bubblewrap without a copy of this process (posix_spawn(3)), which costs most of a fork.

That needs a run with nothing to do between fork and exec: no terminal, no network to enter, and no
limit but the one that this process may take on itself.
"""

import os

from execpolicy.sandbox.backends import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from execpolicy.sandbox.backends.start.child import Start
    from execpolicy.sandbox.backends.start.prepared import Prepared
else:
    import _signal

_DEFAULT = (_signal.SIGPIPE, _signal.SIGXFSZ, _signal.SIGCHLD)
"""What Python ignores, programs may rely on; and bubblewrap waits for its children."""


def spawned(prepared: "Prepared", start: "Start") -> int:
    """The number of the new process; 0 where it has to be made by a fork.

    From then on this process dumps no core either. What else it has open is closed for all that it
    starts.
    """
    if not _is_plain(start):
        return 0
    kept = {start.status, *prepared.kept} - {prepared.copy}
    words = [*prepared.words, "--json-status-fd", str(start.status), "--unshare-net"]
    for option, fd in (("--sync-fd", start.held), ("--block-fd", start.block)):
        if fd >= 0:
            kept.add(fd)
            words += (option, str(fd))
    words += ("--", *prepared.command)
    try:
        limits.apply(start.launch.settings)
        _hand_on(kept)
        return os.posix_spawn(
            prepared.path,
            words,
            dict(start.launch.environment),
            file_actions=[
                (os.POSIX_SPAWN_DUP2, fd, number)
                for number, fd in enumerate(start.streams.inner)
                if fd != number
            ],
            setsid=True,
            setsigdef=_DEFAULT,
        )
    except (OSError, RuntimeError, ValueError):  # the fork says why
        return 0


def _is_plain(start: "Start") -> bool:
    """Whether there is nothing to do in the new process before it becomes bubblewrap."""
    launch, settings = start.launch, start.launch.settings
    limited = (settings.memory, settings.file_size, settings.processes)
    joins = launch.network or (launch.session and not launch.offline) or start.gate or start.sockets
    return not joins and start.streams.slave < 0 and all(limit is None for limit in limited)


def _hand_on(kept: "set[int]") -> None:
    """Have these descriptors open in what is started, and none of the others."""
    for name in os.listdir("/proc/self/fd"):
        fd = int(name)
        try:
            if fd > 2 and os.get_inheritable(fd) is not (fd in kept):
                os.set_inheritable(fd, fd in kept)
        except OSError:  # that by which the directory was listed
            continue
