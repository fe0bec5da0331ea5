"""The sandbox as a library: decide, confine, and give back what came out."""

import os

from execpolicy.engine.engine import Engine, directory
from execpolicy.engine.guard import Denied
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.sandbox import box, running
from execpolicy.sandbox.cure import cure
from execpolicy.sandbox.denials import Denial, denials
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers.quarantine import Moved
from execpolicy.sandbox.look.offline import is_offline
from execpolicy.sandbox.look.paths_named import paths_named
from execpolicy.sandbox.plan import Approved, Plan
from execpolicy.sandbox.ruling import Ruling, ruling
from execpolicy.support import processes
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from execpolicy.model.split import SplitPolicy
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.backends.backend import Backend
    from execpolicy.sandbox.look.git import GitUse

    Command = str | Sequence[str]


class Result(Value):
    """What came of a command.

    `code` is its exit code, 128 and the number of the signal that ended it. `denials` are the paths
    that it names and was kept from, `moved` what it made under protected names. `problems` are
    sentences for the user: about walls that fell, which ended it, and what could not be moved.
    """

    code: int
    stdout: bytes
    stderr: bytes
    denials: tuple[Denial, ...] = ()
    moved: tuple[Moved, ...] = ()
    timed_out: bool = False
    problems: tuple[str, ...] = ()


class Sandbox:
    """Runs commands under the policy of an engine.

    `confined` asks only about what the walls do not hold. `backend` builds the walls in the place
    of the one that the rules name. `environment` is what a command's own is chosen from; without
    one it is this process's. `session` is the number of a process, this one or another: commands
    that run at the same time share a loopback, and all share `/tmp`, for as long as it lives.
    The entries of `split` take away from what the rules let be written and seen.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        confined: bool = True,
        backend: "Backend | None" = None,
        environment: "Mapping[str, str] | None" = None,
        session: int | None = None,
        split: "SplitPolicy | None" = None,
    ) -> None:
        self.engine = engine
        self.confined = confined
        self.backend = backend
        self.environment = environment
        self.session = session
        self.split = split

    def plan(self, command: "Command", *, cwd: str | None = None) -> Plan:
        """How a command would be confined. Raises `RequestError` for a wrong command."""
        request = _request(command, cwd)
        verdict = self.engine.decide(request)
        use = box.use_of_git(request, self.engine.snapshot, verdict)
        return self._job(command, use, cwd, offline=is_offline(verdict)).plan

    def decide(self, command: "Command", *, cwd: str | None = None) -> "Verdict":
        """The verdict about a command, read as bash reads it."""
        return self.engine.decide(_request(command, cwd))

    def ruling(self, command: "Command", *, cwd: str | None = None) -> Ruling:
        """Which decision about a command counts here, and why."""
        request = _request(command, cwd)
        verdict = self.engine.decide(request)
        return self._ruling(verdict, box.use_of_git(request, self.engine.snapshot, verdict))

    def _ruling(self, verdict: "Verdict", use: "GitUse") -> Ruling:
        from execpolicy.model.confinement import settle

        settings = settle(self.engine.snapshot.policy.sandbox)
        return ruling(verdict, settings, self.confined, use)

    def execute(
        self,
        command: "Command",
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        approved: bool = False,
    ) -> Result:
        """Run a text or words to the end; `timeout` is in seconds.

        Raises `Denied` where the policy refuses it, or asks and it was not `approved`; raises
        `NoSandboxError` where no sandbox can be made.
        """
        return self._execute(command, cwd, stdin, timeout, approved)

    def _execute(
        self,
        command: "Command",
        cwd: str | None,
        stdin: bytes,
        timeout: float | None,
        approved: bool,
        stop: int = -1,
    ) -> Result:
        request = _request(command, cwd)
        verdict = self.engine.decide(request)
        use = box.use_of_git(request, self.engine.snapshot, verdict)
        ruled = self._ruling(verdict, use)
        if ruled.decision is Decision.FORBIDDEN or (ruled.decision and not approved):
            raise Denied(verdict, f"{ruled.decision.word}: {ruled.reason}")
        named = paths_named(request, self.engine.snapshot)
        offline = is_offline(verdict)
        opened = named if ruled.decision else ()
        job = self._job(command, use, cwd, timeout, opened, offline=offline)
        result = self._run(job, stdin, stop)
        denied = denials(job.plan, use, named) if result.code else ()
        return result.replace(denials=denied)

    async def execute_async(
        self,
        command: "Command",
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        approved: bool = False,
    ) -> Result:
        """The same without holding up the event loop. Who cancels it ends the command."""
        import asyncio

        read, write = os.pipe()
        running = asyncio.ensure_future(
            asyncio.to_thread(self._execute, command, cwd, stdin, timeout, approved, read)
        )
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            os.write(write, b"\n")
            await asyncio.wait((running,))
            raise
        finally:
            os.close(read)
            os.close(write)

    def _job(
        self,
        command: "Command",
        use: "GitUse",
        cwd: str | None,
        timeout: float | None = None,
        approved: "tuple[Approved, ...]" = (),
        *,
        offline: bool = False,
    ) -> Job:
        words = box.shell_words(command) if isinstance(command, str) else tuple(command)
        snapshot = self.engine.snapshot
        here = directory(cwd) or "/"
        given = self.environment
        leader = processes.name_of(self.session) if self.session is not None else ""
        made = box.prepared(
            snapshot,
            use,
            words,
            here,
            given=given,
            approved=approved,
            split=self.split,
            offline=offline,
        )
        job = box.connected(made, snapshot, None, leader)
        if timeout is None:
            return job
        known = job.plan.settings.time
        time = timeout if known is None else min(known, timeout)
        settings = job.plan.settings.replace(time=time)
        return job.replace(plan=job.plan.replace(settings=settings))

    def _run(self, job: Job, stdin: bytes, stop: int) -> Result:
        """Run with files in memory for the standard descriptors."""
        files = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
        try:
            os.write(files[0], stdin)
            os.lseek(files[0], 0, os.SEEK_SET)
            given = files[0], files[1], files[2]
            done = running.run(job, given, forward=False, backend=self.backend, stop=stop)
            out, err = (_whole(fd) for fd in files[1:])
        finally:
            for fd in files:
                os.close(fd)
        if not done.outcome.started:
            raise NoSandboxError(cure())
        code = done.outcome.code
        problems = (*done.lost, *done.problems)
        return Result(code, out, err, (), done.moved, done.outcome.timed_out, problems)


def _request(command: "Command", cwd: str | None) -> Request:
    """A text as bash reads it, or words as they are."""
    if isinstance(command, str):
        return Request(command, None, directory(cwd), "bash")
    return Request(None, tuple(command), directory(cwd), "bash")


def _whole(fd: int) -> bytes:
    size = os.lseek(fd, 0, os.SEEK_END)
    return os.pread(fd, size, 0)
