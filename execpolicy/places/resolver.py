"""What a decision may ask about the machine it is made for."""

from execpolicy.model.place import Below as Below
from execpolicy.model.place import Place as Place
from execpolicy.model.place import Root as Root
from execpolicy.model.place import SettingsFile as SettingsFile

TYPE_CHECKING = False
MAX_HEAD = 1 << 16
"""How many bytes of a file `head` gives."""
MAX_LOOKS = 16384
"""Questions of one decision. Of real commands one in a thousand needs more than 650."""
STARTS_GIT = 1024
"""For how many looks a question counts for which git is started each time."""


if TYPE_CHECKING:  # nothing is made of it, and a class costs a start its time
    from typing import Protocol

    from execpolicy.places.steering import Steering
    from execpolicy.support.path_match import NameKey

    class Resolver(Protocol):
        """Questions about the machine of one moment. Paths are absolute."""

        def locate(self, path: str, follow: bool = True) -> Place:
            """Where a path leads, as the kernel walks it."""

        def kind(self, path: str) -> str:
            """`file`, `directory`, `other` or `missing`, links followed; else `unknown`."""

        def names(self, directory: str) -> tuple[str, ...] | None:
            """What a directory holds; None where it cannot be read or holds too much."""

        def head(self, path: str) -> str:
            """The first `MAX_HEAD` bytes of a text file; empty where there is none."""

        def text(self, path: str) -> str | None:
            """The whole text of a file smaller than that, which has no other name on the disk; None
            where there is none."""

        def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
            """Every file and link below a directory; None where there are too many to look at,
            for which some hundreds are enough if `few` are asked for.

            `visible` leaves out what is hidden or certainly ignored by git.
            """

        def nearby(self, directory: str) -> Below:
            """Files of a directory, and some below it, those near the top first."""

        def tracked(
            self, directory: str, keys: tuple[NameKey, ...] | None = None
        ) -> tuple[str, ...] | None:
            """The paths below a directory that the index of its repository may hold, those alone
            that are like one of the keys, if there are any; None where there is no bound.
            """

        def committed(
            self, directory: str, keys: tuple[NameKey, ...], every: bool = False
        ) -> tuple[str, ...] | None:
            """The paths like one of the keys that any commit of a directory's repository has, all
            from its top on; None where that is not known. Of one content one path is enough,
            unless `every` is asked for.
            """

        def of_revisions(self, directory: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
            """The paths that the revisions among some words have in a directory's repository, from
            its top on; None where that is not known.
            """

        def gitlinks(self, directory: str) -> tuple[str, ...] | None:
            """The paths that the index of a directory's repository has as repositories of their
            own; None where that is not certain.
            """

        def tracks(self, path: str) -> bool:
            """Whether git may track a path or something below it; a repository is tracked."""

        def unchanged(self, path: str) -> bool:
            """Whether git certainly has the very content of a file, and can bring it back."""

        def holds(self, directory: str, *settings: SettingsFile) -> bool:
            """Whether a directory, or one above it, has the file of one of the settings.

            Files in the home and above are the user's own.
            """

        def planted(self, name: str, project: str | None) -> str | None:
            """Where an agent may have put the program that PATH finds; None where none may.

            Agents write in the project, and in directories for temporary files. A link from
            elsewhere to there counts, and a relative directory of PATH, which each `cd` moves.
            """

        def programs(self) -> tuple[str, ...]:
            """The absolute directories of PATH, as they are called and as they really lie."""

        def steering(self, directory: str) -> "tuple[Steering, ...]":
            """What variables that commands inherit lead programs to in a directory, or below it:
            code, and settings. What is above it leads nowhere in it."""

        def is_program(self, path: str) -> bool:
            """Whether PATH finds this very file by its name; the path is a real one."""

        def variables(self) -> frozenset[str]:
            """The names of the variables that commands inherit."""

        def temporary(self) -> tuple[str, ...]:
            """The system's directories for temporary files, as they really lie."""

        def root(self, given: str | None, cwd: str | None) -> Root | None:
            """The session's root, from the directory that the host names or the first one."""

else:
    Resolver = object


class TooManyLooksError(Exception):
    """A decision asked more than `MAX_LOOKS` questions."""


class Looking:
    """What answers the questions of one decision, and counts how many are left."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left: float = MAX_LOOKS

    def count(self, looks: int = 1) -> None:
        """Count a question as so many looks. Raises `TooManyLooksError`."""
        self.left -= looks
        if self.left < 0:
            raise TooManyLooksError

    def release(self) -> None:
        """What is asked from now on is for no decision, and not counted."""
        self.left = float("inf")


class Bounded(Looking):
    """Hands each question on to a resolver."""

    __slots__ = ("_resolver",)

    def __init__(self, resolver: "Resolver") -> None:
        super().__init__()
        self._resolver = resolver

    def __getattr__(self, question: str) -> object:
        """The resolver's own answer to one more question."""
        self.count(STARTS_GIT if question == "of_revisions" else 1)
        return getattr(self._resolver, question)

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads. This is asked most."""
        self.count()
        return self._resolver.locate(path, follow)
