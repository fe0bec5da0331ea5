"""`execpolicy check`: decide about a command, a script, or a stream of both."""

import sys

from execpolicy.commands.arguments import no_directory
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.options import SYNTAX as SYNTAX
from execpolicy.commands.options import CheckOptions, read, scope_of
from execpolicy.commands.unfinished import finish
from execpolicy.model.decision import Decision
from execpolicy.model.errors import UsageError
from execpolicy.model.operation import Request
from execpolicy.support import startup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.commands.check_host import HostVerdict
    from execpolicy.engine.engine import Approvals, Engine
    from execpolicy.model.verdict import Verdict


def main(arguments: "Sequence[str]") -> ExitCode:
    """Decide, print the verdict, and give its exit code."""
    options = read(arguments)
    _validate(options)
    options = options.replace(cwd=directory(options.cwd))
    if options.format == "codex":
        from execpolicy.commands.check_codex import main as codex

        return codex(options)
    if options.format == "requirement":
        from execpolicy.commands.check_requirement import main as requirement

        return requirement(options)
    from execpolicy.engine.engine import Engine

    engine = Engine.load(
        options.rules,
        builtin=options.builtin,
        cwd=options.cwd,
        audit=True,
        approvals=_approvals(options),
    )
    finish()
    if options.jsonl:
        from execpolicy.commands.check_jsonl import answer_all

        return answer_all(engine, options)
    return _one(engine, options)


def _approvals(options: CheckOptions) -> "Approvals | None":
    """Earlier answers, where there are any. A stream may see some come while it runs."""
    import os

    from execpolicy.support import directories

    if not options.jsonl and not os.path.lexists(directories.ledger()):
        return None
    from execpolicy.commands.remember import remembered

    return remembered(options.host or "", options.session)


def _one(engine: "Engine", options: CheckOptions) -> ExitCode:
    command = options.text if options.text is not None else options.argv
    argv = None if isinstance(command, str) else command
    request = Request(options.text, argv, options.cwd, options.shell)
    if options.scope is not None:
        request = request.replace(scope=scope_of(engine, options.scope, options.cwd))
    verdict, told = engine.decide(request), None
    if verdict.decision is Decision.PROMPT:
        startup.ahead("question")
    if options.host:
        from execpolicy.commands.check_host import host_verdict as by_host

        told = by_host(engine, options, request, verdict)
    if options.format == "json":
        _as_json(verdict, told)
    else:
        _as_text(engine, verdict, told)
        if options.text is None and len(options.argv) == 1 and " " in options.argv[0]:
            print("hint: one word was given; for a script write `-c TEXT`", file=sys.stderr)
    return ExitCode.of(verdict.decision)


def _as_json(verdict: "Verdict", told: "HostVerdict | None") -> None:
    from execpolicy.engine.wire import to_wire
    from execpolicy.support.json_encode import encode

    more = {} if told is None else {"host": told.wire()}
    sys.stdout.write(encode({**to_wire(verdict), **more}) + "\n")


def _as_text(engine: "Engine", verdict: "Verdict", told: "HostVerdict | None") -> None:
    from execpolicy.commands.render.text import render

    sys.stdout.write(render(verdict, colour(), _width(), _notes(engine)))
    if told is not None:
        sys.stdout.write(told.text())


def directory(given: str | None) -> str | None:
    """The directory that relative paths start from, as an absolute path: the one that is given, or
    the current one. Raises `UsageError` where it is not a directory."""
    import os

    try:
        here = os.getcwd()
    except OSError:
        here = ""
    if given is None:
        return here or None
    path = os.path.join(here, given)
    if not os.path.isdir(path):
        raise no_directory(given)
    return path


def _width() -> int | None:
    """The columns of the terminal; None where the output goes elsewhere."""
    import os

    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns, 40)
    except (OSError, ValueError):
        return None


def _notes(engine: "Engine") -> list[str]:
    """What of the rules does not count, and the next command."""
    found = [d for d in engine.snapshot.diagnostics if d.code == "untrusted"]
    return [f"`{d.span.file}:{d.span.line}`: {d.message}; {d.hint}" for d in found]


def colour() -> bool:
    """Whether the output goes to a terminal that shows colours."""
    import os

    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _validate(options: CheckOptions) -> None:
    """Raise `UsageError` unless exactly one thing is asked about."""
    if options.host is not None or options.mode is not None or options.session is not None:
        from execpolicy.commands.check_host import validate

        validate(options)
    asked = (options.text is not None) + options.jsonl + bool(options.argv)
    if asked == 0 and options.format != "codex":
        raise UsageError("no command: write `execpolicy check -- COMMAND…`, `-c TEXT` or `-`")
    if asked > 1:
        raise UsageError("give words, `-c TEXT`, `-` or `--jsonl`, only one of them")
