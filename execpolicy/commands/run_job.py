"""Runs what was decided about, and tells what it could not do."""

import gc
import os

from execpolicy.commands.exit_codes import ExitCode, say
from execpolicy.model.errors import UsageError, printable
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.model.confinement import SandboxSettings
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.finished_run import FinishedRun
    from execpolicy.sandbox.plan import Approved, Plan
    from execpolicy.sandbox.scan.git import GitUse
    from execpolicy.sandbox.walls import Mount

    Needed = Callable[[], tuple[GitUse, tuple[Approved, ...]]]


class Runnable(Value):
    """What is run to the end by `run`. `job` gives the whole of it, for what is told of it."""

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    settings: "SandboxSettings"
    run: "Callable[[], FinishedRun]"
    job: "Callable[[], Job]"


def runnable(job: "Job") -> Runnable:
    """A job that was prepared just now, told which programs of this machine it may use."""
    from execpolicy.sandbox import running

    plan = job.plan
    for mount in opened_sockets(plan):
        by = f" by {mount.origin}" if mount.origin else ""
        say(f"this run may use `{mount.path}`{by}")
    return Runnable(
        plan.argv, plan.environment, plan.settings, lambda: running.run(job), lambda: job
    )


def go(what: Runnable, status: str | None, needed: "Needed") -> int:
    """Run to the end; the exit code of `run`.

    `status` is the number of the descriptor that is told what became of it. `needed` gives what
    the command does with git and the paths that it names, if it failed.
    """
    missing = _program(what)
    if missing:
        where = "there" if "/" in what.argv[0] else "found on PATH"
        return report_refusal(status, missing, f"`{printable(what.argv[0], 80)}` is not {where}")
    try:
        done = what.run()
    except OSError as error:
        return report_refusal(status, ExitCode.NO_SANDBOX, f"the run cannot be prepared: {error}")
    except NoSandboxError as error:
        return report_refusal(status, ExitCode.NO_SANDBOX, str(error))
    if not done.outcome.started:
        from execpolicy.sandbox.cure import cure

        return report_refusal(status, ExitCode.NO_SANDBOX, cure())
    return _ended(what, done, status, needed)


def go_alone(what: Runnable, status: str | None, needed: "Needed") -> int:
    """`go` in a process that ends with the run."""
    gc.freeze()  # what is there stays: to look for rings in it would cost as much as the start
    gc.enable()  # a run may last, and its proxy too
    return go(what, status, needed)


def _ended(what: Runnable, done: "FinishedRun", status: str | None, needed: "Needed") -> int:
    """Tell what became of a run that began; its exit code."""
    code = _code(what, done)
    if done.outcome.lost:
        say(f"not all output could be written: {done.outcome.lost.lower()}")
    if done.outcome.full:
        why = "the `/tmp` of the session holds too much: remove what is not needed any more"
        say(f"{why}, or let the user raise `sandbox(temporary = …)`")
    if done.moved or done.problems or done.lost or done.told or code:
        from execpolicy.commands.afterwards import tell

        tell(what.job(), done, needed)
    said = {"exit": code, "timed_out": done.outcome.timed_out}
    report(status, {**said, "backend": what.settings.backend})
    return code


def changes(verdict: "Verdict", job: "Job") -> bool:
    """Whether a run may change anything that outlives it."""
    from execpolicy.engine.standing import only_reads

    return job.writes and not only_reads(verdict)


def opened_sockets(plan: "Plan") -> "list[Mount]":
    """The sockets of programs of this machine that a run may talk to."""
    from stat import S_ISSOCK

    from execpolicy.sandbox.walls import Wall

    written = [one for one in plan.mounts if one.wall is Wall.WRITE and os.path.exists(one.path)]
    return [one for one in written if S_ISSOCK(os.stat(one.path).st_mode)]


def leader(session: str | None) -> str:
    """The process that the session of this run lasts as long as; empty for a run of its own.

    Raises `UsageError` where `session` is not a process.
    """
    if session is None:
        from execpolicy.commands.ancestors import session_leader

        return session_leader()
    from execpolicy.support import processes

    name = processes.living(int(session))
    if not name:
        raise UsageError(f"there is no process `{session}`")
    return name


def writable(status: str | None) -> None:
    """Raise `UsageError` where nothing can be written to the descriptor of this number."""
    if status is None:
        return
    from fcntl import F_GETFL, fcntl

    try:
        mode = fcntl(int(status), F_GETFL) & os.O_ACCMODE
    except (OSError, OverflowError):
        mode = os.O_RDONLY
    if mode == os.O_RDONLY:
        raise UsageError(
            f"descriptor {printable(status, 20)} is not open for writing: "
            f"`execpolicy run --status-fd 9 … 9>FILE`"
        )


def report_refusal(status: str | None, code: int, why: str) -> int:
    """Say why nothing ran, and give the code for that."""
    say(printable(why, 500))
    report(status, {"exit": int(code), "refused": why})
    return code


def _code(what: Runnable, done: "FinishedRun") -> int:
    if done.lost:
        return ExitCode.NO_SANDBOX
    if done.outcome.timed_out:
        return ExitCode.TIMED_OUT
    if not done.outcome.ran:
        return _not_run(what)
    if (done.outcome.lost or done.problems) and not done.outcome.code:
        return ExitCode.ERROR
    return done.outcome.code


def _not_run(what: Runnable) -> int:
    """What a shell says of what does not begin: 127 where there is nothing (POSIX, 2.8.2)."""
    name = what.argv[0]
    there = "/" not in name or os.path.lexists(os.path.join(what.job().plan.cwd, name))
    return 126 if there else 127


def _program(what: Runnable) -> int:
    """127 where there is no such program, on PATH or by its path; else 0."""
    name = what.argv[0]
    if "/" in name:
        return 0 if os.path.lexists(name) or _not_run(what) == 126 else 127
    path = dict(what.environment).get("PATH", "")
    found = any(os.path.exists(os.path.join(d or ".", name)) for d in path.split(":"))
    return 0 if found else 127


def report(status: str | None, said: "dict[str, object]") -> None:
    """One line of JSON for the program that asked for it."""
    if status is not None:
        from execpolicy.support.json_encode import encode

        try:
            os.write(int(status), f"{encode(said)}\n".encode())
        except OSError as error:  # what the command did stands
            say(f"descriptor {status} was not told: {(error.strerror or str(error)).lower()}")
