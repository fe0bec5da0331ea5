"""The sandbox of the agent itself: the walls of a command, its state, and shims for programs."""

import os
from _collections_abc import Iterator, Mapping

from execpolicy.hosts.agents.agent import AgentEntry, StateColumn
from execpolicy.model.split import SplitPolicy
from execpolicy.sandbox import box
from execpolicy.sandbox.backends.backend import RunOutcome, Watching
from execpolicy.sandbox.backends.bubblewrap import mounted, rendered
from execpolicy.sandbox.backends.mounts import (
    BIND,
    NEW_MOUNTS,
    NO_DEVICES,
    NO_PROGRAMS,
    NO_SUID,
    PRIVATE,
    READ_ONLY,
    RECURSIVE,
    REMOUNT,
    mount,
)
from execpolicy.sandbox.backends.serving import Asking, Serving, Way
from execpolicy.sandbox.backends.start.become import launched
from execpolicy.sandbox.backends.start.launch import Launch
from execpolicy.sandbox.backends.start.prepared import find
from execpolicy.sandbox.backends.way_out import Gate
from execpolicy.sandbox.job import Job, in_session
from execpolicy.sandbox.kernel import call
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.scan.environment import has_password
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.sandbox.walls import Mount, Wall
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.wrap.home.plan import SessionHome
from execpolicy.wrap.programs import BEGIN, OPENER, SHELL, SOCKET, AgentProgram, ShimDirectories

HTTPS = 443
_LOOPBACK = ("localhost", "127.0.0.1")
_NOT_PASSED = ("EXECPOLICY_", "LD_", "PYTHON")
_SET = frozenset(("TMPDIR", "TMPPREFIX", "HOME", "PWD", "OLDPWD"))
"""Variables that the sandbox sets, or that have no meaning in it."""
_KEPT = READ_ONLY | NO_SUID | NO_DEVICES | 1024 | 2048
"""What a mount keeps that is mounted again; the last are ST_NOATIME and ST_NODIRATIME, by their
numbers in statvfs(3) and mount(2) alike."""


class AgentSetup(Value):
    """An agent that is to be started: `entry` is what is known of it, `program` what starts it.

    `state` are directories and files that it writes beside those of the entry, `passed` variables
    that are its own, `hosts` those that its model is reached at, with their ports.
    """

    entry: AgentEntry
    program: AgentProgram
    state: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    hosts: tuple[tuple[str, int], ...] = ()


def agent_job(
    agent: AgentSetup,
    snapshot: "Snapshot",
    cwd: str,
    given: "Mapping[str, str]",
    leader: str,
    split: "SplitPolicy | None" = None,
) -> Job:
    """The plan of the agent's sandbox, with its way to its model. Raises `NoSandboxError`."""
    wanted = box.Wanted(GitUse(), agent.program.words, cwd, given=given, split=split)
    made = box.prepared(snapshot, wanted)
    plan = made.plan
    reached = tuple(port for host, port in agent.hosts if host in _LOOPBACK)
    settings = plan.settings.replace(time=None, listen=(), reach=(*plan.settings.reach, *reached))
    environment = {**dict(plan.environment), **_own_variables(agent, snapshot, given)}
    variables = tuple(sorted(environment.items()))
    plan = plan.replace(environment=variables, settings=settings, session="")
    own = (*agent.entry.model_hosts, *agent.entry.login_hosts)
    named = (*agent.hosts, *((host, HTTPS) for host in own))
    way = Way(lambda: snapshot.policy, Asking(named=frozenset(named)))
    job = in_session(made.replace(plan=plan), leader)
    return box.with_way(job.replace(plan=job.plan.replace(session="")), way)


def _own_variables(
    agent: AgentSetup, snapshot: "Snapshot", given: "Mapping[str, str]"
) -> "dict[str, str]":
    """The agent's variables beside those of any command: what is not a secret, and its own keys."""
    entry, known = agent.entry, snapshot.variables
    own = (*entry.key_variables, *entry.model_variables, *agent.passed)
    found = {
        name: value
        for name, value in given.items()
        if name in own or not (known.secret(name) or has_password(value))
    }
    passed = {n: v for n, v in found.items() if not n.startswith(_NOT_PASSED)}
    kept = {**dict(entry.defaults), **passed}
    home = os.path.expanduser("~")
    kept.update(
        (name, home + value[1:] if value[:2] == "~/" else value) for name, value in entry.variables
    )
    return {name: value for name, value in kept.items() if name not in _SET} | {"BROWSER": OPENER}


class _Gate:
    """The way to the model, made by the process that becomes bubblewrap: in mounts of its own, in
    which nothing is executed that lies where the agent can `write`."""

    __slots__ = ("_gate", "_written")

    def __init__(self, gate: "Gate", written: "tuple[str, ...]") -> None:
        self._gate, self._written = gate, written

    def hand_over(self) -> None:
        """Hand over what listens, and make these mounts. Raises `OSError`."""
        self._gate.hand_over()
        call("unshare", NEW_MOUNTS)
        mount(None, b"/", RECURSIVE | PRIVATE)
        for path in map(os.fsencode, self._written):
            mount(path, path, BIND | RECURSIVE)
            mount(None, path, BIND | REMOUNT | NO_PROGRAMS | (os.statvfs(path).f_flag & _KEPT))

    def open(self, child: int) -> "Serving":
        """Serve what listens. Raises `NoSandboxError`."""
        return self._gate.open(child)

    def close(self) -> None:
        """End what is served."""
        self._gate.close()


class AgentBackend(Value):
    """Starts the agent. `shims` has the programs that it finds."""

    name = "bubblewrap"

    agent: AgentSetup
    home: SessionHome
    shims: ShimDirectories
    root: str
    landlock: bool

    def run(self, plan: "Plan", given: "tuple[int, int, int]", watching: Watching) -> RunOutcome:
        """Run the agent to its end. Raises `NoSandboxError`."""
        program, written = find(), self._written(plan)
        gate = watching.gate
        if gate is not None:
            watching = watching.replace(gate=lambda: _Gate(gate(), written))
        return launched(program, self._launch(plan, program), given, watching)

    def _written(self, plan: "Plan") -> tuple[str, ...]:
        """What the agent can write, parents first, by the paths of this machine."""
        found = [m.path for m in plan.mounts if m.wall is Wall.WRITE and not m.pin]
        found += [plan.temporary] if plan.temporary else []
        found += [*self.agent.state, *(source for source, _ in self.shims.private)]
        code = {f"{self.home.home}/{path}" for path in self.agent.entry.path_of(StateColumn.CODE)}
        found += [b.source for b in self.home.binds if b.writable and b.target not in code]
        found = [path for path in found if not path.startswith("/dev/")]
        return tuple(sorted(dict.fromkeys(found), key=len))

    def _launch(self, plan: "Plan", program: str) -> Launch:
        launch = rendered(plan, program, memory=False)
        words = [*launch.options]
        for source, target in self.shims.private:
            words += ("--bind", source, target)
        words += self._home(plan)
        for path in self.agent.program.seen:
            words += ("--ro-bind", path, path)
        for path in self.agent.state:
            words += ("--bind", path, path)
        for source, target in self.shims.mounts:
            words += ("--ro-bind", source, target)
        words += ("--bind", os.path.join(self.shims.run, "socket"), SOCKET)
        kept = self.shims.executed if self.landlock else ["-"]
        argv = (BEGIN, *kept, "--", *launch.argv)
        # Of a `/tmp` that holds too much the command is ended that fills it, and not the agent.
        return launch.replace(options=tuple(words), argv=argv, shell=SHELL, temporary="")

    def _home(self, plan: "Plan") -> "Iterator[str]":
        """The home of the session in the place of the user's, with what the plan shows of that."""
        for bind in self.home.binds:
            yield from ("--bind" if bind.writable else "--ro-bind", bind.source, bind.target)
            if bind.target == self.home.home:
                for one in plan.mounts:
                    if below(one.path, bind.target) and one.path != bind.target:
                        yield from self._mounted_again(one)

    def _mounted_again(self, one: "Mount") -> "tuple[str, ...]":
        """A mount of the plan below the home, once more: what is hidden there is not in this."""
        if one.wall is Wall.WRITE:
            return ("--bind", one.path, one.path)
        if one.wall is Wall.READ and not one.target:
            return ("--ro-bind", one.path, one.path)
        if below(one.path, self.root) and one.wall is Wall.HIDDEN:
            return tuple(mounted(one, (), "4096", ""))
        return ()
