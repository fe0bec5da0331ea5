"""What one decision asks about the machine, noted so that its answer can be proved again."""

from execpolicy.model.place import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    from execpolicy.model.place import Below, Root, SettingsFile
    from execpolicy.places.moment import CachedResolver, Question
    from execpolicy.places.steering import Steering
    from execpolicy.support.disk.repository import Repository
    from execpolicy.support.path_match import NameKey

    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")


class Asked:
    """A resolver that asks a moment, and notes each question with its answer in `questions`."""

    __slots__ = ("_moment", "_resolver", "questions")

    def __init__(self, moment: "CachedResolver") -> None:
        self._moment = moment
        self._resolver = moment.resolver
        self.questions: dict[Question, object] = {}

    def _once(
        self,
        question: str,
        _answers: "Callable[Given, Answer]",
        *given: "Given.args",
        **_none: "Given.kwargs",
    ) -> "Answer":
        """What the moment says, which is what `_answers` would."""
        key = question, given
        if key in self.questions:
            return self.questions[key]  # type: ignore[return-value]
        found = self.questions[key] = self._moment.answer(key)
        return found  # type: ignore[return-value]

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads."""
        return self._once("locate", self._resolver.locate, path, follow)

    def kind(self, path: str) -> str:
        """What stands at a path."""
        return self._once("kind", self._resolver.kind, path)

    def names(self, directory: str) -> tuple[str, ...] | None:
        """What a directory holds."""
        return self._once("names", self._resolver.names, directory)

    def head(self, path: str) -> str:
        """The beginning of a text file."""
        return self._once("head", self._resolver.head, path)

    def below(self, directory: str, visible: bool, few: bool = False) -> "Below | None":
        """Every file below a directory."""
        return self._once("below", self._resolver.below, directory, visible, few)

    def nearby(self, directory: str) -> "Below":
        """Files of a directory, and some below it."""
        return self._once("nearby", self._resolver.nearby, directory)

    def tracked(
        self, directory: str, keys: "tuple[NameKey, ...] | None" = None
    ) -> tuple[str, ...] | None:
        """What git tracks below a directory."""
        return self._once("tracked", self._resolver.tracked, directory, keys)

    def committed(
        self, directory: str, keys: "tuple[NameKey, ...]", every: bool = False
    ) -> tuple[str, ...] | None:
        """What any commit has that is like a key."""
        return self._once("committed", self._resolver.committed, directory, keys, every)

    def of_revisions(self, directory: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """What the revisions among some words have."""
        return self._once("of_revisions", self._resolver.of_revisions, directory, words)

    def gitlinks(self, directory: str) -> tuple[str, ...] | None:
        """What of it are repositories of their own."""
        return self._once("gitlinks", self._resolver.gitlinks, directory)

    def tracks(self, path: str) -> bool:
        """Whether git tracks a path."""
        return self._once("tracks", self._resolver.tracks, path)

    def unchanged(self, path: str) -> bool:
        """Whether git has the content of a file."""
        return self._once("unchanged", self._resolver.unchanged, path)

    def holds(self, directory: str, *settings: "SettingsFile") -> bool:
        """Whether a project has a file of settings."""
        return self._once("holds", self._resolver.holds, directory, *settings)

    def planted(self, name: str, project: str | None) -> str | None:
        """Where an agent may have put a program."""
        return self._once("planted", self._resolver.planted, name, project)

    def programs(self) -> tuple[str, ...]:
        """The directories of PATH."""
        return self._once("programs", self._resolver.programs)

    def steering(self) -> "tuple[Steering, ...]":
        """What variables lead programs to."""
        return self._once("steering", self._resolver.steering)

    def is_program(self, path: str) -> bool:
        """Whether PATH finds this very file."""
        return self._once("is_program", self._resolver.is_program, path)

    def variables(self) -> frozenset[str]:
        """The names of the variables that commands inherit."""
        return self._once("variables", self._resolver.variables)

    def temporary(self) -> tuple[str, ...]:
        """The directories for temporary files."""
        return self._once("temporary", self._resolver.temporary)

    def root(self, given: str | None, cwd: str | None) -> "Root | None":
        """The session's root."""
        return self._once("root", self._resolver.root, given, cwd)

    def repository(self, directory: str, bare: bool) -> "Repository | None":
        """The repository of a directory."""
        return self._once("repository", self._moment.repository, directory, bare)
