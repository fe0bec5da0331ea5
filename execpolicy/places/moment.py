"""One look at the machine for all requests that are decided together.

**The rule.** An answer that was kept is given again only where a decision made anew could be the
same: each look at the disk that the answer rests on is made again after the request was there and
before the answer is given. Requests that are decided in one `Moment` are all there before its first
look, and no answer is given before its last one; so a look for one of them counts for all. Nothing
who acts on an answer can have changed what was seen for another. Who cannot hold to that makes a
`Moment` for each request.
"""

import os
import stat

from execpolicy.model.place import Place
from execpolicy.places.disk import Disk
from execpolicy.support.disk.repository import MARKS, search
from execpolicy.support.path_match import normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.places.repository.index_file import Index
    from execpolicy.places.resolver import Resolver
    from execpolicy.support.disk.repository import Known, Repository

Question = tuple[str, tuple[object, ...]]
"""What a resolver is asked, and about what."""
MAX_ANSWERS = 4096
"""Answers that one moment keeps. Beyond, it looks again."""
_MAX_CLIMB = 3
"""Names that are looked at one by one: for more, the kernel is asked for the whole path."""
_MAX_LENGTH, _MAX_TOTAL = 200, 4000
"""Characters, and so bytes, of a name and of a path that are too few to be too many (limits.h)."""
_DIRECTORY, _OTHER, _MISSING, _UNKNOWN = "directory", "other", "missing", "unknown"
_NOWHERE = (_OTHER, _MISSING)
_OF_REPOSITORIES = frozenset(
    ("below", "committed", "gitlinks", "of_revisions", "tracked", "tracks", "unchanged")
)
_MOVING = ("/proc/", "/dev/")
"""What belongs to a process leads elsewhere for each."""


class CachedResolver:
    """The answers of a resolver, each question asked once. For one thread.

    `mark` is an object of this moment alone, to compare by identity.
    """

    def __init__(self, resolver: "Resolver") -> None:
        self.mark = object()
        self.resolver = resolver
        self._is_disk = isinstance(resolver, Disk)
        self._left = MAX_ANSWERS
        self._answers: dict[Question, object] = {}
        self._itself: dict[str, str] = {"/": _DIRECTORY}
        self._repositories: Known = {}
        self._indexes: dict[str, Index] = {}

    def answer(self, question: "Question") -> object:
        """What the machine answers."""
        known = self._answers  # another thread may forget it meanwhile
        if question in known:
            return known[question]
        self._left -= 1
        if self._left < 0:
            self.end()
        name, given = question
        if name == "locate":
            found: object = self._locate(*given)  # type: ignore[arg-type]
        else:
            found = self._new(name, given)
        self._answers[question] = found
        return found

    def end(self) -> None:
        """Forget what was seen: who asks afterwards looks again."""
        self._left = MAX_ANSWERS
        self._answers = {}
        self._itself = {"/": _DIRECTORY}
        self._repositories = {}
        self._indexes = {}

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads."""
        place = self.answer(("locate", (path, follow)))
        assert isinstance(place, Place)  # noqa: S101
        return place

    def kind(self, path: str) -> str:
        """What stands at a path."""
        return str(self.answer(("kind", (path,))))

    def head(self, path: str) -> str:
        """The beginning of a text file."""
        return str(self.answer(("head", (path,))))

    def repository(self, directory: str, bare: bool) -> "Repository | None":
        """The repository of a directory, as `repository.find` says."""
        asked, known = (directory, bare), self._repositories
        if asked not in known:
            resolver = self.resolver
            told = resolver.marked(directory, MARKS) if isinstance(resolver, Disk) else None
            # Of a deep one it is kept for itself alone.
            known[asked] = search(directory, self, bare, known, told)
        return known[asked]

    def index(self, git: str) -> "Index":
        """The index of a git directory, which is read once."""
        found = self._indexes.get(git)
        if found is None:
            from execpolicy.places.repository.index_file import Index

            found = self._indexes[git] = Index(git)
        return found

    def _new(self, question: str, given: "tuple[object, ...]") -> object:
        path = given[0] if given else ""
        if question == "kind" and self._is_missing(str(path)):
            return _MISSING
        if question == "repository":
            return self.repository(*given)  # type: ignore[arg-type]
        if question == "marked" and not self._is_disk:
            return None
        ask: Callable[..., object] = getattr(self.resolver, question)
        if self._is_disk:
            if question in _OF_REPOSITORIES:
                return ask(*given, files=self)
            if question == "holds" and isinstance(path, str):
                return ask(*given, real=self._real(path))
        return ask(*given)

    def _real(self, path: str) -> str | None:
        place = self.locate(path)
        return None if place.problem else place.real

    def _is_missing(self, path: str) -> bool:
        """Whether a path is known to be missing, or what it is below to be no directory."""
        known = self._itself
        if path in known and known[path] == _MISSING:
            return True
        above = path.rpartition("/")[0] or "/"
        return above in known and known[above] in _NOWHERE

    def _locate(self, path: str, follow: bool = True) -> Place:
        lexical = normal(path)
        simple = self._is_disk and _is_simple(path, lexical)
        if not simple or (".." in path and not self._leads_back(path)):
            return self.resolver.locate(path, follow)
        if self._is_itself(lexical, _MAX_CLIMB):
            return Place(path, lexical, lexical)
        place = self.resolver.locate(path, follow)
        if follow and place.real == lexical and place.problem is None:
            while lexical not in self._itself:  # nor is one of those above it a link
                self._itself[lexical] = _UNKNOWN
                lexical = lexical.rpartition("/")[0] or "/"
        return place

    def _leads_back(self, path: str) -> bool:
        """Whether each `..` of a path leads to where its text says: no link is before it."""
        path += "/"
        at = path.find("/../")
        while at >= 0 and self._is_itself(normal(path[:at] or "/"), _MAX_CLIMB):
            at = path.find("/../", at + 1)
        return at < 0

    def _is_itself(self, path: str, levels: int) -> bool:
        """Whether no link is on the way of a normal path, by what is known of what is above it."""
        if path in self._itself:
            return True
        parent = path.rpartition("/")[0] or "/"
        if levels == 0 or not self._is_itself(parent, levels - 1):
            return False
        if self._itself[parent] not in _NOWHERE:
            return self._has_no_entry(path)
        self._itself[path] = _MISSING
        return True

    def _has_no_entry(self, path: str) -> bool:
        """Whether a name of a directory without links on the way is none either."""
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            self._itself[path] = _MISSING
            return True
        except OSError:
            return False
        if stat.S_ISLNK(mode):
            return False
        self._itself[path] = _DIRECTORY if stat.S_ISDIR(mode) else _OTHER
        return True


def _is_simple(path: str, lexical: str) -> bool:
    """Whether a path is one that may be looked at name by name, with the same result."""
    if path[_MAX_LENGTH - 1 :] and max(map(len, path.split("/"))) >= _MAX_LENGTH:
        return False
    if path[_MAX_TOTAL - 1 :]:
        return False
    plain = path.isascii() and "\0" not in path
    return plain and lexical[:1] == "/" != lexical[1:2] and not lexical.startswith(_MOVING)
