"""Leaves the question of a call that a hook refuses, because its host cannot ask the user."""

from execpolicy.approvals.questions.questions import Questions
from execpolicy.approvals.remembered import bound
from execpolicy.commands.remember import child_of
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Confinement
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.ledger.ledger import Waiting

PATIENCE = 4.0
"""Seconds that a question waits for others which are kept. What is lost has no code, and hosts give
a hook ten."""


def left(
    engine: "Engine",
    request: "Request",
    verdict: "Verdict",
    host: str,
    child: "tuple[str, str]" = ("", ""),
    *,
    confinement: Confinement = Confinement.NONE,
) -> "Waiting | None":
    """The question, by whose code the user answers it from anywhere, or the no that was said to it.

    None where it cannot be kept: a sandbox of the host may leave the home read-only for its hooks.
    `child` is the sub-agent that asks, by its id and its kind; empty where the agent itself does.
    `confinement` says where it would run.
    """
    name, kind = child
    agent = request.agent or host
    questions = Questions(
        engine,
        child_of(request.session, name),
        host=host,
        agent=f"{agent} ({kind or 'sub-agent'})" if name else agent,
        parent=request.session if name else None,
        scope=bound(request),
        confinement=confinement,
        patience=PATIENCE,
    )
    _take_time()
    try:
        waiting = questions.leave(request, verdict)
        if waiting.fresh and engine.store.settings.notify:
            from execpolicy.commands import notifying

            notifying.start(waiting.question)
        return waiting
    except (ExecPolicyError, OSError):
        return None


def _take_time() -> None:
    """Put off the end of the hook's time, where something watches it."""
    import signal

    if signal.getitimer(signal.ITIMER_REAL)[0]:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE + 1.0)
