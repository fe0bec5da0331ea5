"""`execpolicy run`: decide about a command, and run it in a sandbox made from the same policy."""

import os
import sys

from execpolicy.commands.arguments import COMMAND, Kind, Option, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.options import SHARED
from execpolicy.model.decision import Decision
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Source
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.commands.asking import Answer
    from execpolicy.commands.run_answers import Answers
    from execpolicy.commands.run_network import Ways
    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.box import Job
    from execpolicy.sandbox.look.git import GitUse
    from execpolicy.sandbox.plan import Approved
    from execpolicy.sandbox.running import Done

HELP = """\
usage: execpolicy run [OPTION]… [--] WORD…
       execpolicy run [OPTION]… -c TEXT

Decide about a command, and run it in a sandbox: it writes only where it may without a question,
does not see what may not be read, and reaches no other machine.

  -c TEXT             run a script, by bash
  --confined          ask only about what the sandbox does not hold
  --dry               print the plan of the sandbox and run nothing
  --format FORMAT     with --dry: text (for reading) or json (for programs)
  --session PID       share /tmp and the loopback with the runs of this session, which lasts as long
                      as that process; else that of the agent above, or of the terminal
  --status-fd FD      write what became of it to this descriptor, as JSON
  -r, --rules FILE    use this file instead of the user's rules (repeatable)
  --no-builtin        leave out the rules and the catalogue that ship with execpolicy
  --cwd DIR           where to run it; else the current directory

exit codes: the command's own; 122 forbidden, 123 the user has to be asked, 124 out of time,
            125 there is no sandbox here, 64 usage
examples:   execpolicy run --confined -- pytest -q
            execpolicy run --dry -c 'make && make test'
"""
FORMATS = ("text", "json")


class Options(Value):
    """What the command line of `run` says."""

    argv: tuple[str, ...] = ()
    text: str | None = None
    rules: tuple[str, ...] | None = None
    cwd: str | None = None
    builtin: bool = True
    confined: bool = False
    dry: bool = False
    format: str = "text"
    session: str | None = None
    status: str | None = None


SYNTAX = Syntax(
    "run",
    (
        *(option for option in SHARED if option.field != "shell"),
        Option(("--confined",), "confined"),
        Option(("--dry",), "dry"),
        Option(("--format",), "format", Takes("format", Kind.WORD, FORMATS)),
        Option(("--session",), "session", Takes("process")),
        Option(("--status-fd",), "status", Takes("descriptor")),
    ),
    COMMAND,
    leads=True,
)


def main(arguments: "Sequence[str]") -> int:
    """Decide, run, and give the command's exit code or one of `run`'s own."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    options = _valid(Options(parsed.operands, **parsed.fields))  # type: ignore[arg-type]
    from execpolicy.engine.engine import Engine
    from execpolicy.sandbox.errors import NoSandboxError

    engine = Engine.load(
        options.rules,
        builtin=options.builtin,
        cwd=options.cwd,
        audit=True,
        approvals=_approvals(),
    )
    try:
        return _one(engine, options)
    except NoSandboxError as error:
        return _told(options, ExitCode.NO_SANDBOX, str(error))


def _approvals() -> "Approvals | None":
    """Earlier answers, where there are any."""
    from execpolicy.support import directories

    if not os.path.lexists(directories.ledger()):
        return None
    from execpolicy.commands.asking import terminal_session
    from execpolicy.commands.remember import remembered
    from execpolicy.model.approval import Confinement

    return remembered("", terminal_session() or None, spend=True, confinement=Confinement.SANDBOX)


def _valid(options: Options) -> Options:
    """The options with an absolute directory. Raises `UsageError`."""
    from execpolicy.commands.check import directory

    if (options.text is None) == (not options.argv):
        raise UsageError("give words, or `-c TEXT`: `execpolicy run -- COMMAND…`")
    if options.session is not None and not options.session.isdigit():
        raise UsageError(f"`{printable(options.session, 20)}` is not a process: write its number")
    if options.status is not None and not options.status.isdigit():
        raise UsageError(f"`{printable(options.status, 20)}` is not a descriptor: write its number")
    return options.replace(cwd=directory(options.cwd) or "/")


def _one(engine: "Engine", options: Options) -> int:
    """Decide about the one command, and go on as that says."""
    from execpolicy.commands.run_network import Ways
    from execpolicy.commands.unfinished import finish
    from execpolicy.model.confinement import settle
    from execpolicy.sandbox.box import use_of_git
    from execpolicy.sandbox.ruling import ruling

    finish(engine.snapshot)
    request = Request(options.text, options.argv or None, options.cwd, "bash")
    verdict = engine.decide(request)
    settings = settle(engine.snapshot.policy.sandbox)
    use = use_of_git(request, engine.snapshot, verdict)
    ruled = ruling(verdict, settings, options.confined, use)
    approved = any(match.source is Source.APPROVAL for match in verdict.matches)
    if ruled.decision is Decision.FORBIDDEN and not options.dry:
        return _told(options, ExitCode.REFUSED, f"forbidden: {ruled.reason}")
    if ruled.decision is Decision.PROMPT and not options.dry:
        answer = _asked(engine, options, request, verdict, ruled.reason)
        if not answer.allowed:
            code = ExitCode.REFUSED if answer.answered else ExitCode.NEEDS_PERSON
            return _told(options, code, answer.why)
        approved = True
    ways = Ways(engine, request, approved, writes=options.rules is None, dry=options.dry)
    job = _job(engine, options, request, use, ways)
    if options.dry:
        return _print(job, options)
    ended = _run(engine, job, request, use, options)
    ways.tell()
    return ended


def _asked(
    engine: "Engine", options: Options, request: Request, verdict: "Verdict", reason: str
) -> "Answer":
    """What the user at the terminal says."""
    from execpolicy.commands.asking import ask

    def longer() -> "Answers":
        from execpolicy.commands.run_answers import Answers

        return Answers(engine, request, writes=options.rules is None and options.builtin)

    return ask(verdict, reason, sys.argv[1:], longer)


def _job(
    engine: "Engine", options: Options, request: Request, use: "GitUse", ways: "Ways"
) -> "Job":
    """The plan; what the user just approved is open in it."""
    from execpolicy.sandbox import box

    words = box.shell_words(options.text) if options.text is not None else options.argv
    opened: tuple[Approved, ...] = ()
    if ways.approved:
        from execpolicy.sandbox.look.paths_named import paths_named

        opened = paths_named(request, engine.snapshot)
    here = options.cwd or "/"
    return box.prepared(
        engine.snapshot, use, words, here, approved=opened, way=ways.way, leader=_leader(options)
    )


def _leader(options: Options) -> str:
    """The process that the session of this run lasts as long as; empty for a run of its own."""
    if options.dry:
        return ""
    if options.session is None:
        from execpolicy.commands.asking import session_leader

        return session_leader()
    from execpolicy.support import processes

    name = processes.name_of(int(options.session))
    if not processes.lives(name):
        raise UsageError(f"there is no process `{options.session}`")
    return name


def _run(engine: "Engine", job: "Job", request: Request, use: "GitUse", options: Options) -> int:
    """Run what was decided about, and tell what it could not do."""
    from execpolicy.sandbox import running

    missing = _program(job)
    if missing:
        return _told(options, missing, f"`{printable(job.plan.argv[0], 80)}` is not found on PATH")
    try:
        done = running.run(job)
    except OSError as error:
        return _told(options, ExitCode.NO_SANDBOX, f"the run cannot be prepared: {error}")
    code = _code(done)
    if not done.outcome.started:
        from execpolicy.sandbox.cure import cure

        return _told(options, ExitCode.NO_SANDBOX, cure())
    if done.outcome.full:
        why = "the `/tmp` of the session holds too much: remove what is not needed any more"
        print(f"execpolicy: {why}, or raise `sandbox(temporary = …)`", file=sys.stderr)
    if done.moved or code:
        from execpolicy.commands.afterwards import tell
        from execpolicy.sandbox.look.paths_named import paths_named

        tell(job, use, done, lambda: paths_named(request, engine.snapshot))
    said = {"exit": code, "timed_out": done.outcome.timed_out}
    _report(options, {**said, "backend": job.plan.settings.backend})
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


def _print(job: "Job", options: Options) -> int:
    from execpolicy.commands.render.plan_text import as_json, as_text

    sys.stdout.write(as_json(job.plan) if options.format == "json" else as_text(job.plan))
    return ExitCode.ALLOW


def _told(options: Options, code: int, why: str) -> int:
    """Say why nothing ran, and give the code for that."""
    print(f"execpolicy: {printable(why, 500)}", file=sys.stderr)
    _report(options, {"exit": int(code), "refused": why})
    return code


def _report(options: Options, said: "dict[str, object]") -> None:
    """One line of JSON for the program that asked for it."""
    if options.status is not None:
        from execpolicy.support.json_encode import encode

        os.write(int(options.status), f"{encode(said)}\n".encode())
