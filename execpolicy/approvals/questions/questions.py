"""Ask and reply: what waits for the user, and what an answer settles.

`Questions.ask` gives a verdict, and a question where the user must decide; `reply` answers it once.
Everything is in the ledger, so any process may answer what another one asked.
"""

import os

from execpolicy.approvals.questions.question import question_about
from execpolicy.approvals.questions.reviewers import ONCE as AGREES
from execpolicy.approvals.questions.reviewers import review
from execpolicy.approvals.questions.widths import contains
from execpolicy.approvals.remembered import Remembered, found
from execpolicy.approvals.settlement import refuse_unasked, settle
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import (
    Answer,
    Approval,
    Asking,
    Bounds,
    Confinement,
    Life,
    Moment,
    Question,
    Reach,
)
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.ledger import ledger as book
from execpolicy.store.ledger import sessions
from execpolicy.store.ledger.codec import pack
from execpolicy.store.ledger.ledger import Ledger, Waiting
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.approvals.questions.reviewers import Reviewer
    from execpolicy.approvals.subject import Here

MAX_SECONDS = 8 * 3600.0
TIMED_SECONDS = 3600.0
ALLOWED, REJECTED, CORRECTED, EXPIRED = "allowed", "rejected", "corrected", "expired"


class Asked(Value):
    """A verdict, and the question that waits where the user must decide."""

    verdict: Verdict
    question: Question | None = None


class Outcome(Value):
    """What became of a question. `once`: it is for one caller, who must `claim` it."""

    question: str
    word: str
    feedback: str | None = None
    once: bool = True


class Replied(Value):
    """What an answer did: the questions it settled, the answered one first, the approvals it made,
    and the diff of the rules file that it changed. Nothing of it for an answer that came too late
    or for the second time."""

    settled: tuple[Outcome, ...] = ()
    approvals: tuple[Approval, ...] = ()
    diff: str = ""


class Questions:
    """The questions of one session of one agent.

    `parent` is the id of the session above, whose approvals hold inside `scope`. `reviewers` are
    asked before the user, `asking` says which kinds of questions are put at all. `alone`: a
    refusal settles nothing but its own question.
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
        reviewers: "Sequence[Reviewer]" = (),
        asking: Asking | None = None,
        alone: bool = False,
        clock: "Callable[[], Moment] | None" = None,
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
        from execpolicy.engine.engine import directory

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
            if settled.used and (not counted or ledger.spend(counted, here.now.wall)):
                return Asked(settled.verdict)
            left = refuse_unasked(verdict, self.asking)
            if left.decision is Decision.FORBIDDEN:
                return Asked(left)
            question = question_about(request, verdict, here, self.agent)
            with ledger.writing():
                self._expire(ledger, here.now)
                question = ledger.ask(question, here.now.wall)
            return self._reviewed(ledger, question, verdict)

    def _registered(self, ledger: Ledger, here: "Here") -> "Here":
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

    def reply(self, answer: Answer) -> Replied:
        """Answer a question, once. What comes late, twice or for another policy does nothing.

        `PROJECT` and `USER` write a rule and raise `ExecPolicyError` where none may be written;
        the question then still waits. Raises `LedgerError` where the answer cannot be kept.
        """
        with Ledger.open(create=True) as ledger:
            return self._reply(ledger, answer, self.alone)

    def _reply(self, ledger: Ledger, answer: Answer, alone: bool) -> Replied:
        from execpolicy.approvals.questions import rules

        now = self.clock()
        waiting = self._open(ledger, answer.question, now)
        if waiting is None:
            return Replied()
        question = waiting.question
        for_good = answer.life in rules.LAYERS
        if for_good:
            rules.write(question, answer.life, dry=True)
        approvals = self._approvals(question, answer, now)
        with ledger.writing():
            if not _end(ledger, question, answer, now):
                return Replied()
            kept = tuple(ledger.approve(approval, now.wall) for approval in approvals)
            more: list[Outcome] = []
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
            self._expire(ledger, now)
        waiting = ledger.question(name)
        return waiting if waiting is not None and waiting.state == book.OPEN else None

    def _expire(self, ledger: Ledger, now: Moment) -> None:
        """End what waited too long, what its session left, and what another policy asked in
        a session of this object."""
        for waiting in ledger.waiting():
            question = waiting.question
            session = sessions.read(ledger, question.session)
            over = session is not None and sessions.is_over(session, now)
            mine = question.session in self._sessions
            other = mine and question.policy != self.engine.snapshot.digest
            if over or other or now.passed(question.until, question.at):
                ledger.end(question.id, book.EXPIRED, EXPIRED, None, now.wall)

    def _approvals(self, question: Question, answer: Answer, now: Moment) -> list[Approval]:
        """What is remembered of an answer. Raises `ExecPolicyError` where it may not be."""
        if answer.life not in (Life.TIMED, Life.SESSION):
            return []
        if not question.remembered:
            raise ExecPolicyError("this is asked each time: answer `once` or `reject`")
        if answer.uses is not None and answer.uses < 1:
            raise ExecPolicyError("an approval is for one use or more")
        bounds = _bounds(question, answer, now)
        reaches = dict.fromkeys(_chosen(widths, answer.width) for widths in question.reaches)
        return [
            Approval(
                os.urandom(8).hex(), reach, bounds, answer.by, now, question.id, question.policy
            )
            for reach in reaches
        ]

    # --- waiting ----------------------------------------------------------------------------------

    def outcome(self, question: str) -> Outcome | None:
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
                return Outcome(question, EXPIRED)
            word = waiting.outcome or EXPIRED
            if word == ALLOWED and not ledger.claim(question, now.wall):
                word = EXPIRED
            return Outcome(question, word, waiting.feedback)

    def pending(self) -> tuple[Question, ...]:
        """Every question that waits, of all sessions, the oldest first."""
        try:
            with Ledger.open() as ledger:
                with ledger.writing():
                    self._expire(ledger, self.clock())
                return tuple(waiting.question for waiting in ledger.waiting())
        except FileNotFoundError:
            return ()


def _outcome(name: str, answer: Answer, once: bool) -> Outcome:
    if answer.life is Life.REJECT:
        return Outcome(name, CORRECTED if answer.feedback else REJECTED, answer.feedback or None)
    return Outcome(name, ALLOWED, None, once)


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


def _covered(questions: "Sequence[Question]", approvals: "Sequence[Approval]") -> list[Question]:
    """Those that new approvals settle, too. One that counts its uses settles none: who asks tries
    again, and spends a use."""
    free = [approval for approval in approvals if approval.bounds.uses is None]
    return [question for question in questions if _is_covered(question, free)]


def _end_all(
    ledger: Ledger, questions: "Sequence[Question]", word: str, now: Moment
) -> list[Outcome]:
    """Give each of these the same end, in the transaction of the caller."""
    for question in questions:
        ledger.end(question.id, book.ANSWERED, word, None, now.wall)
    return [Outcome(question.id, word, None, once=False) for question in questions]


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


def _is_covered(question: Question, approvals: "Sequence[Approval]") -> bool:
    """Whether every operation of a waiting question is covered by what was approved now."""
    return question.remembered and all(
        any(_answers(approval, question, widths) for approval in approvals)
        for widths in question.reaches
    )


def _answers(approval: Approval, question: Question, widths: "Sequence[Reach]") -> bool:
    if question.confinement > approval.bounds.confinement:
        return False
    return any(contains(approval.reach, reach) for reach in widths)
