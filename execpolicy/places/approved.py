"""The paths that the user allowed in this session: each alone, for one use, and no folder."""

from _collections_abc import Callable

from execpolicy.model.place import Place
from execpolicy.support.record import Value


class Approved(Value):
    """Real paths, each with the mode that was asked about. To read is not to write, nor to remove.

    >>> place = Place("/etc/./x", "/etc/x", "/etc/x")
    >>> Approved().add(place, "write").covers(place, "write")
    True
    >>> Approved().add(place, "read").covers(place, "write")
    False
    """

    paths: frozenset[tuple[str, str]] = frozenset()

    def add(self, place: Place, mode: str) -> "Approved":
        """With one more. A path that leads nowhere cannot be approved."""
        if place.real is None:
            return self
        return Approved(self.paths | {(place.real, mode)})

    def covers(self, place: Place, mode: str) -> bool:
        """Whether the user allowed this very use. Compared exactly: an approval loosens."""
        return (place.real, mode) in self.paths

    def within(self, holds: "Callable[[str], bool]") -> "Approved":
        """What a child inherits: the paths that its scope holds (`scope.holds`)."""
        return Approved(frozenset(each for each in self.paths if holds(each[0])))
