"""A wrapped session from its start to its end: the agent, and the supervisor beside it."""

import os
import socket

from execpolicy.hosts.agents.agent import StateColumn
from execpolicy.model.confinement import settle
from execpolicy.sandbox import running
from execpolicy.sandbox.backends.published import Published
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.kernel import call, load
from execpolicy.sandbox.session import directory, removal
from execpolicy.store.sources.files import private_directory
from execpolicy.support import processes
from execpolicy.wrap import supervisor, worker
from execpolicy.wrap.agent_sandbox import AgentBackend, AgentSetup, agent_job
from execpolicy.wrap.home.ending import HomeOutcome, ended
from execpolicy.wrap.home.keeping import KeptSession, keep
from execpolicy.wrap.home.made import make
from execpolicy.wrap.home.plan import HomeBind, SessionHome, prepared
from execpolicy.wrap.programs import ShimDirectories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.engine import Engine
    from execpolicy.model.split import SplitPolicy
    from execpolicy.sandbox.leftovers.finished_run import FinishedRun
    from execpolicy.wrap.namespaces import Namespaces
    from execpolicy.wrap.worker import SessionCommands

OWN = "wrap"
"""The directory, in that of the session, of what only the agent has."""
_VERSION = (444, None, 0, 1)
"""landlock_create_ruleset(2) with LANDLOCK_CREATE_RULESET_VERSION."""


class Session:
    """A session of an agent that works in `cwd`, and writes what `split` lets it. `job` is the plan
    of its sandbox."""

    def __init__(
        self, engine: "Engine", agent: AgentSetup, cwd: str, split: "SplitPolicy | None" = None
    ) -> None:
        self.engine, self.agent, self.cwd = engine, agent, cwd
        self.leader = processes.own_name()
        self.outcome = HomeOutcome()
        self.kept: KeptSession | None = None
        self.job = agent_job(agent, engine.snapshot, cwd, os.environ, self.leader, split)
        self._own = ""

    def home(self) -> SessionHome:
        """Make the home of the session. Raises `OSError`."""
        self._own = os.path.join(directory.opened(self.leader, self.job.root), OWN)
        user = os.path.realpath(os.path.expanduser("~"))
        private_directory(self._own)
        make(self.agent.entry, user, self.cwd, self.job.root)
        return _with_downloads(prepared(self.agent.entry, user, os.path.join(self._own, "home")))

    def run(self, namespaces: "Namespaces", home: SessionHome, commands: "SessionCommands") -> int:
        """Run the agent to its end, and end all that it left; its exit code."""
        shims = ShimDirectories(self._own)
        shims.make(self.agent.program, os.environ.get("PATH", os.defpath))
        listener = _listening(shims.run)
        served = worker.Served(listener, namespaces, commands, self.engine.reload)
        child, hold = supervisor.start(served)
        listener.close()
        ports = settle(self.engine.snapshot.policy.sandbox).listen
        published = Published(ports, namespaces.enter_network)
        namespaces.end()
        try:
            backend = AgentBackend(
                self.agent, home, shims, root=self.job.root, landlock=has_landlock()
            )
            done = running.run(self.job, backend=backend, stop=os.pidfd_open(child))
        finally:
            published.close()
            os.close(hold)
            os.waitpid(child, 0)
        self.outcome = ended(home)
        name = os.path.basename(os.path.dirname(self._own))
        self.kept = keep(home, name, self.outcome.apart)
        removal.remove(os.path.dirname(self._own))
        return _code(done)


def _with_downloads(home: SessionHome) -> SessionHome:
    """The home with a place for code that the agent has yet to download, for this session."""
    bound = {bind.target for bind in home.binds}
    made = []
    for one in home.entry.state:
        inside = os.path.join(home.home, one.path)
        if one.column is StateColumn.CODE and one.is_directory and inside not in bound:
            source = os.path.join(home.directory, "downloads", one.path)
            for path in (source, os.path.join(home.own, one.path)):
                os.makedirs(path, 0o700, exist_ok=True)
            made.append(HomeBind(source, inside, True))
    return home.replace(binds=(*home.binds, *made))


def has_landlock() -> bool:
    """Whether the kernel keeps a process to what it may execute (landlock(7))."""
    load()
    try:
        return call("syscall", *_VERSION) >= 1
    except OSError:
        return False


def _listening(run: str) -> socket.socket:
    """The socket in this directory, of which the path may be longer than one of a socket."""
    opened = os.open(run, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return supervisor.listening(f"/proc/self/fd/{opened}/socket")
    finally:
        os.close(opened)


def _code(done: "FinishedRun") -> int:
    """The agent's exit code. Raises `NoSandboxError` where it was not started."""
    if not done.outcome.started:
        from execpolicy.sandbox.cure import cure

        raise NoSandboxError(cure())
    return done.outcome.code
