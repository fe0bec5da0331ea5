"""Runs one program outside of every sandbox, as the user would, and carries its output back.

Of the command that asked for it there are the words and the directory; its descriptors get bytes
and are never given away.
"""

import os
import select
import subprocess
from threading import Thread

from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.wrap.namespaces import die_with_parent

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal as _signal
    from collections.abc import Mapping
    from typing import IO

    from execpolicy.wrap.command_sandbox import Ends
else:
    import _signal

SIZE = 1 << 16
REST_SECONDS = 2.0
"""How long output is carried that is there when the program has ended."""


def run_outside(
    words: "tuple[str, ...]", cwd: str, environment: "Mapping[str, str]", ends: "Ends"
) -> int:
    """Run it to its end; its exit code. What it left of its own group ends with it, and all of it
    ends with the command. Call it in a process of its own that ends after it.

    Raises `NoSandboxError` where the directory is another one by now.
    """
    directory = _opened(cwd)
    process = subprocess.Popen(
        words,
        cwd=f"/proc/self/fd/{directory}",
        env={**environment, "PWD": cwd},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=die_with_parent,
    )
    carrying = [_carrying(process.stdout, 1), _carrying(process.stderr, 2)]
    _wait(process, ends)
    for one in carrying:
        one.join(REST_SECONDS)
    _end(process.pid, _signal.SIGKILL)
    code = process.wait()
    return code if code >= 0 else 128 - code


def _opened(path: str) -> int:
    """The directory that has this path, none that a link on it leads to."""
    try:
        opened = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise NoSandboxError(f"its directory cannot be entered: {error.strerror}") from None
    if os.readlink(f"/proc/self/fd/{opened}") != path:
        raise NoSandboxError("its directory is another one by now")
    return opened


def _wait(process: "subprocess.Popen[bytes]", ends: "Ends") -> None:
    """Wait until it has ended, and pass on the signals that come meanwhile."""
    ended = os.pidfd_open(process.pid)
    poller = select.poll()
    poller.register(ended, select.POLLIN)
    poller.register(ends.fd, select.POLLIN)
    while ended not in {fd for fd, _ in poller.poll()}:
        numbers = ends.signals()
        if numbers is None:
            poller.unregister(ends.fd)
            _end(process.pid, _signal.SIGKILL)
        for number in numbers or b"":
            _end(process.pid, number)


def _end(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except OSError:  # it is gone, or another user's by now
        return


def _carrying(source: "IO[bytes] | None", number: int) -> Thread:
    assert source is not None  # noqa: S101
    thread = Thread(target=_carry, args=(source, number), daemon=True)
    thread.start()
    return thread


def _carry(source: "IO[bytes]", number: int) -> None:
    """Carry bytes until there are no more; where they are not wanted the program is told so."""
    with source:
        try:
            while data := os.read(source.fileno(), SIZE):
                while data:
                    data = data[os.write(number, data) :]
        except OSError:
            return
