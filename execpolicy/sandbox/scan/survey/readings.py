"""What directories hold, as this process read it, while their times tell that it is the same.

A session looks at the same project before and after each command.
"""

import os
from time import time_ns

from execpolicy.store.repeat import listings, witness
from execpolicy.store.repeat.looks import of_entries
from execpolicy.support.record import Value

Entries = list[os.DirEntry[str]]

MAX_KEPT = 100_000
"""Names that are kept at once."""


class Reading(Value):
    """What a directory in this state held: its entries, what is noted of them, and its links, each
    with whether it leads to a directory.

    An entry has the kind of what it names, which changes with the directory; its status may change
    without that.
    """

    state: "tuple[int, ...]"
    entries: Entries
    seen: "listings.Entries"
    links: "list[tuple[str, bool]]"

    def is_of(self, directory: str) -> bool:
        """Whether it is what the directory holds now, and where links lead is as it was."""
        same = self.state == listings.state_of(directory)
        return same and all(os.path.isdir(path) is leads for path, leads in self.links)


class _Readings:
    def __init__(self) -> None:
        self._kept: dict[str, Reading] = {}
        self._left = MAX_KEPT

    def of(self, directory: str) -> Reading:
        """What a directory holds. Raises `OSError`."""
        kept = self._kept.get(directory)
        if kept is not None and kept.is_of(directory):
            return kept
        if self._kept.pop(directory, None) is not None and kept is not None:
            self._left += len(kept.entries)
        began, state = time_ns(), listings.state_of(directory)
        with os.scandir(directory) as entries:
            found = list(entries)
        links = [(each.path, each.is_dir()) for each in found if each.is_symlink()]
        made = Reading(state, found, of_entries(found), links)
        if len(found) <= self._left and state and max(state[-2:]) < began - witness.SETTLED:
            self._kept[directory] = made
            self._left -= len(found)
        return made


reading = _Readings().of
