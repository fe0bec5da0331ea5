"""What differs between two snapshots, path by path."""

from _collections_abc import Iterator

from execpolicy.support.record import Value
from execpolicy.undo.entry import DIGEST, DIRECTORY, Entry, changed, is_same
from execpolicy.undo.scan import is_unknown
from execpolicy.undo.store import Store


class Change(Value):
    """A path below the root (empty for the root itself), and what stood there before and after.

    `late`: what stands there after was changed when the call was over.
    """

    path: str
    before: "Entry | None"
    after: "Entry | None"
    late: bool = False

    @property
    def word(self) -> str:
        """What was done: `made`, `removed` or `changed`."""
        if self.before is None:
            return "made"
        return "removed" if self.after is None else "changed"

    @property
    def is_directory(self) -> bool:
        """Whether only directories are concerned."""
        return all(one is None or one[0] == DIRECTORY for one in (self.before, self.after))


def changes(
    store: "Store", before: "Entry", after: "Entry", now: "Entry", ended: int | None = None
) -> "list[Change]":
    """The paths that differ, each directory before what lies in it. Raises `LostError`.

    `ended` is when the call was over: a file that was changed after that is `late`. What was left
    out of `after` is compared as it is `now`; what is not known then either counts as equal.
    """
    return [*_changes(store, "", (before, after, now), ended)]


def _changes(
    store: "Store",
    path: str,
    found: "tuple[Entry | None, Entry | None, Entry | None]",
    ended: int | None,
) -> "Iterator[Change]":
    before, after, now = found
    after = now if is_unknown(after) else after
    if is_unknown(before) or is_unknown(after):
        return
    if not is_same(before, after):
        yield Change(path, before, after, _is_late(after, ended))
    if before is not None and after is not None and before[DIGEST] == after[DIGEST]:
        return
    old, new, current = store.listing(before), store.listing(after), store.listing(now)
    for name in sorted({*old, *new}):
        inside = f"{path}/{name}" if path else name
        each = old.get(name), new.get(name), current.get(name)
        yield from _changes(store, inside, each, ended)


def _is_late(after: "Entry | None", ended: int | None) -> bool:
    return after is not None and ended is not None and changed(after) > ended


def at(store: "Store", root: "Entry", path: str) -> "Entry | None":
    """What a snapshot has at a path. Raises `LostError`."""
    found: Entry | None = root
    for name in path.split("/") if path else ():
        found = store.listing(found).get(name)
    return found
