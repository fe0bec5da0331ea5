"""Walls: what may be done below a path, and the order in which mounts make it so.

The deepest path wins, and on the same path the strictest wall. A mount stays on what it was put on
only while no directory above it can be renamed, so every ancestor of a protected path that could
be is pinned: bound onto itself, which makes the kernel refuse to move or remove it (EBUSY).
"""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.model.split import RESTRICTED, FileAccess, SplitPolicy
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.path_match import below
from execpolicy.support.record import Value


class Wall(OrderedEnum):
    """What a wall lets through, from the loosest to the strictest.

    `WRITE`: read and written. `PRIVATE`: an empty directory of the sandbox's own, gone after the
    run. `COPY`: what is there can be read, and what is written is gone after the run. `READ`: read
    only. `COVERED`: a directory of which only what is mounted in it is there. `HIDDEN`: not there
    for programs inside.
    """

    WRITE = 0
    PRIVATE = 1
    COPY = 2
    READ = 3
    COVERED = 4
    HIDDEN = 5


class Walled(Value):
    """A path, which exists and is not a link on any part of the way, and its wall.

    `why` says in a few words what asks for it, `origin` the file and line of that rule, if any.
    `directory` tells what it is. A `fallback` is there to be seen: it counts only where nothing
    else is said of the path, and what lies around it would keep it out of sight. One with a
    `target` is a link, which stands as it is.
    """

    path: str
    wall: Wall
    why: str
    origin: str = ""
    directory: bool = True
    fallback: bool = False
    target: str = ""


class Mount(Value):
    """One step of building the tree: `wall` is put on `path`. A `pin` binds it onto itself; where
    there is a `target`, a link to that is made. With `content` it is a file that holds this."""

    path: str
    wall: Wall
    why: str
    origin: str = ""
    directory: bool = True
    pin: bool = False
    target: str = ""
    content: bytes | None = None


ROOT = Walled("/", Wall.READ, "the system")
MAX_PATH = 4087
"""Bytes of a path that a mount can be made on: 4095 (limits.h of Linux), of which bubblewrap needs
eight for `/oldroot` and `/newroot`."""


def settle(walled: "Iterable[Walled]") -> "dict[str, Walled]":
    """The strictest wall of each path, with the root's where none is given."""
    found = {"/": ROOT}
    for one in walled:
        known = found.get(one.path)
        if known is None or one.path == "/" or _replaces(one, known):
            found[one.path] = one
    return found


def _replaces(one: Walled, known: Walled) -> bool:
    if one.fallback is not known.fallback:
        return known.fallback
    return one.wall > known.wall


def mounts(walled: "Iterable[Walled]") -> tuple[Mount, ...]:
    """The mounts that make these walls, parents first.

    What its surroundings make so already needs none.
    """
    settled = settle(walled)
    passed = {parent for path in settled for parent in parents(path)}
    kept: dict[str, Mount] = {}
    for path in sorted(settled, key=_depth):
        one = settled[path]
        around = _enclosing_wall(path, kept, settled["/"])
        if one.fallback and around not in _OUT_OF_SIGHT:
            continue
        if one.wall is Wall.HIDDEN and around is Wall.COVERED and path not in passed:
            continue  # a covered directory has nothing of what is really there
        if path == "/" or around is not one.wall or _own(one.wall):
            kept[path] = Mount(
                path, one.wall, one.why, one.origin, one.directory, target=one.target
            )
    for path in [*kept]:
        for parent in _movable(path, kept):
            kept[parent] = Mount(parent, Wall.WRITE, "holds a protected path", pin=True)
    return tuple(kept[path] for path in sorted(kept, key=_depth))


_OUT_OF_SIGHT = (Wall.PRIVATE, Wall.COVERED, Wall.HIDDEN)
"""What does not show what is really there."""


def _depth(path: str) -> tuple[int, str]:
    return path.count("/") + (path != "/"), path


def _own(wall: Wall) -> bool:
    """Whether what lies around does not make it so: each private directory is one of its own."""
    return wall is Wall.PRIVATE


def _enclosing_wall(path: str, kept: "dict[str, Mount]", root: Walled) -> Wall:
    """The wall that the nearest mount above gives."""
    for parent in parents(path):
        if parent in kept:
            return kept[parent].wall
    return root.wall


def _movable(path: str, kept: "dict[str, Mount]") -> "list[str]":
    """The directories above a protected path that a process inside could rename."""
    if kept[path].wall < Wall.READ:
        return []
    found = []
    for parent in parents(path):
        known = kept.get(parent)
        if known is not None and known.wall is not Wall.WRITE:
            break
        if known is None and _enclosing_wall(parent, kept, ROOT) is Wall.WRITE:
            found.append(parent)
    return found


def is_mountable(path: str) -> bool:
    """Whether a path is short enough for a mount."""
    return len(os.fsencode(path)) <= MAX_PATH


def parents(path: str) -> "list[str]":
    """The directories above a path, the nearest first.

    >>> parents("/a/b/c")
    ['/a/b', '/a', '/']
    """
    found = []
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        found.append(path)
    return found


def wall_at(path: str, mounted: "Iterable[Mount]") -> Wall:
    """What the mounts say about a path: the wall of the deepest one at or above it."""
    found = [m for m in mounted if below(path, m.path)]
    return max(found, key=lambda m: _depth(m.path)).wall if found else Wall.READ


def fallible(mounted: "tuple[Mount, ...]") -> "Iterator[str]":
    """The paths whose wall lets less through than what lies around, or keeps that in its place.

    Without it a command could do more. Another process takes it away when it replaces the path.
    """
    for mount in mounted:
        around = wall_at(os.path.dirname(mount.path), mounted)
        if mount.path != "/" and (mount.pin or (mount.wall >= Wall.READ and mount.wall > around)):
            yield mount.path


class Entries(Value):
    """A split policy, and those of its entries that are there: real paths, and which of them are
    directories."""

    policy: SplitPolicy
    paths: tuple[tuple[str, bool], ...] = ()

    def narrowed(self, walled: "list[Walled]") -> "list[Walled]":
        """The walls with those of the entries. They open nothing that was not open before.

        The root of the system is not hidden, for nothing would start.
        """
        if self.policy.kind != RESTRICTED:
            return walled
        before = mounts(walled)
        found = [self._strict(one) if one.wall is Wall.WRITE else one for one in walled]
        for path, directory in self.paths:
            now = wall_at(path, before)
            if path != "/" and now is not Wall.PRIVATE:
                found.append(self._strict(Walled(path, now, _WHY, directory=directory)))
        return found

    def _strict(self, one: Walled) -> Walled:
        wall = max(one.wall, _BY_ACCESS[self.policy.access(one.path)])
        return one if wall is one.wall else one.replace(wall=wall, why=_WHY)


_BY_ACCESS = {
    FileAccess.WRITE: Wall.WRITE,
    FileAccess.READ: Wall.READ,
    FileAccess.NONE: Wall.HIDDEN,
}
_WHY = "an entry of the split policy"
