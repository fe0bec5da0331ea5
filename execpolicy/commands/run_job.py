"""Runs what was decided about, and tells what it could not do."""

import gc
import os
import sys

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.model.errors import UsageError, printable
from execpolicy.sandbox import running
from execpolicy.sandbox.errors import NoSandboxError
from execpolicy.sandbox.walls import Wall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.look.git import GitUse
    from execpolicy.sandbox.plan import Approved
    from execpolicy.sandbox.running import Done

    Needed = Callable[[], tuple[GitUse, tuple[Approved, ...]]]


def go(job: "Job", status: str | None, needed: "Needed") -> int:
    """Run a job to its end; the exit code of `run`.

    `status` is the number of the descriptor that is told what became of it. `needed` gives what
    the command does with git and the paths that it names, if it failed.
    """
    missing = _program(job)
    if missing:
        return told(status, missing, f"`{printable(job.plan.argv[0], 80)}` is not found on PATH")
    _tell_sockets(job)
    gc.enable()  # a run may last, and its proxy too
    try:
        done = running.run(job)
    except OSError as error:
        return told(status, ExitCode.NO_SANDBOX, f"the run cannot be prepared: {error}")
    except NoSandboxError as error:
        return told(status, ExitCode.NO_SANDBOX, str(error))
    code = _code(done)
    if not done.outcome.started:
        from execpolicy.sandbox.cure import cure

        return told(status, ExitCode.NO_SANDBOX, cure())
    if done.outcome.full:
        why = "the `/tmp` of the session holds too much: remove what is not needed any more"
        print(f"execpolicy: {why}, or let a person raise `sandbox(temporary = …)`", file=sys.stderr)
    if done.moved or code:
        from execpolicy.commands.afterwards import tell

        tell(job, done, needed)
    said = {"exit": code, "timed_out": done.outcome.timed_out}
    _report(status, {**said, "backend": job.plan.settings.backend})
    return code


def _tell_sockets(job: "Job") -> None:
    """Say before the run which programs of this machine it may talk to."""
    if not job.plan.settings.unix:
        return
    from stat import S_ISSOCK

    for mount in job.plan.mounts:
        opens = mount.wall is Wall.WRITE and os.path.exists(mount.path)
        if opens and S_ISSOCK(os.stat(mount.path).st_mode):
            by = f" by {mount.origin}" if mount.origin else ""
            print(f"execpolicy: this run may use `{mount.path}`{by}", file=sys.stderr)


def leader(session: str | None) -> str:
    """The process that the session of this run lasts as long as; empty for a run of its own.

    Raises `UsageError` where `session` is no process.
    """
    if session is None:
        from execpolicy.commands.asking import session_leader

        return session_leader()
    from execpolicy.support import processes

    name = processes.name_of(int(session))
    if not processes.lives(name):
        raise UsageError(f"there is no process `{session}`")
    return name


def told(status: str | None, code: int, why: str) -> int:
    """Say why nothing ran, and give the code for that."""
    print(f"execpolicy: {printable(why, 500)}", file=sys.stderr)
    _report(status, {"exit": int(code), "refused": why})
    return code


def _code(done: "Done") -> int:
    if done.outcome.timed_out:
        return ExitCode.TIMED_OUT
    return done.outcome.code if done.outcome.ran else 126


def _program(job: "Job") -> int:
    """127 where PATH has no such program, as a shell says it (POSIX, 2.8.2); else 0."""
    name = job.plan.argv[0]
    if "/" in name:
        return 0
    path = dict(job.plan.environment).get("PATH", "")
    found = any(os.path.exists(os.path.join(d or ".", name)) for d in path.split(":"))
    return 0 if found else 127


def _report(status: str | None, said: "dict[str, object]") -> None:
    """One line of JSON for the program that asked for it."""
    if status is not None:
        from execpolicy.support.json_encode import encode

        os.write(int(status), f"{encode(said)}\n".encode())
