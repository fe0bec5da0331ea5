"""Answering a question by its code: what `approve`, `reject` and `pending --watch` share.

The answer of a terminal is a convenience and not a boundary: a program of the same user can open
one. So no answer is taken below a host of an agent, and none here holds for good.
"""

from collections.abc import Sequence

from execpolicy.approvals import signatures
from execpolicy.approvals.questions.questions import Questions, Replied
from execpolicy.commands import person
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Answer, Life, Question
from execpolicy.model.errors import ExecPolicyError, UsageError, printable
from execpolicy.store.ledger.ledger import OPEN, PATIENT_SECONDS, REFUSED, Ledger
from execpolicy.store.sources.settings import load

TERMINAL, NOTIFIED = "terminal", "notify"
"""Who answered, in the ledger."""


def asked(codes: Sequence[str]) -> Question:
    """The question that a command line names. Raises `UsageError` for an agent, and for none."""
    if not codes:
        raise UsageError("say which question: `execpolicy pending` lists their codes")
    person.refuse_programs()
    return waiting(codes[0])


def waiting(code: str) -> Question:
    """The question with this code. Raises `ExecPolicyError` where none waits."""
    try:
        with Ledger.open(seconds=PATIENT_SECONDS) as ledger:
            found = ledger.question(code.upper()) or ledger.question(code)
    except FileNotFoundError:
        found = None
    if found is None or found.state != OPEN:
        shown = printable(code, 40)
        raise ExecPolicyError(f"no question `{shown}` waits: `execpolicy pending` lists them")
    return found.question


def answer(question: Question, life: Life, **more: object) -> Replied:
    """Give the answer, with `more` fields of it than that.

    Raises `ExecPolicyError` where the question was answered meanwhile.
    """
    return _replied(question, answer_to(question, life).replace(**more))


def answer_to(question: Question, life: Life) -> Answer:
    """An answer to a question. One for a single call whose host went on without it is for the same
    call when it is made again."""
    again = bool(question.whole) and life is Life.ONCE
    return Answer(question.id, life, TERMINAL, again=again)


def answer_signed(given: str) -> tuple[Question, Replied]:
    """Give a signed answer; it needs no terminal.

    Raises `ExecPolicyError` for one that does not count, which is noted.
    """
    try:
        said = signatures.verified(given)
        question = waiting(said.answer.question)
        if said.digest != signatures.digest_of(question):
            raise signatures.SignatureError("the question is another one now", question.id)
        return question, _replied(question, said.answer, given)
    except ExecPolicyError as error:
        _note_refused(getattr(error, "question", ""), str(error))
        raise


def _note_refused(name: str, why: str) -> None:
    from execpolicy.approvals.clock import now
    from execpolicy.engine.audit import note

    with Ledger.open(create=True, seconds=PATIENT_SECONDS) as ledger:
        with ledger.writing():
            ledger.note(REFUSED, name[:64], why, now().wall)
        found = ledger.question(name)
    code = found.question.code if found is not None else ""
    note({"signature": "refused", "question": code, "reason": why}, load())


def _replied(question: Question, given: Answer, signed: str = "") -> Replied:
    questions = Questions(Engine.load(), "", host=TERMINAL, alone=True, patience=PATIENT_SECONDS)
    replied = questions.reply(given, signed)
    if not replied.settled:
        raise ExecPolicyError(f"`{question.code}` was answered already, or waited too long")
    return replied


def settle(question: Question) -> None:
    """End a question that a rule answers from now on."""
    _replied(question, Answer(question.id, Life.ONCE, TERMINAL))
