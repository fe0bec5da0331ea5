"""Questions that wait, left as a hook leaves them."""

from execpolicy.approvals.questions.questions import Questions
from execpolicy.engine.engine import Engine
from execpolicy.model.approval import Question
from execpolicy.model.operation import Request


def left(command: str, agent: str = "claude", cwd: str = "/", session: str = "s1") -> Question:
    """A question for which an agent waits."""
    questions = Questions(Engine.load(cwd=cwd), session, host=agent, agent=agent)
    asked = questions.ask(Request(text=command, cwd=cwd, agent=agent, session=session))
    assert asked.question is not None
    return asked.question
