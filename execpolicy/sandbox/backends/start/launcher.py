"""Starts a launch, carries its streams, keeps its time, and waits for its end."""

import os
import select
from time import monotonic

from execpolicy.sandbox.backends import signals
from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.backends.start.child import Start, become
from execpolicy.sandbox.backends.streams.streams import Streams
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.backends.connections.own_sockets import OwnSockets
    from execpolicy.sandbox.backends.control_groups import Groups
    from execpolicy.sandbox.backends.published import Published
    from execpolicy.sandbox.backends.serving import Serving
    from execpolicy.sandbox.backends.start.delivery import Delivery
    from execpolicy.sandbox.backends.start.launch import Launch
    from execpolicy.sandbox.session.size import Room

    Standard = tuple[int, int, int]

SHORT = 0.1
"""Seconds after which a command that still runs is worth what goes on beside it. Most are over."""
MAX_DYING = 10
"""Seconds that killed processes may take to be gone, in a system call that cannot be broken off."""
MAX_STATUS = 1 << 16
"""Bytes of what bubblewrap says. Its first process holds the pipe, where commands find it."""
TICK = 0.1
"""Seconds between two looks at a terminal: the kernel does not tell that a program inside has
stopped, or that another process group has come to the front."""
_KILL = 9
"""SIGKILL (signal(7))."""


class Begin(Value):
    """How a child begins: `command` becomes what runs, in a copy of this process; `spawn` makes one
    without a copy and gives its number, 0 where that is not possible."""

    command: "Callable[[Start], None]"
    spawn: "Callable[[Start], int] | None" = None


class Launcher:
    """One run of a launch. `begin` starts the child that runs it.

    `given` are the descriptors for the command's standard input, output and error. `direct`: the
    child is the command itself, and nothing writes a status.
    """

    def __init__(
        self,
        launch: "Launch",
        begin: Begin,
        given: "Standard",
        watching: Watching,
        *,
        direct: bool = False,
    ) -> None:
        self.launch, self._begin, self._given, self._direct = launch, begin, given, direct
        self._beside, self._held, self._stop = watching.beside, watching.held, watching.stop
        self._gate = watching.gate() if watching.gate else None
        self._sockets = _sockets(launch) if launch.hands_over else None
        self._signals = signals.Signals() if watching.forward else None
        self._text = b""
        self._lost, self._said = "", b""
        self.child = 0
        self._first = -1
        self._delivery: Delivery | None = None
        self._published: Published | None = None
        self._began = monotonic()
        self._stood = self._began if direct else None
        self._followed = not self._beside
        self._block: int | None = None
        self._timed_out = self._full = self._is_stopped = False
        self._room: Room | None = None

    def run(self) -> RunOutcome:
        """Run to the end."""
        streams, groups = Streams(self._given), _groups(self.launch)
        if self._beside:
            self._beside.begin()
        status, written = os.pipe()
        blocked = self._hold()
        if self.launch.temporary:
            from execpolicy.sandbox.session.size import Room

            self._room = Room(self.launch.temporary, self.launch.settings.temporary)
        try:
            more = self._held, self._gate, blocked, self._sockets
            start = Start(self.launch, streams, groups, written, *more)
            child = self.child = self._spawned(start) or self._forked()
            if child == 0:
                become(start, self._begin.command)
            os.close(written)
            if blocked >= 0:
                os.close(blocked)
            streams.close_inner(self._given)
            serving = self._gate.open(child) if self._gate else None
            ended = self._wait(child, streams, status, serving)
        finally:
            for one in (self._published, self._gate, self._sockets):
                if one:
                    one.close()
            streams.close()
            if groups:
                groups.remove()
            os.close(status)
            if self._block is not None:
                os.close(self._block)
            if self._signals:
                self._signals.close()
        return self._outcome(ended)

    def _hold(self) -> int:
        """What the command waits for, where mounts of this machine would arrive in the run."""
        if self._direct or not _arrive():
            return -1
        blocked, self._block = os.pipe()
        return blocked

    def _let_go(self, status: int, watched: "dict[int, Callable[[], None]]") -> None:
        """Have the command begin, with nothing that arrives. Raises `NoSandboxError`."""
        if self._block is None:
            return
        from execpolicy.sandbox.backends import mounts

        while status in watched and not self._init():
            self._read(status, watched)
        if self._init() and not mounts.keep_out(self._init()):
            _end(self.child)
            _ended(self.child)
            raise NoSandboxError(
                "there is no sandbox: what is mounted on this machine during a run would arrive in "
                "it, and the kernel has no way to keep it out"
            )
        try:
            os.write(self._block, b".")
        except BrokenPipeError:  # it has ended already
            return

    def _spawned(self, start: Start) -> int:
        """Start it without a copy of this process: only where no other thread starts some."""
        spawn = self._begin.spawn
        return spawn(start) if spawn and self._signals and start.groups is None else 0

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
            arrived = self._signals.arrived
            watched[self._signals.fd] = lambda: self._signal_forwarder(streams).deliver(arrived())
        if self._stop >= 0:
            watched[self._stop] = lambda: self._stopped(watched)
        if self._beside and self._beside.fd >= 0:
            watched[self._beside.fd] = self._poll
        if serving:
            serving.watch(watched, streams)
        if self._sockets:
            self._sockets.watch(watched)
        try:
            self._let_go(status, watched)
            while not self._turn(process, streams, watched):
                if streams.terminal:
                    self._signal_forwarder(streams).tick(stops=self._signals is not None)
                self._poll_when_due()
                self._end_in_time(child)
                self._end_in_size(child)
            ended = _ended(child)
            self._end_all()
            if self._beside and (self._direct or self._init()):
                self._beside.over()
            while status in watched:
                self._read(status, watched)
            streams.drain(self._signals.fd if self._signals else -1)
            self._lost, self._said = streams.lost, streams.stderr_end
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
        due += [] if self._followed or self._stood is None else [self._stood + SHORT]
        if self._beside and self._beside.due is not None:
            due.append(self._beside.due)
        if self._room is not None:
            due.append(self._room.due)
        limit = self.launch.settings.time
        if limit is not None and not self._timed_out:
            due.append(self._began + limit)
        return max(0.0, min(due) - monotonic()) * 1000 + 1 if due else None

    def _poll_when_due(self) -> None:
        if self._beside is None:
            return
        if not self._followed and self._stood and monotonic() - self._stood >= SHORT:
            self._followed = True
            self._beside.follow()
            self._poll()
        elif self._beside.due is not None and monotonic() >= self._beside.due:
            self._poll()

    def _poll(self) -> None:
        """See what happened beside the run, and end what may not go on."""
        if self._beside and not self._beside.poll(self._init()) and not self._is_stopped:
            self._is_stopped = True
            _end(self.child)

    def _stopped(self, watched: "dict[int, Callable[[], None]]") -> None:
        del watched[self._stop]
        self._is_stopped = True
        _end(self.child)

    def _end_in_time(self, child: int) -> None:
        limit = self.launch.settings.time
        if limit is not None and not self._timed_out and monotonic() - self._began >= limit:
            self._timed_out = True
            _end(child)

    def _end_in_size(self, child: int) -> None:
        if self._room is not None and self._room.exceeded():
            self._room, self._full = None, True
            _end(child)

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
            # The line comes in ten pieces, at once, and before anything runs inside.
            while data and not data.endswith(b"\n"):
                data = os.read(status, 4096)
                self._text += data
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
            from execpolicy.sandbox.backends.published import Published, enter

            init = self._init()
            self._published = Published(ports, lambda: enter(init))

    def _signal_forwarder(self, streams: Streams) -> "Delivery":
        """What hands signals on, made with the first of them: most runs get none."""
        if self._delivery is None:
            from execpolicy.sandbox.backends.start.delivery import Delivery

            self._delivery = Delivery(self.child, self._init, streams, direct=self._direct)
        return self._delivery

    def _init(self) -> int:
        """The first process of the sandbox, by its number here; 0 while there is none."""
        return _number(self._text, b'"child-pid":') or 0

    def _outcome(self, ended: int) -> RunOutcome:
        if self._direct:
            own = os.waitstatus_to_exitcode(ended)
            shown = own if own >= 0 else 128 - own
            return RunOutcome(shown, True, True, self._timed_out, lost=self._lost, said=self._said)
        code = _number(self._text, b'"exit-code":')
        received = self._delivery.received if self._delivery else 0
        # What was ended from here before it stood says nothing about the sandbox of this machine.
        is_ended = bool(received) or self._timed_out or self._full or self._is_stopped
        if code is None and not is_ended and not os.WIFSIGNALED(ended):
            return RunOutcome(os.waitstatus_to_exitcode(ended), self._init() > 0, False)
        if code is None:
            code = 128 + (received or os.WTERMSIG(ended) or _KILL)
        began = self._init() > 0 or is_ended
        made = RunOutcome(code, began, True, self._timed_out, self._full, self._lost, self._said)
        return made.replace(refused=tuple(self._sockets.refused)) if self._sockets else made


def _arrive() -> bool:
    """Whether what is mounted on this machine later arrives in a new namespace, too.

    So it is below a mount that is shared, as each is that systemd made (mount_namespaces(7)).
    """
    with open("/proc/self/mountinfo", "rb", buffering=0) as file:
        found = file.read()
    return b" shared:" in found or b" master:" in found


def _sockets(launch: "Launch") -> "OwnSockets":
    """What judges the connections of a run, with what is mounted to be written."""
    from execpolicy.sandbox.backends.connections.own_sockets import OwnSockets

    options = launch.options
    return OwnSockets(tuple(options[at + 1] for at, word in enumerate(options) if word == "--bind"))


def _groups(launch: "Launch") -> "Groups | None":
    """The control groups of a run, if its limits take any."""
    if launch.settings.processes is None and launch.settings.memory is None:
        return None
    from execpolicy.sandbox.backends.control_groups import Groups

    return Groups(launch.settings)


def _end(child: int) -> None:
    from execpolicy.sandbox.backends import process_tree

    process_tree.end(child)


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
