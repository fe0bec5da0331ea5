"""The child's side of a start: between fork and exec, what must not come along is dropped."""

import fcntl
import os
import termios

from execpolicy.sandbox import bubblewrap, limits
from execpolicy.sandbox.seccomp import filter_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal

    from execpolicy.sandbox.plan import Plan
    from execpolicy.sandbox.streams import Streams
else:
    import _signal

FREE = 16
"""Descriptors from here on are never standard input, output or error."""
_IGNORED_BY_PYTHON = ("SIGPIPE", "SIGXFSZ")

SHIM = 'set -m; "$@"'
"""Run by bash on a terminal: the command gets a process group of its own there, so that what is
typed to interrupt it does not end the launcher inside with it."""
SHELL = "/bin/bash"


def become(
    program: str, plan: "Plan", streams: "Streams", groups: limits.Groups, status: int, held: int
) -> None:
    """Become bubblewrap. Never returns."""
    try:
        os.setsid()
        if streams.slave >= 0:
            fcntl.ioctl(streams.slave, termios.TIOCSCTTY, 0)
        inner = [_above(fd) for fd in streams.inner]
        words, kept = arguments(program, plan, _above(status), streams.slave >= 0)
        if held >= 0:
            kept.append(_above(held))
            words[1:1] = ["--sync-fd", str(kept[-1])]
        for number, fd in enumerate(inner):
            os.dup2(fd, number)
        _close_others(kept)
        groups.join()
        limits.apply(plan.settings)
        _default_signals()
        os.execve(program, words, dict(plan.environment))  # noqa: S606
    except BaseException as error:
        os.write(2, f"execpolicy: the sandbox could not be started: {error}\n".encode())
    finally:
        os._exit(1)


def arguments(
    program: str, plan: "Plan", status: int, terminal: bool
) -> "tuple[list[str], list[int]]":
    """The words for bubblewrap, and the descriptors that they name."""
    settings, kept = plan.settings, [status]
    rules = filter_bytes(os.uname().machine, unix=settings.unix, trace=settings.trace)
    kept.append(_file(rules))
    options = bubblewrap.arguments(plan)
    options += ["--json-status-fd", str(status), "--seccomp", str(kept[-1])]
    for at, word in enumerate(options):
        if word is bubblewrap.EMPTY:
            kept.append(_above(os.open(os.devnull, os.O_RDONLY)))
            options[at] = str(kept[-1])
    text = "".join(f"{word}\0" for word in options)
    kept.append(_file(text.encode("utf-8", "surrogateescape")))
    shim = (SHELL, "-c", SHIM, SHELL) if terminal and os.path.exists(SHELL) else ()
    return [program, "--args", str(kept[-1]), "--", *shim, *plan.argv], kept


def _file(data: bytes) -> int:
    """A file in memory that holds these bytes, from its beginning."""
    fd = _above(os.memfd_create("execpolicy"))
    os.write(fd, data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _above(fd: int) -> int:
    """The same descriptor with a number that no standard one has."""
    return fcntl.fcntl(fd, fcntl.F_DUPFD, FREE)


def _close_others(kept: "list[int]") -> None:
    """Close what the caller left open; what is kept stays open across exec."""
    last = 2
    for fd in sorted(kept):
        os.closerange(last + 1, fd)
        os.set_inheritable(fd, True)
        last = fd
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _default_signals() -> None:
    """What Python ignores, programs may rely on; and nothing stays blocked."""
    for name in _IGNORED_BY_PYTHON:
        _signal.signal(getattr(_signal, name), _signal.SIG_DFL)
    _signal.pthread_sigmask(_signal.SIG_SETMASK, [])
