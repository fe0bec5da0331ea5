"""Starts a launch, carries its streams, keeps its time, and waits for its end."""

import os
import select
from time import monotonic

from execpolicy.sandbox.backends import signals
from execpolicy.sandbox.backends.backend import Outcome, Watching
from execpolicy.sandbox.backends.limits import Groups
from execpolicy.sandbox.backends.start.child import Start, become
from execpolicy.sandbox.backends.streams import Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.backends.published import Published
    from execpolicy.sandbox.backends.serving import Serving
    from execpolicy.sandbox.backends.start.launch import Launch
    from execpolicy.sandbox.session.size import Room

    Standard = tuple[int, int, int]
    Command = Callable[[Start], None]

SHORT = 0.1
"""Seconds after which a command that still runs is worth what goes on beside it. Most are over."""
MAX_DYING = 10
"""Seconds that killed processes may take to be gone, in a system call that cannot be broken off."""
MAX_STATUS = 1 << 16
"""Bytes of what bubblewrap says. Its first process holds the pipe, where commands find it."""
TICK = 0.1
"""Seconds between two looks at a terminal: the kernel tells nobody that a program inside has
stopped, or that another process group has come to the front."""
_KILL, _CONTINUE, _STOP_TYPED, _WINDOW_CHANGED = 9, 18, 20, 28
"""SIGKILL, SIGCONT, SIGTSTP and SIGWINCH on the machines that there is a filter for (signal(7))."""


class Launcher:
    """One run of a launch. `command` becomes what runs it, in the child.

    `given` are the descriptors for the command's standard input, output and error. `direct`: the
    child is the command itself, and nothing writes a status.
    """

    def __init__(
        self,
        launch: "Launch",
        command: "Command",
        given: "Standard",
        watching: Watching,
        *,
        direct: bool = False,
    ) -> None:
        self.launch, self._command, self._given, self._direct = launch, command, given, direct
        self._beside, self._held, self._stop = watching.beside, watching.held, watching.stop
        self._gate = watching.gate() if watching.gate else None
        self._signals = signals.Signals() if watching.forward else None
        self._text = b""
        self._lost = ""
        self._received = self.child = 0
        self._first = -1
        self._published: Published | None = None
        self._began = monotonic()
        self._stood = self._began if direct else None
        self._looked = not self._beside
        self._timed_out = self._full = self._is_stopped = False
        self._room: Room | None = None

    def run(self) -> Outcome:
        """Run to the end."""
        streams, groups = Streams(self._given), Groups(self.launch.settings)
        status, written = os.pipe()
        if self.launch.temporary:
            from execpolicy.sandbox.session.size import Room

            self._room = Room(self.launch.temporary, self.launch.settings.temporary)
        try:
            child = self.child = self._forked()
            if child == 0:
                start = Start(self.launch, streams, groups, written, self._held, self._gate)
                become(start, self._command)
            os.close(written)
            streams.close_inner(self._given)
            serving = self._gate.open(child) if self._gate else None
            ended = self._wait(child, streams, status, serving)
        finally:
            if self._published:
                self._published.close()
            if self._gate:
                self._gate.close()
            streams.close()
            groups.remove()
            os.close(status)
            if self._signals:
                self._signals.close()
        return self._outcome(ended)

    def _forked(self) -> int:
        """Fork. What arrives meanwhile ends the child: this process's handlers are not for it."""
        if self._signals is None:
            child = os.fork()
            if child == 0:
                signals.default()
            return child
        with self._signals.held() as held:
            child = os.fork()
            if child == 0:
                held.forget()
        return child

    def _wait(self, child: int, streams: Streams, status: int, serving: "Serving | None") -> int:
        """Carry, forward and watch until bubblewrap has ended; its wait status."""
        process = os.pidfd_open(child)
        watched: dict[int, Callable[[], None]] = {status: lambda: self._read(status, watched)}
        if self._signals:
            watched[self._signals.fd] = self._deliverer(self._signals, streams)
        if self._stop >= 0:
            watched[self._stop] = lambda: self._stopped(watched)
        if serving:
            serving.watch(watched, streams)
        try:
            while not self._turn(process, streams, watched):
                if streams.terminal:
                    self._tick(streams)
                self._look_aside(watched)
                self._end_in_time(child)
                self._end_in_size(child)
            ended = _ended(child)
            self._end_all()
            while status in watched:
                self._read(status, watched)
            streams.drain(self._signals.fd if self._signals else -1)
            self._lost = streams.lost
        finally:
            os.close(process)
        return ended

    def _turn(
        self, process: int, streams: Streams, watched: "dict[int, Callable[[], None]]"
    ) -> bool:
        """Wait for one thing to happen and do what it needs; whether the process has ended."""
        poller = select.poll()
        streams.ready(poller)
        for fd in (process, *watched):
            poller.register(fd, select.POLLIN)
        ready = poller.poll(self._patience(streams.terminal is not None))
        for fd, events in ready:
            if fd in watched:
                watched[fd]()
            elif fd != process:
                streams.carry(fd, events)
        return any(fd == process for fd, _ in ready)

    def _patience(self, ticks: bool) -> float | None:
        """Milliseconds until something is due."""
        due = [monotonic() + TICK] if ticks else []
        due += [] if self._looked or self._stood is None else [self._stood + SHORT]
        if self._room is not None:
            due.append(self._room.due)
        limit = self.launch.settings.time
        if limit is not None and not self._timed_out:
            due.append(self._began + limit)
        return max(0.0, min(due) - monotonic()) * 1000 + 1 if due else None

    def _look_aside(self, watched: "dict[int, Callable[[], None]]") -> None:
        if self._looked or self._stood is None or monotonic() - self._stood < SHORT:
            return
        self._looked = True
        found = self._beside() if self._beside else None
        if found:
            watched[found[0]] = found[1]

    def _stopped(self, watched: "dict[int, Callable[[], None]]") -> None:
        del watched[self._stop]
        self._is_stopped = True
        signals.end(self.child)

    def _end_in_time(self, child: int) -> None:
        limit = self.launch.settings.time
        if limit is not None and not self._timed_out and monotonic() - self._began >= limit:
            self._timed_out = True
            signals.end(child)

    def _end_in_size(self, child: int) -> None:
        if self._room is not None and self._room.exceeded():
            self._room, self._full = None, True
            signals.end(child)

    def _end_all(self) -> None:
        """Wait until nothing inside lives any more: it is being killed with its first process."""
        if self._direct:
            try:
                os.killpg(self.child, _KILL)
            except (ProcessLookupError, PermissionError):
                return
        elif self._first >= 0:
            poller = select.poll()
            poller.register(self._first, select.POLLIN)
            poller.poll(MAX_DYING * 1000)
            os.close(self._first)

    def _read(self, status: int, watched: "dict[int, Callable[[], None]]") -> None:
        data = os.read(status, 4096)
        self._text += data[: MAX_STATUS - len(self._text)]
        if not data:
            del watched[status]
        elif self._first < 0 and self._init():
            self._stood = monotonic()
            try:
                self._first = os.pidfd_open(self._init())
            except OSError:  # it has ended already
                return
            self._publish()

    def _publish(self) -> None:
        """Open the ports that rules let be reached from outside."""
        ports = self.launch.settings.listen
        if ports and not self._direct and not self.launch.network:
            from execpolicy.sandbox.backends.published import Published

            self._published = Published(ports, self._init())

    def _deliverer(self, arriving: signals.Signals, streams: Streams) -> "Callable[[], None]":
        """Hands signals on. The first counts where the command has no code of its own."""

        def deliver() -> None:
            for number in arriving.arrived():
                if number == _WINDOW_CHANGED:
                    streams.resize()
                elif number == _STOP_TYPED:
                    self._pause(streams)
                elif number == _CONTINUE:
                    if not streams.terminal:
                        signals.go_on(self._top())
                else:
                    self._received = self._received or number
                    self._send(number, shim=streams.terminal is not None)

        return deliver

    def _send(self, number: int, *, shim: bool) -> None:
        if self._direct:
            os.kill(self.child, number)
        elif not self._init() or not signals.send(self._init(), number, shim=shim):
            signals.end(self.child)  # the command has not begun

    def _top(self) -> int:
        """The process below which the command runs."""
        return self.child if self._direct else self._init() or self.child

    def _pause(self, streams: Streams) -> None:
        """Stop with all that runs inside, as a job of a shell is stopped."""
        signals.pause(self._top())
        self._stop_here(streams, whole_group=False)
        signals.go_on(self._top())

    def _stop_here(self, streams: Streams, *, whole_group: bool) -> None:
        streams.show()
        if streams.terminal:
            streams.terminal.release()
        signals.stop_here(whole_group)
        if streams.terminal:
            streams.terminal.settle()
            streams.resize()

    def _tick(self, streams: Streams) -> None:
        """Look after the terminal; stop where the command on it has been stopped."""
        if streams.terminal:
            streams.terminal.settle()
        if self._signals is None or self._direct or not self._init():
            return
        shim = signals.shim_of(self._init())
        if shim and signals.is_stopped(shim):
            self._stop_here(streams, whole_group=True)
            signals.carry_on(shim)

    def _init(self) -> int:
        """The first process of the sandbox, by its number here; 0 while there is none."""
        return _number(self._text, b'"child-pid":') or 0

    def _outcome(self, ended: int) -> Outcome:
        if self._direct:
            own = os.waitstatus_to_exitcode(ended)
            shown = own if own >= 0 else 128 - own
            return Outcome(shown, True, True, self._timed_out, lost=self._lost)
        code = _number(self._text, b'"exit-code":')
        # What was ended from here before it stood says nothing about the sandbox of this machine.
        is_ended = bool(self._received) or self._timed_out or self._full or self._is_stopped
        if code is None and not is_ended and not os.WIFSIGNALED(ended):
            return Outcome(os.waitstatus_to_exitcode(ended), self._init() > 0, False)
        if code is None:
            code = 128 + (self._received or os.WTERMSIG(ended) or _KILL)
        began = self._init() > 0 or is_ended
        return Outcome(code, began, True, self._timed_out, self._full, self._lost)


def _ended(child: int) -> int:
    """The wait status of a child; one of failure where this process lets its children be forgotten.

    Then what is known of the end is what bubblewrap has told.
    """
    try:
        return os.waitpid(child, 0)[1]
    except ChildProcessError:  # SIGCHLD is ignored (waitpid(2))
        return 1 << 8


def _number(text: bytes, key: bytes) -> int | None:
    """The number after a key of the status, of which the last line may not be whole yet."""
    _, found, rest = text.partition(key)
    digits = rest.strip().partition(b" ")[0].rstrip(b",}")
    return int(digits) if found and digits.isdigit() else None
