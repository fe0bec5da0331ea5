"""Where a path leads once the steps of the request before it have moved, copied or linked files.

The disk shows what stands at a path before the request runs. `mv l m && cat m/x` reads what lies
behind the link `l`, and no look at `m` tells that.
"""

import posixpath

from execpolicy.engine.paths.globs import expand, is_glob
from execpolicy.engine.paths.targets import unquoted
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.engine.paths.whereabouts import Whereabouts
    from execpolicy.engine.unwrap import ExpandedOperation

MAX_PAIRS = 256
MAX_ROUNDS = 4
_SOURCES = frozenset(("file", "tree"))
_CHANGED = frozenset(("edited", "restored", "below"))


class Relocation(Value):
    """What lies at `source` lies at `target` after the step of this number.

    `linked`: it is the very same file, by another name. `moved`: it lies at `source` no more.
    """

    number: int
    source: str
    target: str
    linked: bool = False
    moved: bool = False


class Relocations:
    """The relocations of one request, by all of its steps."""

    __slots__ = ("_found", "_made", "_trees", "_where")

    def __init__(self, where: "Whereabouts") -> None:
        self._where = where
        self._found: tuple[Relocation, ...] | None = None
        self._made: frozenset[str] | None = None
        self._trees: list[tuple[int, str]] = []
        """Directories of which a step changes files that no word names, by its number."""

    def others(self, path: str, number: int) -> "Iterator[str]":
        """Other files that this absolute path may be by then: those that a link leads to."""
        known: dict[str, Relocation | None] = {posixpath.normpath(path): None}
        for _ in range(MAX_ROUNDS):
            found = {
                _moved(each, by): by
                for by in self._relocations()
                if by.number != number
                for each in known
                if below(each, by.target)
            }
            new = found.keys() - known.keys()
            if not new or len(known) > MAX_PAIRS:
                break
            known.update({each: found[each] for each in new})
        for other, moved in known.items():
            if moved is not None and (moved.linked or self._has_link(other, moved.source)):
                yield other

    def origins(self, path: str, number: int) -> "set[str]":
        """Where what stands at a path by then was before the request moved it."""
        found = {path}
        for _ in range(MAX_ROUNDS):
            found |= {
                _moved(each, by)
                for by in self._relocations()
                if by.moved and by.number < number
                for each in found
                if below(each, by.target)
            }
        return found - {path}

    def is_away(self, path: str, number: int) -> bool:
        """Whether a step before this one certainly moves a path away."""
        away = (r.source for r in self._relocations() if r.moved and r.number < number)
        return not self._where.turns and any(below(path, source) for source in away)

    def is_unsettled(self, path: str, number: int) -> bool:
        """Whether a step before this one may have put anything at a path: git switched trees."""
        self._relocations()
        return any(
            (at < number or self._where.turns) and at != number and below(path, tree)
            for at, tree in self._trees
        )

    def __bool__(self) -> bool:
        """Whether anything is moved at all."""
        return bool(self._relocations() or self._trees)

    def puts(self, path: str) -> bool:
        """Whether some step may make this entry, by its name or with a tree that has it."""
        if self._made is None:
            self._made = frozenset(self._entries())
        folded = path.lower()
        if any(below(each, folded) for each in self._made):
            return True
        kind = self._where.resolver.kind
        moved = (_moved(path, r) for r in self._relocations() if below(path, r.target))
        return any(kind(each) != "missing" for each in moved)

    def _entries(self) -> "Iterator[str]":
        """The paths that steps write by their names, in lower case."""
        for number, step in enumerate(self._where.steps):
            for access in step.accesses:
                if access.mode == "write" and access.extent in ("file", "entry"):
                    for path in self._absolute(access.path, number):
                        yield posixpath.normpath(path.lower())

    def brings(self, target: str, path: str, number: int) -> bool:
        """Whether what this step puts at `target` has an entry that will then be this path."""
        kind = self._where.resolver.kind
        inside = path[len(target) :]
        own = (r for r in self._relocations() if r.number == number and r.target == target)
        return any(kind(each.source + inside) != "missing" for each in own)

    def arriving(self, directory: str, number: int) -> "Iterator[Relocation]":
        """What this step may put at a path, or into it if it is no file."""
        is_file = self._where.resolver.kind(directory) == "file"
        for one in self._relocations():
            here = one.target == directory or (not is_file and below(one.target, directory))
            if one.number == number and here:
                yield one

    def _has_link(self, path: str, source: str) -> bool:
        """Whether what was moved is a link, or has one on the way to the path."""
        locate = self._where.resolver.locate
        parent, _, name = source.rpartition("/")
        above = locate(parent or "/").real
        stands = above and posixpath.join(above, name) + path[len(source) :]
        return locate(path).real != stands

    def _relocations(self) -> "tuple[Relocation, ...]":
        if self._found is None:
            every = (r for n, step in enumerate(self._where.steps) for r in self._of(n, step))
            found = dict.fromkeys(each for each, _ in zip(every, range(MAX_PAIRS), strict=False))
            self._found = tuple(found)
        return self._found

    def _of(self, number: int, step: "ExpandedOperation") -> "Iterator[Relocation]":
        """Each file that a command reads or takes away may come to each path that it writes."""
        every = step.accesses if step.reading is not None else ()
        copied = [each for each in every if _is_copied(each)]
        moved = [each for each in every if each.mode == "remove"]
        links = [each for each in every if each.extent == "edited" and each.path != "."]
        for access in every:
            if access.mode != "write" or access in links or access.extent == "repository":
                continue
            if access.extent in _CHANGED:
                every_tree = map(posixpath.normpath, self._absolute(access.path, number))
                self._trees += [(number, tree) for tree in every_tree]
                continue
            for target in map(posixpath.normpath, self._absolute(access.path, number)):
                found = Relocation(number, "", target)
                for source in self._sources(copied, number):
                    yield from _arrived(found, source)
                for source in self._sources(moved, number):
                    yield from _arrived(found.replace(moved=True), source)
                for source in (*self._sources(links, number), *_relative(links, target)):
                    yield from _arrived(found.replace(linked=True), source)

    def _sources(self, taken: "list[Access]", number: int) -> "Iterator[str]":
        for access in taken:
            for path in self._absolute(access.path, number):
                found = expand(path, self._where.resolver) if is_glob(path) else (path,)
                yield from map(posixpath.normpath, found or ())

    def _absolute(self, word: Word, number: int) -> "Iterator[str]":
        path = unquoted(word) if isinstance(word, Dynamic) else word
        return self._where.absolute(path, number)


def _is_copied(access: Access) -> bool:
    return access.mode == "read" and access.extent in _SOURCES


def _relative(links: "list[Access]", target: str) -> "Iterator[str]":
    """What a relative link stands for: it begins where the link is."""
    for access in links:
        if isinstance(access.path, str) and access.path[:1] not in ("/", "~"):
            yield posixpath.normpath(f"{posixpath.dirname(target)}/{access.path}")


def _arrived(found: Relocation, source: str) -> "Iterator[Relocation]":
    """At the target itself, and below it under its own name."""
    yield found.replace(source=source)
    name, target = source.rpartition("/")[2], found.target
    if name and target.rpartition("/")[2] != name:
        yield found.replace(source=source, target=f"{target.rstrip('/')}/{name}")


def _moved(path: str, by: Relocation) -> str:
    return by.source + path[len(by.target) :]
