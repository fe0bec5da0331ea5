"""Ask and reply: what waits for the user, and what an answer settles.

`Questions.ask` gives a verdict, and a question where the user must decide; `reply` answers it once.
Everything is in the ledger, so any process may answer what another one asked.
"""

import os
from _collections_abc import Callable, Sequence

from execpolicy.approvals.cover import holds
from execpolicy.approvals.questions.granting import granted
from execpolicy.approvals.questions.question import LEFT_SECONDS, question_about
from execpolicy.approvals.questions.reviewers import ONCE as AGREES
from execpolicy.approvals.questions.reviewers import Reviewer, review
from execpolicy.approvals.questions.widths import contains
from execpolicy.approvals.remembered import Remembered, found
from execpolicy.approvals.settlement import refuse_unasked, settle
from execpolicy.approvals.signatures import hold
from execpolicy.approvals.subject import Here, whole_key
from execpolicy.engine.engine import Engine, directory
from execpolicy.model.approval import (
    REQUEST,
    Answer,
    Approval,
    Asking,
    Confinement,
    Life,
    Moment,
    Question,
    Reach,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.ledger import ledger as book
from execpolicy.store.ledger import sessions
from execpolicy.store.ledger.codec import pack
from execpolicy.store.ledger.ledger import Ledger, Waiting
from execpolicy.support.record import Value

ALLOWED, REJECTED, CORRECTED, EXPIRED = "allowed", "rejected", "corrected", "expired"


class Asked(Value):
    """A verdict, and the question that waits where the user must decide."""

    verdict: Verdict
    question: Question | None = None


class QuestionOutcome(Value):
    """What became of a question. `once`: it is for one caller, who must `claim` it."""

    question: str
    word: str
    feedback: str | None = None
    once: bool = True


class Replied(Value):
    """What an answer did: the questions it settled, the answered one first, the approvals it made,
    and the diff of the rules file that it changed. Nothing of it for an answer that came too late
    or for the second time."""

    settled: tuple[QuestionOutcome, ...] = ()
    approvals: tuple[Approval, ...] = ()
    diff: str = ""


class Questions:
    """The questions of one session of one agent.

    `parent` is the id of the session above, whose approvals hold inside `scope`. `reviewers` are
    asked before the user, `asking` says which kinds of questions are put at all. `alone`: a
    refusal settles nothing but its own question. `patience`: how many seconds an answer, or a
    question that is left, waits for another process that uses the ledger.
    """

    def __init__(
        self,
        engine: Engine,
        session: str,
        *,
        host: str = "library",
        agent: str = "",
        parent: str | None = None,
        scope: str | None = None,
        confinement: Confinement = Confinement.NONE,
        reviewers: Sequence[Reviewer] = (),
        asking: Asking | None = None,
        alone: bool = False,
        patience: float = book.BUSY_SECONDS,
        clock: Callable[[], Moment] | None = None,
    ) -> None:
        from execpolicy.approvals.clock import now

        self.engine = engine
        self.agent = agent
        self.parent = parent
        self.host = host
        self.scope = None if scope is None else os.path.realpath(scope)
        self.reviewers = tuple(reviewers)
        self.asking = asking or Asking()
        self.alone = alone
        self.patience = patience
        self.clock = clock or now
        self._sessions: set[str] = set()
        self._remembered = Remembered(
            host, session, scope=self.scope, confinement=confinement, clock=self.clock
        )

    # --- asking -----------------------------------------------------------------------------------

    def ask(self, request: Request) -> Asked:
        """The verdict about a request with every earlier answer counted, and what is left to ask.

        Raises `LedgerError` where a question cannot be kept: then it cannot be answered.
        """
        if request.cwd is None or request.cwd[:1] != "/":
            request = request.replace(cwd=directory(request.cwd))
        engine = self.engine
        verdict = engine.decide(request)
        if verdict.decision is not Decision.PROMPT:
            return Asked(verdict)
        here = self._remembered.here(request, verdict, engine.snapshot, engine.resolver)
        with Ledger.open(create=True) as ledger:
            here = self._registered(ledger, here)
            approvals = found(ledger, verdict, here)
            settled = settle(verdict, approvals, here)
            counted = [a for a in settled.used if a.bounds.uses is not None]
            if not hold(ledger, settled.used):
                settled = settled.replace(used=())
            if settled.used and (not counted or ledger.spend(counted, here.now.wall)):
                return Asked(settled.verdict)
            left = refuse_unasked(verdict, self.asking)
            if left.decision is Decision.FORBIDDEN:
                return Asked(left)
            question = question_about(request, verdict, here, self.agent)
            with ledger.writing():
                self._expire(ledger)
                question = ledger.ask(question, here.now.wall)
            return self._reviewed(ledger, question, verdict)

    def leave(self, request: Request, verdict: Verdict) -> Waiting:
        """Keep the question of a call that is refused meanwhile. After the answer the same call
        passes, once, in any session of the host in the project. Where the user said no already in
        this session, or yes a moment ago, that is what is given.

        Raises `LedgerError` where it cannot be kept.
        """
        engine = self.engine
        here = self._remembered.here(request, verdict, engine.snapshot, engine.resolver)
        with Ledger.open(create=True, seconds=self.patience) as ledger:
            here = self._registered(ledger, here)
            whole = whole_key(request, verdict, here)
            question = question_about(
                request, verdict, here, self.agent, seconds=LEFT_SECONDS, whole=whole
            )
            refused = ledger.refused(question.key)
            if refused is not None and not here.now.passed(refused.question.until, question.at):
                return refused
            with ledger.writing():
                self._expire(ledger)
                here = here.replace(now=self.clock())
                given = [a for a in ledger.find([f"{REQUEST}:{whole}"]) if holds(a, here)]
                answered = ledger.question(given[0].question) if given else None
                if answered is not None:
                    return answered
                kept = ledger.ask(question, here.now.wall)
            return Waiting(kept, book.OPEN, fresh=kept.id == question.id)

    def _registered(self, ledger: Ledger, here: Here) -> Here:
        """Note that the session is there, and who is above it."""
        assert here.session is not None  # noqa: S101
        self._sessions.add(here.session)
        above = None
        if self.parent is not None:
            above = sessions.name(self.host, self.parent, here.project)
        session = sessions.Session(here.session, here.project, above, self.scope)
        sessions.seen(ledger, session, here.now)
        known = sessions.read(ledger, here.session) or session
        return here.replace(parents=sessions.parents(ledger, known), scope=self.scope)

    def _reviewed(self, ledger: Ledger, question: Question, verdict: Verdict) -> Asked:
        """What the first reviewer with an opinion says; else the question waits."""
        said = review(question, self.reviewers)
        if said is None:
            return Asked(verdict, question)
        life = Life.ONCE if said.opinion == AGREES else Life.REJECT
        answer = Answer(question.id, life, said.by, feedback=None)
        self._reply(ledger, answer, alone=True)
        return Asked(verdict, question)

    # --- answering --------------------------------------------------------------------------------

    def reply(self, answer: Answer, signed: str = "") -> Replied:
        """Answer a question, once. What comes late, twice or for another policy does nothing.

        `PROJECT` and `USER` write a rule and raise `ExecPolicyError` where none may be written;
        the question then still waits. Raises `LedgerError` where the answer cannot be kept.
        `signed` is the answer with its signature, which was verified.
        """
        with Ledger.open(create=True, seconds=self.patience) as ledger:
            return self._reply(ledger, answer, self.alone, signed)

    def _reply(self, ledger: Ledger, answer: Answer, alone: bool, signed: str = "") -> Replied:
        from execpolicy.approvals.questions import rules

        now = self.clock()
        waiting = self._open(ledger, answer.question, now)
        if waiting is None:
            return Replied()
        question = waiting.question
        for_good = answer.life in rules.LAYERS
        if for_good:
            rules.write(question, answer.life, dry=True)
        approvals = granted(question, answer, now)
        with ledger.writing():
            if not _end(ledger, question, answer, now):
                return Replied()
            kept = tuple(
                ledger.approve(approval.replace(signed=signed), now.wall) for approval in approvals
            )
            more: list[QuestionOutcome] = []
            if answer.life is not Life.REJECT:
                covered = _covered(_others(ledger, question), kept)
                more = _end_all(ledger, covered, ALLOWED, now)
            elif not alone:
                more = _end_all(ledger, _others(ledger, question), REJECTED, now)
        first = _outcome(question.id, answer, once=not kept)
        change = rules.shown(rules.write(question, answer.life)) if for_good else ""
        return Replied((first, *more), kept, change)

    def _open(self, ledger: Ledger, name: str, now: Moment) -> Waiting | None:
        """A question that still waits; those that waited too long end."""
        with ledger.writing():
            self._expire(ledger)
        waiting = ledger.question(name)
        return waiting if waiting is not None and waiting.state == book.OPEN else None

    def _expire(self, ledger: Ledger) -> None:
        """End what waited too long, what its session left, and what another policy asked in
        a session of this object. The time is that after the lock: a question of another process
        may be younger than the call that ends it."""
        now = self.clock()
        for waiting in ledger.waiting():
            question = waiting.question
            session = sessions.read(ledger, question.session)
            over = session is not None and sessions.is_over(session, now)
            mine = question.session in self._sessions
            other = mine and question.policy != self.engine.snapshot.digest
            if over or other or now.passed(question.until, question.at):
                ledger.end(question.id, book.EXPIRED, EXPIRED, None, now.wall)

    # --- waiting ----------------------------------------------------------------------------------

    def outcome(self, question: str) -> QuestionOutcome | None:
        """What became of a question; None while it waits.

        Where the answer was `once`, only the first caller gets `allowed`; for every other one the
        answer is `expired`, and it may ask anew.
        """
        with Ledger.open() as ledger:
            now = self.clock()
            if self._open(ledger, question, now) is not None:
                return None
            waiting = ledger.question(question)
            if waiting is None:
                return QuestionOutcome(question, EXPIRED)
            word = waiting.outcome or EXPIRED
            if word == ALLOWED and not ledger.claim(question, now.wall):
                word = EXPIRED
            return QuestionOutcome(question, word, waiting.feedback)

    def pending(self) -> tuple[Question, ...]:
        """Every question that waits, of all sessions, the oldest first."""
        try:
            with Ledger.open() as ledger:
                with ledger.writing():
                    self._expire(ledger)
                return tuple(waiting.question for waiting in ledger.waiting())
        except FileNotFoundError:
            return ()


def _outcome(name: str, answer: Answer, once: bool) -> QuestionOutcome:
    if answer.life is Life.REJECT:
        return QuestionOutcome(
            name, CORRECTED if answer.feedback else REJECTED, answer.feedback or None
        )
    return QuestionOutcome(name, ALLOWED, None, once)


def _end(ledger: Ledger, question: Question, answer: Answer, now: Moment) -> bool:
    """Give the question its answer, in the transaction of the caller."""
    outcome = _outcome(question.id, answer, once=True)
    said = (answer.life.word, answer.by, answer.nonce, answer.feedback)
    if answer.nonce and ledger.run(
        "SELECT 1 FROM events WHERE subject = ? AND kind = 'nonce'", answer.nonce
    ):
        return False
    if not ledger.end(question.id, book.ANSWERED, outcome.word, outcome.feedback, now.wall):
        return False
    ledger.note("answer", question.id, pack(said), now.wall)
    if answer.nonce:
        ledger.note("nonce", answer.nonce, question.id, now.wall)
    return True


def _others(ledger: Ledger, question: Question) -> list[Question]:
    """What else waits in the question's session."""
    return [waiting.question for waiting in ledger.waiting(session=question.session)]


def _covered(questions: Sequence[Question], approvals: Sequence[Approval]) -> list[Question]:
    """Those that new approvals settle, too. One that counts its uses settles none: who asks tries
    again, and spends a use."""
    free = [approval for approval in approvals if approval.bounds.uses is None]
    return [question for question in questions if _is_covered(question, free)]


def _end_all(
    ledger: Ledger, questions: Sequence[Question], word: str, now: Moment
) -> list[QuestionOutcome]:
    """Give each of these the same end, in the transaction of the caller."""
    for question in questions:
        ledger.end(question.id, book.ANSWERED, word, None, now.wall)
    return [QuestionOutcome(question.id, word, None, once=False) for question in questions]


def _is_covered(question: Question, approvals: Sequence[Approval]) -> bool:
    """Whether every operation of a waiting question is covered by what was approved now."""
    return question.remembered and all(
        any(_answers(approval, question, widths) for approval in approvals)
        for widths in question.reaches
    )


def _answers(approval: Approval, question: Question, widths: Sequence[Reach]) -> bool:
    if question.confinement > approval.bounds.confinement:
        return False
    return any(contains(approval.reach, reach) for reach in widths)
