"""Runs one command of a session in a sandbox of its own, among the namespaces that they share.

bubblewrap is started in these, by a process that waits for it outside. So the command's end is not
the end of what it left running: the walls are watched until nothing of it lives.
"""

import os
import select
from _collections_abc import Callable, Sequence
from time import monotonic, time

from execpolicy.sandbox.backends import halted, process_tree
from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.backends.connections.own_sockets import OwnSockets
from execpolicy.sandbox.backends.control_groups import Groups
from execpolicy.sandbox.backends.limits import take
from execpolicy.sandbox.backends.serving import Serving
from execpolicy.sandbox.backends.start.child import NOT_STARTED, prepare_process, tell_failed
from execpolicy.sandbox.backends.start.launch import Launch
from execpolicy.sandbox.backends.start.launcher import SHORT, _groups, _number
from execpolicy.sandbox.backends.start.prepared import BESIDE, Prepared, find, options_known
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.session.size import Room
from execpolicy.sandbox.walls import Wall
from execpolicy.support.record import Value
from execpolicy.wrap.descriptors import Descriptors
from execpolicy.wrap.namespaces import Namespaces, die_with_parent
from execpolicy.wrap.outside.ports import OpenPorts
from execpolicy.wrap.start.calls import Calls, limit
from execpolicy.wrap.start.launching import becoming, entering, has_place, launcher, unseen
from execpolicy.wrap.start.spawner import Spawner
from execpolicy.wrap.start.wall_calls import BEHIND, walls_of

Watched = dict[int, Callable[[], None]]
Limits = tuple[int, list[tuple[int, int, int]]]
"""How nice a process is, and its limits, as `limits.of_process` gives them."""

MAX_STATUS = 1 << 16
FIRST_LOOK, LAST_LOOK = 0.05, 2.0
"""Seconds between two looks of which nothing but time is the reason, after the command's end: the
first, and at most."""
LAUNCHER = "execpolicy"
"""What the processes are called that wait for commands."""
DEFAULT_SIGNALS = (13, 25, 17)
"""SIGPIPE and SIGXFSZ, which Python ignores, and SIGCHLD, for bubblewrap waits for its children."""
KILL, STOP, TERMINAL_STOP = 9, 19, 20
"""SIGKILL, SIGSTOP and SIGTSTP (signal(7))."""


class Ends(Value):
    """What a run is told by its shim, and tells it.

    `fd` is readable where there is something to take. `signals` gives the signals that came since,
    None where the shim has gone. `ended` is called with the code of a command of which something
    still runs.
    """

    fd: int
    signals: "Callable[[], bytes | None]"
    ended: "Callable[[int], None]"


class InSession(Value):
    """The backend of a command: walls as `run` makes them, in the session's namespaces.

    `alone`: with a network of its own. `whole`: the namespaces are its own, and end with it.
    `umask` and `limits` are those of the shim. `binds` are directories of this machine with their
    places inside, and whether they are written there.
    """

    name = "bubblewrap"

    namespaces: Namespaces
    given: "tuple[tuple[int, int], ...]"
    ends: Ends
    alone: bool = False
    whole: bool = False
    umask: int = 0o22
    limits: "Limits" = (0, [])
    binds: "Sequence[tuple[str, str, bool]]" = ()

    def run(self, plan: "Plan", _given: object, watching: Watching) -> RunOutcome:
        """Run the command, until nothing of it lives. Raises `NoSandboxError`."""
        program = find()
        walls = self._walls(plan, program)
        if walls is None:
            launch = self._bound(rendered(plan, program, joined=True), plan)
        else:
            launch = rendered(plan, words=(*BEHIND, "--chdir", plan.cwd))
        try:
            prepared = Prepared(program, launch, covered=walls is not None)
        except OSError as error:
            raise NoSandboxError(f"the run cannot be prepared: {error}") from None
        with prepared:
            streams = Descriptors(self.given, plan)
            opened = tuple(one.path for one in plan.mounts if one.wall is Wall.WRITE)
            return _Run(self, launch, prepared, streams, watching, walls, opened).run()

    def _walls(self, plan: "Plan", program: str) -> "Calls | None":
        """What puts up the walls; None where bubblewrap is to make all of them."""
        if not self.namespaces.takes_walls or BESIDE in options_known(program):
            return None
        return walls_of(plan, tuple(one for one in self.binds if has_place(one, plan)))

    def _bound(self, launch: "Launch", plan: "Plan") -> "Launch":
        """The launch with what is bound, where there is a place for that."""
        words = [*launch.options]
        at = words.index("--remount-ro")
        for one in self.binds:
            if has_place(one, plan):
                words[at:at] = ("--bind" if one[2] else "--ro-bind", *one[:2])
        return launch.replace(options=tuple(words))


class _Run:
    """One run of a launch."""

    def __init__(
        self,
        backend: InSession,
        launch: "Launch",
        prepared: Prepared,
        descriptors: Descriptors,
        watching: Watching,
        walls: "Calls | None",
        opened: "tuple[str, ...]",
    ) -> None:
        self._walls = walls
        self._backend, self._launch, self._prepared = backend, launch, prepared
        self._streams, self._beside = descriptors, watching.beside
        self._program = launcher(prepared)
        self._command = unseen(prepared, self._program, *backend.limits)
        self._gate = watching.gate() if watching.gate else None
        self._sockets = OwnSockets(opened) if launch.hands_over else None
        self._watched: Watched = {}
        self._text = b""
        self._child = self._inner = 0
        self._held, self._mounts = -1, ""
        self._began, self._started_at = monotonic(), time()
        self._is_long = False
        self._pause = self._rested = 0.0
        self._killed = self._timed_out = self._full = False
        self._room: Room | None = None
        self._ports: OpenPorts | None = None
        self._signal = 0

    def run(self) -> RunOutcome:
        """Run to the end of all that it starts."""
        groups = _groups(self._launch)
        if self._beside:
            self._beside.begin()
        status, told = os.pipe()
        try:
            self._child = self._started(told, groups)
            os.close(told)
            self._streams.started()
            serving = self._gate.open(self._child) if self._gate else None
            ended = self._wait(status, serving)
            outcome = self._outcome(ended)
            self._outlast(outcome)
        finally:
            for one in (self._gate, self._sockets):
                if one:
                    one.close()
            if groups:
                groups.remove()
            for fd in (status, self._held):
                if fd >= 0:
                    os.close(fd)
        return outcome.replace(refused=tuple(self._sockets.refused)) if self._sockets else outcome

    def _started(self, told: int, groups: "Groups | None") -> int:
        """Start what enters the session and waits for bubblewrap: a launcher that is not a copy
        of this process, where it can do that; its number."""
        child = 0
        if self._walls and not (groups or self._gate or self._backend.alone):
            if self._program >= 0:
                return self._launched(told)
            child = 0 if self._sockets else self._launched_small(told, self._walls)
        child = child or os.fork()
        if child == 0:
            self._become(told, groups)
        return child

    def _launched(self, told: int) -> int:
        """Start the launcher (`launch.c`)."""
        prepared, streams = self._prepared, self._streams
        entered, walls = self._backend.namespaces.opened, self._walls or Calls()
        sockets = self._sockets.handed(prepared.in_memory) if self._sockets else (0, 0, 0)
        kept = [fd for fd in prepared.kept if fd != prepared.copy and fd not in sockets]
        kept += (told, *streams.more)
        listed = [prepared.in_memory(one.encoded()) for one in (entering(entered), walls)]
        after = becoming(kept, self._launch.settings, self._backend.umask)
        listed += (*sockets, prepared.in_memory(after.encoded()))
        words = [LAUNCHER, *map(str, listed), prepared.path, *prepared.words]
        words += ["--json-status-fd", str(told), "--", *self._command]
        actions = [(os.POSIX_SPAWN_DUP2, fd, n) for n, fd in enumerate(streams.inner)]
        handed = (self._program, *kept, *prepared.kept, *entered, sockets[0])
        actions += [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in dict.fromkeys(handed)]
        return os.posix_spawn(
            f"/proc/self/fd/{self._program}",
            words,
            dict(self._launch.environment),
            file_actions=actions,
            setsigdef=DEFAULT_SIGNALS,
        )

    def _launched_small(self, told: int, walls: "Calls") -> int:
        """Have a small process start it; 0 where that did not."""
        prepared, streams = self._prepared, self._streams
        entered = self._backend.namespaces.opened
        kept = [fd for fd in prepared.kept if fd != prepared.copy]
        kept += (told, *streams.more)
        after = becoming(kept, self._launch.settings, self._backend.umask)
        limit(after, *self._backend.limits)
        words = [*prepared.words, "--json-status-fd", str(told), "--", *self._command]
        given = dict(enumerate(streams.inner)) | {fd: fd for fd in (*prepared.kept, *entered, told)}
        given |= streams.more
        calls = entering(entered).rows, walls.rows, after.rows
        request = calls, prepared.path, words, dict(self._launch.environment), tuple(given)
        return _spawner.launch(request, tuple(given.values()))

    def _become(self, told: int, groups: "Groups | None") -> None:
        """Enter the session in the child, and wait there for bubblewrap; never returns."""
        code = NOT_STARTED
        try:
            if groups:
                groups.join()
            self._backend.namespaces.enter(alone=self._backend.alone)
            die_with_parent()
            if self._sockets:
                self._sockets.install(alone=True)
            if self._gate:
                self._gate.hand_over()
            started = self._spawned(told)
            os.closerange(0, os.sysconf("SC_OPEN_MAX"))
            code = os.waitstatus_to_exitcode(os.waitpid(started, 0)[1])
        except BaseException as error:
            tell_failed(error)
        finally:
            os._exit(code if code >= 0 else 128 - code)

    def _spawned(self, told: int) -> int:
        """Start bubblewrap, which is one of the session's processes; its number."""
        prepared, words = self._prepared, [*self._prepared.words]
        words += ("--json-status-fd", str(told), "--", *self._command)
        for number, fd in self._streams.more.items():
            os.dup2(fd, number)
        kept = [*prepared.kept, told, *self._streams.more]
        prepare_process(self._streams.inner, self._launch.settings, kept)
        if prepared.copy >= 0:
            os.set_inheritable(prepared.copy, False)
        if self._walls:
            self._walls.make()
        os.umask(self._backend.umask)
        take(*self._backend.limits)
        return os.posix_spawn(prepared.path, words, dict(self._launch.environment), setsid=True)

    def _wait(self, status: int, serving: "Serving | None") -> int:
        """Watch until the command has ended; the wait status of what waits for it."""
        watched, ends = self._watched, self._backend.ends
        watched[status] = lambda: self._begin(status)
        watched[ends.fd] = self._take_signals
        if self._beside and self._beside.fd >= 0:
            watched[self._beside.fd] = self._poll
        if serving:
            serving.watch(watched)
        if self._sockets:
            self._sockets.watch(watched)
        self._streams.watch(watched)
        self._follow(self._child)
        ended = os.waitpid(self._child, 0)[1]
        while self._read(status):
            pass
        self._streams.drain()
        return ended

    def _turn(self, process: int) -> bool:
        """Wait for one thing to happen, and do what it needs; whether `process` has ended."""
        poller = select.poll()
        for fd in self._streams.feed():
            poller.register(fd, select.POLLOUT)
        for fd in (process, *self._watched):
            if fd >= 0:
                poller.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poller.poll(self._patience())]
        for fd in ready:
            if fd in self._watched:
                self._watched[fd]()
        return process in ready

    def _patience(self) -> float | None:
        """Milliseconds until something is due."""
        due = [self._began + SHORT] if self._inner and not self._is_long else []
        if self._beside and self._beside.due is not None:
            due.append(max(self._beside.due, self._rested))
        due += [one.due for one in (self._room, self._ports) if one is not None]
        limit = self._launch.settings.time
        if limit is not None and not self._timed_out:
            due.append(self._began + limit)
        return max(0.0, min(due) - monotonic()) * 1000 + 1 if due else None

    def _when_due(self) -> None:
        limit, now = self._launch.settings.time, monotonic()
        if limit is not None and not self._timed_out and now - self._began >= limit:
            self._timed_out = True
            self._end()
        if self._room is not None and self._room.exceeded():
            self._room, self._full = None, True
            self._end()
        if self._ports is not None and now >= self._ports.due and (process := self._one()):
            self._ports.report(process)
        if not self._is_long and self._inner and now - self._began >= SHORT:
            self._is_long = True
            self._last_longer()
        elif self._beside is None or self._beside.due is None:
            return
        elif now >= max(self._beside.due, self._rested):
            self._poll()
            self._rested = now + self._pause
            self._pause = min(2 * self._pause, LAST_LOOK)

    def _last_longer(self) -> None:
        """Begin what is worth it for a command that takes longer than a moment."""
        if not self._launch.offline:
            self._ports = OpenPorts(self._launch.session, self._launch.settings.listen)
        if self._launch.temporary:
            self._room = Room(
                self._launch.temporary, self._launch.settings.temporary, self._started_at
            )
        if self._beside:
            self._beside.follow()
            self._poll()

    def _poll(self) -> None:
        """See what happened beside the run, and end what may not go on."""
        if self._beside and not self._beside.poll(self._one()):
            self._end()

    def _begin(self, status: int) -> None:
        """Learn which process the command is. What bubblewrap says after that is read at the end:
        it writes each word of it by itself."""
        more = self._read(status)
        if more and _number(self._text, b'"child-pid":'):
            self._inner = process_tree.shim_of(process_tree.shim_of(self._child))
            if self._inner:
                self._held, self._mounts = halted.held_mounts(self._inner)
        if self._inner or not more:
            del self._watched[status]

    def _read(self, status: int) -> bool:
        """Take what bubblewrap says; whether it says more."""
        data = os.read(status, 4096)
        self._text += data[: MAX_STATUS - len(self._text)]
        return bool(data)

    def _take_signals(self) -> None:
        """Give the command the signals of its shim; where that has gone, it ends."""
        numbers = self._backend.ends.signals()
        if numbers is None:
            del self._watched[self._backend.ends.fd]
            self._kill()
            return
        for number in numbers:
            self._signal = self._signal or number
            self._send(STOP if number == TERMINAL_STOP else number)

    def _send(self, number: int) -> None:
        """Send a signal to the command and those that run in its group."""
        try:
            if self._inner:
                os.killpg(self._inner, number)
            elif number not in (18, 28):
                self._kill()
        except ProcessLookupError:  # it has no group yet, or no longer
            return

    def _end(self) -> None:
        """Kill all that the command started, whatever groups that made."""
        process = self._one()
        if not process:
            self._kill()
            return
        self._killed = True
        with halted.Halted(process):
            halted.end(halted.members(process))

    def _kill(self) -> None:
        self._killed = True
        self._send(KILL) if self._inner else process_tree.end(self._child)

    def _one(self) -> int:
        """A process of the run; 0 where there is none."""
        if self._inner and halted.mounts_of(self._inner) == self._mounts:
            return self._inner
        return self._left()

    def _outcome(self, ended: int) -> RunOutcome:
        code = _number(self._text, b'"exit-code":')
        begun = self._inner > 0 or self._killed or self._signal > 0
        if code is None and not begun:
            return RunOutcome(os.waitstatus_to_exitcode(ended), False, False)
        if code is None and not self._killed and not self._signal:
            return RunOutcome(os.waitstatus_to_exitcode(ended), True, False)
        if code is None:
            code = 128 + (self._signal or KILL)
        return RunOutcome(code, True, True, self._timed_out, self._full)

    def _outlast(self, outcome: RunOutcome) -> None:
        """Watch what the command left running, until it has ended; its code is told before, but for
        one that was ended: why is told with it, and what is left is about to end, too."""
        told = self._killed
        if self._backend.whole:
            self._backend.namespaces.release()
        while not self._backend.whole and (left := self._left()):
            if not told:
                told, self._pause = True, FIRST_LOOK
                self._streams.release()
                self._backend.ends.ended(outcome.code)
                self._watched.pop(self._backend.ends.fd, None)
            self._follow(left)
        if self._beside and self._mounts:
            self._beside.over()

    def _left(self) -> int:
        """A process that the command left; 0 where there is none."""
        return self._backend.namespaces.left(self._mounts) if self._mounts else 0

    def _follow(self, number: int) -> None:
        """Watch until this process has ended."""
        try:
            process = os.pidfd_open(number)
        except ProcessLookupError:
            return
        try:
            while not self._turn(process):
                self._when_due()
        finally:
            os.close(process)


_spawner = Spawner()
