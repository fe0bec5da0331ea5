"""Answers to the question of `run` that hold longer than one call, kept in the ledger."""

import sys

from execpolicy.approvals.questions.questions import Questions
from execpolicy.commands.ancestors import terminal_session
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Answer, Confinement, Life, Question
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.model.operation import Request

_LIVES = {"s": Life.SESSION, "session": Life.SESSION, "a": Life.USER, "always": Life.USER}


class Answers:
    """What the user may answer about one request at a terminal beside once and no.

    `words` are shown with the question; empty where nothing can be kept. `writes`: an answer may
    become a rule of the user.
    """

    def __init__(self, engine: Engine, request: Request, *, writes: bool) -> None:
        self._question: Question | None = None
        self._questions: Questions | None = None
        self.words, self._always = "", False
        session = terminal_session()
        if not session:
            return
        try:
            self._ask(engine, request, session)
        except (ExecPolicyError, OSError):  # then an answer holds for this call alone
            return
        if self._question is not None and self._question.remembered:
            self._always = writes and bool(self._question.prefixes)
            self.words = ", s for this session" + (", a for always" if self._always else "")

    def _ask(self, engine: Engine, request: Request, session: str) -> None:
        # a terminal is no host's, and what `run` starts is in the sandbox
        self._questions = Questions(engine, session, host="", confinement=Confinement.SANDBOX)
        self._question = self._questions.ask(request).question

    def keep(self, said: str) -> bool:
        """Keep an answer as long as it says; False for what is none, or cannot be kept."""
        life = _LIVES.get(said.lower())
        if life is None or self._question is None or self._questions is None or not self.words:
            return False
        if life is Life.USER and not self._always:
            return False
        try:
            replied = self._questions.reply(Answer(self._question.id, life))
        except (ExecPolicyError, OSError) as error:
            print(f"execpolicy: {printable(str(error), 300)}", file=sys.stderr)
            return False
        if replied.diff:
            print(replied.diff, file=sys.stderr)
        return True
