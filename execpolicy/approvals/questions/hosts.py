"""Questions about hosts while a command runs: what was answered before, and what an answer keeps.

They are questions like all others: in the ledger, of one session and project, answered once.
"""

import os

from execpolicy.approvals.cover import holds
from execpolicy.approvals.questions import rules
from execpolicy.approvals.questions.question import SECONDS
from execpolicy.approvals.questions.questions import Questions
from execpolicy.approvals.situation import project
from execpolicy.approvals.subject import Here
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import CONNECT, Answer, Confinement, Life, Question, Reach, code_of
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Request
from execpolicy.policy.network_hosts import Attempt
from execpolicy.store.ledger import sessions
from execpolicy.store.ledger.ledger import Ledger, lookup
from execpolicy.support import digest

HOST = "terminal"
"""Stands for the host in the names of sessions that are terminals."""


class HostQuestions:
    """What the user is asked about hosts in one session; `cwd` is where the command runs."""

    def __init__(self, engine: Engine, session: str, cwd: str, confinement: Confinement) -> None:
        self._engine, self._cwd = engine, cwd
        self._project = project(Request(cwd=cwd), engine.resolver)
        self._session = sessions.name(HOST, session, self._project)
        self._confinement = confinement
        self._questions = Questions(engine, session, host=HOST, alone=True)

    def known(self, attempt: Attempt) -> str:
        """By whom a connection was approved for this session; empty where it was not.

        Raises `LedgerError`. Nothing is kept: what was taken back holds no more.
        """
        reach = connection_reach(attempt)
        try:
            with Ledger.open() as ledger:
                here = self._here(ledger)
                found = ledger.find((lookup(reach),))
        except FileNotFoundError:
            return ""
        approval = next((a for a in found if a.reach == reach and holds(a, here)), None)
        return f"approved by {approval.by} ({approval.id})" if approval else ""

    def any_known(self) -> bool:
        """Whether a connection to any host was approved for this session. Raises `LedgerError`."""
        try:
            with Ledger.open() as ledger:
                here = self._here(ledger)
                return any(a.reach.kind == CONNECT and holds(a, here) for a in ledger.every())
        except FileNotFoundError:
            return False

    def ask(self, attempt: Attempt, why: str) -> Question:
        """The question, kept where every process of this user finds it. Raises `LedgerError`."""
        now = self._questions.clock()
        name = os.urandom(16).hex()
        reach = connection_reach(attempt)
        question = Question(
            name,
            code_of(name),
            self._key(reach),
            printable(f"connect to {attempt} ({attempt.protocol})", 400),
            (printable(why, 300),),
            ((reach,),),
            self._session,
            self._project or "",
            now,
            now.after(SECONDS),
            self._engine.snapshot.digest,
            self._confinement,
            agent="",
            cwd=self._cwd,
        )
        with Ledger.open(create=True) as ledger:
            sessions.seen(ledger, sessions.Session(self._session, self._project), now)
            with ledger.writing():
                return ledger.ask(question, now.wall)

    def answer(self, question: Question, life: Life, reason: str = "") -> None:
        """Answer it. Raises `ExecPolicyError` where a rule cannot be written: it still waits."""
        self._questions.reply(Answer(question.id, life, feedback=reason or None))

    def forbid(self, question: Question, attempt: Attempt) -> None:
        """Write a rule that forbids the host for good. Raises `ExecPolicyError`."""
        rules.write_host(rules.LAYERS[Life.USER], question, attempt, Decision.FORBIDDEN)

    def _here(self, ledger: Ledger) -> Here:
        """Now, in the session; not in one that was idle for too long."""
        now = self._questions.clock()
        known = sessions.read(ledger, self._session)
        over = known is not None and sessions.is_over(known, now)
        session = None if over else self._session
        return Here(now, self._project, session, confinement=self._confinement)

    def _key(self, reach: Reach) -> str:
        """The same for the same host, protocol and port of the same session."""
        where = (self._session, self._engine.snapshot.digest, self._confinement.name)
        parts = (*where, CONNECT, reach.host, reach.protocol, str(reach.port))
        return digest.of_parts(part.encode("utf-8", "surrogatepass") for part in parts)


def connection_reach(attempt: Attempt) -> Reach:
    """What an answer about this connection covers: one host, protocol and port."""
    host, protocol, port = attempt.key
    return Reach(CONNECT, host=host, protocol=protocol, port=port)
