"""Moves protected names away while the run still lasts, as soon as they are seen."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from execpolicy.sandbox.backends.inotify import Appeared, Inotify
    from execpolicy.sandbox.leftovers.held import Held
    from execpolicy.sandbox.leftovers.quarantine import Quarantine
    from execpolicy.sandbox.look.names import NameIndex
    from execpolicy.sandbox.look.noted import Noted

MAX_NEW = 10_000


class Watch:
    """Follows the directories of a walk. Repositories are looked at when they are whole.

    Where `walls` may fall, it looks whether they stand.
    """

    __slots__ = ("_index", "_noted", "_quarantine", "_walls", "_walls_alone", "_watched", "inotify")

    def __init__(
        self,
        inotify: "Inotify",
        index: "Callable[[], NameIndex]",
        noted: "Mapping[str, Noted]",
        quarantine: "Quarantine",
        walls: "Held",
    ) -> None:
        self.inotify = inotify
        self._index, self._noted, self._quarantine = index, noted, quarantine
        self._walls, self._walls_alone = walls, frozenset[str]()
        self._watched: set[str] = set()

    def begin(self, directories: "Collection[str]") -> None:
        """Watch these, and those of the walls."""
        walls = self._walls.directories
        self._walls_alone = frozenset(walls).difference(directories)
        self._watched = set(walls)
        for directory in walls:
            self.inotify.add(directory, replaced=True)
        self.add(directories)
        self._walls.look()

    def add(self, directories: "Iterable[str]") -> None:
        """Watch these, too."""
        for directory in directories:
            if directory not in self._watched:
                self._watched.add(directory)
                self.inotify.add(directory)

    def look(self) -> bool:
        """Take in what appeared; whether all walls stand."""
        seen = self.inotify.read()
        stand = self._walls.look([one.path for one in seen])
        self._take_in([one for one in seen if os.path.dirname(one.path) not in self._walls_alone])
        return stand

    def _take_in(self, seen: "list[Appeared]") -> None:
        waiting = [(one.path, one.directory) for one in seen]
        for _ in range(MAX_NEW):
            if not waiting:
                return
            path, directory = waiting.pop()
            if not self._take(path) and directory:
                waiting += self._follow(path)

    def _take(self, path: str) -> bool:
        from execpolicy.sandbox.look.names import protects

        name = path.rpartition("/")[2]
        match = None if name == ".git" else self._index().match(path, name)
        if path in self._noted:
            return False
        leads = match is None and self._index().leads(name) and os.path.islink(path)
        if leads or (match is not None and protects(match) and not self._index().unpacked(path)):
            return self._quarantine.take(path)
        return False

    def _follow(self, directory: str) -> "list[tuple[str, bool]]":
        """Watch a new directory, and what it held before it was watched."""
        if directory.endswith("/.git") or not self.inotify.add(directory):
            return []
        try:
            with os.scandir(directory) as entries:
                return [(e.path, e.is_dir(follow_symlinks=False)) for e in entries]
        except OSError:
            return []
