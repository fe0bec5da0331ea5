"""The questions of one decision about the machine it is made for: handed on, and counted."""

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
    from execpolicy.places.blind import Resolver as Resolver
    from execpolicy.support.disk.repository import Known, Repository
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

    __slots__ = ("_repositories", "_resolver")

    def __init__(self, resolver: "Resolver") -> None:
        super().__init__()
        self._resolver = resolver
        self._repositories: Known = {}

    def __getattr__(self, question: str) -> object:
        """The resolver's own answer to one more question."""
        self.count(STARTS_GIT if question == "of_revisions" else 1)
        return getattr(self._resolver, question)

    def repository(self, directory: str, bare: bool) -> "Repository | None":
        """The repository of a directory, as `repository.find` says."""
        self.count()
        key = directory, bare
        if key not in self._repositories:
            from execpolicy.support.disk.repository import find

            self._repositories[key] = find(directory, self._resolver, bare)
        return self._repositories[key]

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads. This is asked most."""
        self.count()
        return self._resolver.locate(path, follow)
