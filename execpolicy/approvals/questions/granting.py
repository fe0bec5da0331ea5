"""What an answer gives: the approvals that are kept of it. Pure, but for their names."""

import os
from _collections_abc import Sequence

from execpolicy.approvals.questions.question import LEFT_SECONDS
from execpolicy.model.approval import (
    REQUEST,
    Answer,
    Approval,
    Bounds,
    Confinement,
    Life,
    Moment,
    Question,
    Reach,
)
from execpolicy.model.errors import ExecPolicyError

MAX_SECONDS = 8 * 3600.0
TIMED_SECONDS = 3600.0


def granted(question: Question, answer: Answer, now: Moment) -> list[Approval]:
    """The approvals that an answer gives. Raises `ExecPolicyError` where it may not be."""
    if answer.again and answer.life is Life.ONCE:
        return [_again(question, answer, now)]
    if answer.life not in (Life.TIMED, Life.SESSION):
        return []
    if not question.remembered:
        raise ExecPolicyError("this is asked each time: answer `once` or `reject`")
    if answer.uses is not None and answer.uses < 1:
        raise ExecPolicyError("an approval is for one use or more")
    bounds = _bounds(question, answer, now)
    reaches = dict.fromkeys(_chosen(widths, answer.width) for widths in question.reaches)
    return [
        Approval(os.urandom(8).hex(), reach, bounds, answer.by, now, question.id, question.policy)
        for reach in reaches
    ]


def _again(question: Question, answer: Answer, now: Moment) -> Approval:
    """What lets the same call pass that is made again, once or as often as the answer says; out of
    a sandbox once, and in the session that asked."""
    seconds = min(answer.seconds or LEFT_SECONDS, LEFT_SECONDS)
    lifted = question.confinement is Confinement.LIFTED
    bounds = Bounds(
        question.confinement,
        session=question.session if lifted else None,
        project=question.project or None,
        scope=question.scope,
        until=now.after(seconds),
        uses=1 if lifted else answer.uses or 1,
    )
    reach = Reach(REQUEST, exact=question.whole)
    name = os.urandom(8).hex()
    return Approval(name, reach, bounds, answer.by, now, question.id, question.policy)


def _bounds(question: Question, answer: Answer, now: Moment) -> Bounds:
    """Where an approval holds, and how long. One for a session holds in the session above, too."""
    session = question.session
    if answer.life is Life.SESSION and question.parents:
        session = question.parents[-1]
    seconds = answer.seconds
    if seconds is None:
        seconds = TIMED_SECONDS if answer.life is Life.TIMED else MAX_SECONDS
    return Bounds(
        question.confinement,
        session,
        question.project,
        question.scope if session != question.session else None,
        now.after(min(max(seconds, 0.0), MAX_SECONDS)),
        answer.uses,
    )


def _chosen(widths: "Sequence[Reach]", width: int) -> Reach:
    """The reach of a width; the widest there is where an operation has not so many."""
    if width < 0:
        raise ExecPolicyError("a width is 0 or more")
    return widths[min(width, len(widths) - 1)]
