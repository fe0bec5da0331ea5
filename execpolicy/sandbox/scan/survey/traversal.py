"""Reads the directories below a top, as far as a limit goes."""

from _collections_abc import Callable, Iterable, Iterator
from errno import ENAMETOOLONG

from execpolicy.sandbox.scan.opened import Openings
from execpolicy.sandbox.scan.survey.readings import Entries, reading
from execpolicy.sandbox.walls import MAX_PATH, is_mountable
from execpolicy.store.repeat.looks import WALKED
from execpolicy.support import watching

MAX_ENTRIES = 200_000
"""Names that are looked at; of what lies beyond them the names alone."""
_LONG = (MAX_PATH - 256) // 4
"""Characters of a directory's path from which on a name in it may make a path too long."""


class Traversal:
    """Yields directories with their entries, and keeps which it did not come to, and why.

    `past_limit` was not reached; what is in an `unnameable` one cannot be named. With `openings`
    there is no limit, and what cannot be read is opened, but for what is `closed` at the beginning.
    """

    def __init__(self, openings: "Openings | None", closed: "Iterable[str]") -> None:
        self.closed = [*closed]
        self.past_limit: list[str] = []
        self.long: list[str] = []
        self.unnameable: list[str] = []
        self.unseen: list[str] = []
        self._left, self._openings = MAX_ENTRIES, openings

    @property
    def is_again(self) -> bool:
        """Whether it is one after a run, which may have closed directories to everybody."""
        return self._openings is not None

    def below(
        self, top: str, onward: "Callable[[Entries], Iterable[str]]"
    ) -> "Iterator[tuple[str, Entries]]":
        """Each directory from the top on; `onward` says to which of its entries to go."""
        waiting = [top]
        closed = frozenset(self.closed)
        while waiting:
            here = waiting.pop()
            entries = None if here in closed else self._read(here)
            if entries is None:
                continue
            self._left -= len(entries)
            yield here, entries
            waiting += onward(entries)

    def _read(self, here: str) -> "Entries | None":
        """What a directory holds; None for one that is not looked into."""
        if self._left <= 0 and self._openings is None:
            self.closed.append(here)
            self.past_limit.append(here)
            return None
        try:
            return self.protectable(here, _walked(here))
        except PermissionError:
            return self._opened(here)
        except OSError as error:
            if error.errno == ENAMETOOLONG:
                self.unnameable.append(here)
            return None

    def protectable(self, here: str, entries: "Entries | None") -> "Entries | None":
        """The same entries; None where a mount could not protect all of them."""
        if entries is None:
            return None
        short = len(here) < _LONG or all(is_mountable(entry.path) for entry in entries)
        if short or self._openings is not None:
            return entries
        self.closed.append(here)
        self.long.append(here)
        return None

    def _opened(self, here: str) -> "Entries | None":
        """What a directory holds that cannot be read, if it may be opened."""
        if self._openings is None:
            self.closed.append(here)
            self.unseen.append(here)
        elif self._openings.open(here):
            return self._read(here)
        return None


def _walked(directory: str) -> Entries:
    """What a directory holds. What is made of it depends on names that count alone, and on what
    leads further, which is told to who keeps it. Raises `OSError`."""
    try:
        with watching.Aside():
            found = reading(directory)
    except OSError as error:
        watching.tell(WALKED, directory, error.errno)
        raise
    watching.tell(WALKED, directory, found.seen)
    return found.entries
