"""Questions about hosts while a command runs: who is asked, and where the answers are kept."""

import os
import sys
from _collections_abc import Iterable

from execpolicy.approvals.questions.hosts import HostQuestions
from execpolicy.approvals.questions.rules import host_line
from execpolicy.commands.ancestors import terminal_session
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Confinement, Life, Question
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.proxy.question import Offered, ProxyAnswer, TypedAnswer, text, understood
from execpolicy.support import directories

REFUSED = "the user refused it"


class Desk:
    """Where hosts are asked about, and where the answers are kept: for one command, or for one
    proxy that serves many.

    `whole`: an answer of once, and a refusal, hold until the command ends. `writes`: answers may
    become rules of the user.
    """

    def __init__(
        self, engine: Engine, cwd: str, confinement: Confinement, *, whole: bool, writes: bool
    ) -> None:
        self._engine, self._cwd, self._confinement = engine, cwd, confinement
        self._whole, self._writes = whole, writes
        self.session = terminal_session()
        self._made: HostQuestions | None = None
        self._asked: dict[object, Question] = {}

    def known(self, attempt: Attempt) -> str:
        """By which answer of this session a connection is allowed; empty without one."""
        if not self.session or not _has_ledger():
            return ""
        try:
            return self._questions().known(attempt)
        except (ExecPolicyError, OSError):  # then there are no answers: it is asked
            return ""

    @property
    def possible(self) -> bool:
        """Whether any answer of this session lets a connection through."""
        if not self.session or not _has_ledger():
            return False
        try:
            return self._questions().any_known()
        except (ExecPolicyError, OSError):
            return False

    def offer(self, attempt: Attempt, ruling: Ruling) -> Offered:
        """What may be answered; the question is kept in the ledger, where that can be."""
        once = "until the command ends" if self._whole else "once"
        kept = False
        if self.session:
            try:
                self._asked[attempt.key] = self._questions().ask(attempt, ruling.why)
                kept = True
            except (ExecPolicyError, OSError):
                kept = False
        by_rule = ruling.reason == "rule"  # what a rule asks about no other rule allows
        rule = rule_for(attempt) if kept and self._writes and not by_rule else ""
        return Offered(rule, kept, once)

    def take(self, attempt: Attempt, said: TypedAnswer) -> ProxyAnswer | str:
        """The answer that was typed, kept as long as it holds; or why it cannot be kept."""
        question = self._asked.get(attempt.key)
        if said.width == "no":
            self._reply(question, Life.REJECT, said.reason)
            why = f"{REFUSED}: {said.reason}" if said.reason else REFUSED
            return ProxyAnswer(allowed=False, remembered=self._whole, why=why)
        try:
            if said.width == "never":
                return self._never(attempt, question)
            life = {"once": Life.ONCE, "session": Life.SESSION, "always": Life.USER}[said.width]
            self._reply(question, life, "")
        except ExecPolicyError as error:
            return str(error)
        return ProxyAnswer(
            allowed=True, remembered=self._whole, why=f"the user allowed it: {said.width}"
        )

    def _never(self, attempt: Attempt, question: Question | None) -> ProxyAnswer | str:
        if question is None or not self._writes:
            return "no rule can be written here: refuse it for now"
        self._questions().forbid(question, attempt)
        return self.take(attempt, TypedAnswer("no"))

    def _reply(self, question: Question | None, life: Life, reason: str) -> None:
        """Put the answer into the ledger, where the question is."""
        if question is None:
            if life > Life.ONCE:
                raise ExecPolicyError("the ledger cannot be used: answer yes or no")
            return
        try:
            self._questions().answer(question, life, reason)
        except (ExecPolicyError, OSError) as error:
            if life > Life.ONCE:  # what was not kept does not hold
                raise ExecPolicyError(str(error)) from None

    def _questions(self) -> HostQuestions:
        if self._made is None:
            self._made = HostQuestions(self._engine, self.session, self._cwd, self._confinement)
        return self._made


def rule_for(attempt: Attempt) -> str:
    """The rule that allows a connection, as one line."""
    return host_line(attempt, Decision.ALLOW)


def how_to_allow(attempt: Attempt) -> str:
    """The command that allows a connection from now on."""
    from shlex import quote

    return f"execpolicy amend --rule {quote(rule_for(attempt))}"


def _has_ledger() -> bool:
    return os.path.lexists(directories.ledger())


def tell(attempt: Attempt, ruling: Ruling) -> None:
    """Say on stderr that a connection was refused because nothing decided it."""
    why = printable(ruling.why, 300)
    allow = printable(how_to_allow(attempt), 300)
    print(f"execpolicy: {attempt} was refused: {why}; to allow it: {allow}", file=sys.stderr)


def ask_afterwards(desk: Desk, missed: Iterable[tuple[Attempt, Ruling]], who: str) -> None:
    """Ask about hosts that were refused while the command ran: an answer is for the next time."""
    for attempt, ruling in missed:
        offered = desk.offer(attempt, ruling).replace(once="")
        answer: ProxyAnswer | str = ""  # why the one before cannot be kept
        while isinstance(answer, str):
            print(answer, text(attempt, ruling, who, offered), sep="\n", end="", file=sys.stderr)
            sys.stderr.flush()
            line = sys.stdin.readline()
            said = understood(line, offered) if line else TypedAnswer("no")
            answer = "" if said is None else desk.take(attempt, said)
