"""What the supervisor of a session answers: events of a host, and the commands of `OwnKind`."""

import sys
from _collections_abc import Callable

from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.hosts.payloads.payload import MAX_BYTES
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.sandbox.api import Sandbox
from execpolicy.support import processes
from execpolicy.wrap.own_requests import OwnKind, OwnRequest


def answered(
    asked: OwnRequest, cwd: str, sandbox: Sandbox, known: Callable[[Request], Request]
) -> int:
    """Answer on the standard streams; the exit code. `known` gives a request as the session's."""
    if asked.kind is OwnKind.HOOK:
        return _hook(asked.words[0], sandbox, known)
    if asked.kind is OwnKind.CHECK:
        return _check(asked, cwd, sandbox, known)
    if asked.kind is OwnKind.UNDO:
        return _undo(asked.words, known(Request(text="", cwd=cwd)), sandbox)
    if asked.kind is OwnKind.BRIEF:
        from execpolicy.commands.brief import text

        _write(text(cwd))
        return ExitCode.ALLOW
    return _pending(known(Request(text="", cwd=cwd)).session)


def _hook(host: str, sandbox: Sandbox, known: Callable[[Request], Request]) -> int:
    from execpolicy.commands.wrap_hook import SessionHook

    with open(0, "rb", closefd=False) as given:  # `sys.stdin` would keep bytes for the next one
        data = given.read(MAX_BYTES + 1)
    reply = SessionHook(host, sandbox, known).answer(data)
    _write(reply.stdout)
    sys.stderr.write(reply.stderr)
    sys.stderr.flush()
    return reply.code


def _check(
    asked: OwnRequest, cwd: str, sandbox: Sandbox, known: Callable[[Request], Request]
) -> int:
    from execpolicy.commands.render.text import render

    argv = asked.words if asked.text is None else None
    attempt = sandbox.requested(known(Request(text=asked.text, argv=argv, cwd=cwd)))
    _write(render(attempt.verdict))
    return ExitCode.of(attempt.verdict.decision)


def _undo(words: tuple[str, ...], request: Request, sandbox: Sandbox) -> int:
    """Take back a call of this session, where the policy lets that be written."""
    from execpolicy.commands.undo import Asker, undo

    attempt = sandbox.requested(request.replace(text=None, argv=("execpolicy", "undo", *words)))
    if attempt.verdict.confined is not Decision.ALLOW:
        from execpolicy.commands.render.text import render

        _write(render(attempt.verdict))
        return ExitCode.of(attempt.verdict.confined)
    session = processes.name_of(sandbox.session or 0)
    asker = Asker(request.agent or "", session, is_agent=True)
    return run(lambda given: undo(given, asker, request.cwd), list(words))


def _pending(session: str | None) -> int:
    from execpolicy.commands.pending_page import page, questions, width
    from execpolicy.store.ledger.codec import unpack

    mine = [one for one in questions() if unpack(one.session)[1] == session]
    _write(page(mine, width()))
    return ExitCode.ALLOW


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
