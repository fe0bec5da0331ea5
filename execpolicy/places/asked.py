"""What one decision asks about the machine, noted so that its answer can be proved again."""

from execpolicy.model.place import Place
from execpolicy.places.disk import Disk
from execpolicy.places.moment import CachedResolver, Question
from execpolicy.places.resolver import STARTS_GIT, Looking, TooManyLooksError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")
    Of = TypeVar("Of")


def _asked(
    question: "Callable[Concatenate[Of, Given], Answer]",
) -> "Callable[Concatenate[Asked, Given], Answer]":
    """The same question, answered by the moment."""
    name = question.__name__
    looks = STARTS_GIT if name == "of_revisions" else 1

    def ask(asked: "Asked", /, *given: "Given.args", **more: "Given.kwargs") -> "Answer":
        asked.left -= looks
        if asked.left < 0:
            raise TooManyLooksError
        key, questions = (name, (*given, *more.values()) if more else given), asked.questions
        if key not in questions:
            questions[key] = asked.moment.answer(key)
        return questions[key]  # type: ignore[return-value]

    return ask


class Asked(Looking):
    """A resolver that asks a moment, and notes each question with its answer in `questions`."""

    __slots__ = ("moment", "questions")

    def __init__(self, moment: CachedResolver) -> None:
        super().__init__()
        self.moment = moment
        self.questions: dict[Question, object] = {}

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads: one question, whether `follow` is named or not."""
        self.left -= 1
        if self.left < 0:
            raise TooManyLooksError
        question, questions = ("locate", (path, follow)), self.questions
        found = questions.get(question)
        if found is None:
            found = questions[question] = self.moment.answer(question)
        return found  # type: ignore[return-value]

    kind = _asked(Disk.kind)
    names = _asked(Disk.names)
    head = _asked(Disk.head)
    text = _asked(Disk.text)
    below = _asked(Disk.below)
    nearby = _asked(Disk.nearby)
    tracked = _asked(Disk.tracked)
    committed = _asked(Disk.committed)
    of_revisions = _asked(Disk.of_revisions)
    gitlinks = _asked(Disk.gitlinks)
    tracks = _asked(Disk.tracks)
    unchanged = _asked(Disk.unchanged)
    holds = _asked(Disk.holds)
    planted = _asked(Disk.planted)
    programs = _asked(Disk.programs)
    steering = _asked(Disk.steering)
    is_program = _asked(Disk.is_program)
    variables = _asked(Disk.variables)
    temporary = _asked(Disk.temporary)
    root = _asked(Disk.root)
    repository = _asked(CachedResolver.repository)
    marked = _asked(Disk.marked)
