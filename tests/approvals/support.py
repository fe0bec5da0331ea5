"""What the tests of approvals share: an engine over no rules but the shipped ones, and a clock."""

from pathlib import Path

from execpolicy import Decision, Engine, Request
from execpolicy.approvals import Answer, Life, Moment, Questions, Replied
from execpolicy.model.approval import Question

DAY = 24 * 3600.0


class Clock:
    """Two clocks that go only when they are told to."""

    def __init__(self) -> None:
        self.wall, self.running, self.boot = 1_800_000_000.0, 5_000.0, "boot-1"

    def __call__(self) -> Moment:
        return Moment(self.wall, self.running, self.boot)

    def go(self, seconds: float) -> None:
        """Both clocks go on."""
        self.wall += seconds
        self.running += seconds


def repository(path: Path) -> Path:
    """A project that git would accept."""
    for folder in ("objects", "refs"):
        (path / ".git" / folder).mkdir(parents=True)
    (path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return path


class Desk:
    """An engine, a session in a project, and the user who answers."""

    def __init__(
        self, project: Path, session: str = "s1", clock: Clock | None = None, **more: object
    ) -> None:
        self.project = project
        self.clock = clock or Clock()
        self.engine = Engine.load(rules=[], cwd=project)
        self.questions = Questions(
            self.engine,
            session,
            clock=self.clock,
            **more,  # type: ignore[arg-type]
        )

    def ask(self, command: str, cwd: "Path | None" = None) -> "Question | Decision":
        """The question about a script, or the decision where nobody need be asked."""
        asked = self.questions.ask(Request(text=command, cwd=str(cwd or self.project)))
        return asked.question or asked.verdict.decision

    def question(self, command: str, cwd: "Path | None" = None) -> Question:
        """The question about a script; there must be one."""
        asked = self.ask(command, cwd)
        assert isinstance(asked, Question)
        return asked

    def reply(self, question: Question, life: Life, **more: object) -> Replied:
        """The user's answer."""
        return self.questions.reply(Answer(question.id, life, **more))  # type: ignore[arg-type]

    def approve(self, command: str, life: Life = Life.SESSION, **more: object) -> Replied:
        """Ask about a script and approve it."""
        return self.reply(self.question(command), life, **more)
