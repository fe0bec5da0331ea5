"""Programs of the user outside, each joined to one connection from inside."""

import os
import signal
import socket
import subprocess
from _collections_abc import Iterable

from execpolicy.policy.network_hosts import Attempt
from execpolicy.sandbox.keys.opening import SECONDS, Bridge

MAX_STARTED = 16
"""How often one operation may ask for its key: git connects once or twice, and once more for tags
that it follows."""


class Bridging:
    """The bridges of one run, and the programs that they started."""

    def __init__(self, bridges: "Iterable[Bridge]") -> None:
        self._bridges = {(one.host, one.port): one for one in bridges}
        self._started: list[subprocess.Popen[bytes]] = []

    def unjudged(self, attempt: "Attempt") -> bool:
        """Whether a connection is asked for that leads to a bridge and to no host."""
        bridge = self._bridges.get((attempt.host.text, attempt.port))
        return bridge is not None and not bridge.judged

    def connected(self, attempt: "Attempt") -> socket.socket | None:
        """The end of a program for an allowed connection; None where it leads to a host.

        Raises `OSError` where the program does not start.
        """
        bridge = self._bridges.get((attempt.host.text, attempt.port))
        if bridge is None:
            return None
        if len(self._started) >= MAX_STARTED:
            raise OSError("the key was asked for too often")
        ours, theirs = socket.socketpair()
        with theirs:
            if bridge.argv:
                self._started.append(_started(bridge, theirs))
            else:
                theirs.send(self._ended())
        return ours

    def _ended(self) -> bytes:
        """The exit code of what was started last, which has said all that it will."""
        try:
            return b"%d" % (self._started[-1].wait(SECONDS) & 255)
        except (IndexError, subprocess.TimeoutExpired):
            return b""

    def close(self) -> None:
        """End what still runs."""
        for one in self._started:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)
            one.wait()


def _started(bridge: "Bridge", end: socket.socket) -> "subprocess.Popen[bytes]":
    """The program, with what it reads either given or come through the connection."""
    given = end.fileno() if bridge.text is None else subprocess.PIPE
    made = subprocess.Popen(
        bridge.argv,
        env=dict(bridge.environment),
        cwd=bridge.cwd,
        stdin=given,
        stdout=end.fileno(),
        start_new_session=True,
    )
    if made.stdin is not None and bridge.text is not None:
        made.stdin.write(bridge.text)  # less than a pipe holds, so it does not wait (pipe(7))
        made.stdin.close()
    return made
