"""The sandbox as a library: decide, confine, and give back what came out."""

import os
from collections.abc import Callable, Mapping, Sequence

from execpolicy.engine.engine import Engine, directory
from execpolicy.engine.guard import Denied
from execpolicy.engine.requests import request_of
from execpolicy.model.confinement import settle
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.split import SplitPolicy
from execpolicy.model.verdict import Verdict
from execpolicy.sandbox import box, running
from execpolicy.sandbox.backends.backend import Backend
from execpolicy.sandbox.cure import cure
from execpolicy.sandbox.denied.denials import Denial, denials
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.leftovers.quarantine import Moved
from execpolicy.sandbox.plan import Approved, Plan
from execpolicy.sandbox.ruling import Ruling, ruling, runs_unknown
from execpolicy.sandbox.scan.git import GitUse
from execpolicy.sandbox.scan.offline import is_offline
from execpolicy.sandbox.scan.paths_named import paths_bound, paths_named, paths_read
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import processes
from execpolicy.support.record import Value

Command = str | Sequence[str]
Prepare = Callable[[Snapshot, box.Wanted], Job]


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


class Attempt(Value):
    """A command, decided about once: what is asked about it, and what is run, are the same.

    `snapshot` is the policy that the verdict is from, and by which the walls are made.
    """

    request: Request
    snapshot: Snapshot
    verdict: Verdict
    use: GitUse
    ruling: Ruling


class Sandbox(Value):
    """Runs commands under the policy of an engine.

    `confined` asks only about what the walls do not hold. `backend` builds the walls in the place
    of the one that the rules name. `environment` is what a command's own is chosen from; without
    one it is this process's. `session` is the number of a process, this one or another: commands
    that run at the same time share a loopback, and all share `/tmp`, for as long as it lives.
    The entries of `split` take away from what the rules let be written and seen. `snapshots`: who
    runs what was decided about takes a snapshot before it, and looks at `Ruling.undo`. `prepare`
    stands in the place of `box.prepared`.
    """

    engine: Engine
    confined: bool = True
    backend: Backend | None = None
    environment: Mapping[str, str] | None = None
    session: int | None = None
    split: SplitPolicy | None = None
    snapshots: bool = False
    prepare: Prepare = box.prepared

    def plan(self, command: Command, *, cwd: str | None = None) -> Plan:
        """How a command would be confined. Raises `RequestError` for a wrong command."""
        return self.job(self.attempt(command, cwd=cwd)).plan

    def decide(self, command: Command, *, cwd: str | None = None) -> Verdict:
        """The verdict about a command, read as bash reads it."""
        return self.engine.decide(_request(command, cwd))

    def ruling(self, command: Command, *, cwd: str | None = None) -> Ruling:
        """Which decision about a command counts here, and why."""
        return self.attempt(command, cwd=cwd).ruling

    def attempt(self, command: Command, *, cwd: str | None = None) -> Attempt:
        """A command with what the policy of this moment says about it; nothing is run.

        Raises `RequestError` for a wrong command.
        """
        return self.requested(_request(command, cwd))

    def requested(self, request: Request) -> Attempt:
        """The same for a request with an absolute directory."""
        while True:
            snapshot = self.engine.snapshot
            verdict = self.engine.decide(request)
            if snapshot is self.engine.snapshot:
                break
        use = box.use_of_git(request, snapshot, verdict)
        settings = settle(snapshot.policy.sandbox)
        ruled = ruling(verdict, settings, self.confined, use, self.snapshots)
        return Attempt(request, snapshot, verdict, use, ruled)

    def execute(
        self,
        command: Command,
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
        return self.carry_out(self.attempt(command, cwd=cwd), stdin, timeout, approved)

    def carry_out(
        self,
        attempt: Attempt,
        stdin: bytes = b"",
        timeout: float | None = None,
        approved: bool = False,
        stop: int = -1,
    ) -> Result:
        """Run what was decided about, under the policy that decided: see `execute`."""
        ruled = attempt.ruling
        if ruled.decision is Decision.FORBIDDEN or (ruled.decision and not approved):
            raise Denied(attempt.verdict, f"{ruled.decision.word}: {ruled.reason}")
        named = paths_named(attempt.request, attempt.snapshot)
        opened = named if ruled.decision else paths_bound(attempt.request, attempt.snapshot)
        job = self.job(attempt, timeout, opened)
        result = self._run(job, stdin, stop)
        denied = denials(job.plan, attempt.use, named) if result.code else ()
        return result.replace(denials=denied)

    async def execute_async(
        self,
        command: Command,
        *,
        cwd: str | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        approved: bool = False,
    ) -> Result:
        """The same without holding up the event loop. Who cancels it ends the command."""
        import asyncio

        request = _request(command, cwd)
        read, write = os.pipe()
        running = asyncio.ensure_future(
            asyncio.to_thread(
                lambda: self.carry_out(self.requested(request), stdin, timeout, approved, read)
            )
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

    def job(
        self,
        attempt: Attempt,
        timeout: float | None = None,
        approved: tuple[Approved, ...] = (),
        root: str | None = None,
    ) -> Job:
        """What was decided about, ready to be run; `root` is where the session works, if that is
        another directory. Raises `NoSandboxError`."""
        request, snapshot = attempt.request, attempt.snapshot
        words = box.shell_words(request.text) if request.text is not None else request.argv or ()
        leader = processes.name_of(self.session) if self.session is not None else ""
        wanted = box.Wanted(
            attempt.use,
            tuple(words),
            root or request.cwd or "/",
            given=self.environment,
            approved=approved,
            read=tuple(paths_read(request, snapshot, attempt.verdict)),
            split=self.split,
            offline=is_offline(attempt.verdict),
        )
        made = self.prepare(snapshot, wanted)
        way = None
        if runs_unknown(attempt.verdict) and not approved:
            from execpolicy.sandbox.backends.serving import Way

            way = Way(lambda: snapshot.policy, registries=True)
        job = box.connected(made, snapshot, way, leader)
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
        problems = (*done.lost, *done.told, *done.problems)
        return Result(code, out, err, (), done.moved, done.outcome.timed_out, problems)


def _request(command: Command, cwd: str | None) -> Request:
    """A text as bash reads it, or words as they are."""
    request = request_of(command, cwd, "bash")
    return request.replace(cwd=directory(request.cwd))


def _whole(fd: int) -> bytes:
    size = os.lseek(fd, 0, os.SEEK_END)
    return os.pread(fd, size, 0)
