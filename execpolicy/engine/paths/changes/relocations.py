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
    from collections.abc import Callable, Iterator

    from execpolicy.engine.paths.whereabouts import Whereabouts
    from execpolicy.engine.unwrap import ExpandedOperation

MAX_PAIRS = 256
"""Relocations of one request that are followed, and paths that one is followed through: of more
only where they go to is known."""
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

    __slots__ = ("_away", "_by_step", "_by_target", "_found", "_made", "_trees", "_where")

    def __init__(self, where: "Whereabouts") -> None:
        self._where = where
        self._found = False
        self._by_target: dict[str, list[Relocation]] = {}
        self._by_step: dict[int, list[Relocation]] = {}
        self._away: dict[str, int] = {}
        """Paths that are moved away, with the first step that does."""
        self._made: frozenset[str] | None = None
        self._trees: dict[str, tuple[int, int]] = {}
        """Directories of which steps change files that no word names: the first and the last."""

    def others(self, path: str, number: int) -> "Iterator[str]":
        """Other files that this absolute path may be by then: those that a link leads to."""
        for other, moved in self._followed(path, lambda by: by.number != number).items():
            if moved is not None and (moved.linked or self._has_link(other, moved.source)):
                yield other

    def origins(self, path: str, number: int) -> "set[str]":
        """Where what stands at a path by then was before the request moved it."""
        return {*self._followed(path, lambda by: by.moved and by.number < number)} - {path}

    def _followed(
        self, path: str, counts: "Callable[[Relocation], bool]"
    ) -> "dict[str, Relocation | None]":
        """Where a file may come from, itself the first; more than `MAX_PAIRS` say no more."""
        known: dict[str, Relocation | None] = {posixpath.normpath(path): None}
        waiting = [*known]
        for _ in range(MAX_ROUNDS):
            new: dict[str, Relocation | None] = {}
            for each in waiting:
                for by in self._bringing(each) if len(known) + len(new) <= MAX_PAIRS else ():
                    if counts(by) and (moved := _moved(each, by)) not in known:
                        new[moved] = by
            known.update(new)
            waiting = [*new]
        return known

    def _bringing(self, path: str) -> "Iterator[Relocation]":
        """The relocations to a path, or to a directory above it."""
        by_target = self._all()
        return (by for above in _above(path) if above in by_target for by in by_target[above])

    def is_away(self, path: str, number: int) -> bool:
        """Whether a step before this one certainly moves a path away."""
        self._all()
        away = (self._away.get(above, number) for above in _above(path))
        return not self._where.turns and any(at < number for at in away)

    def is_unsettled(self, path: str, number: int) -> bool:
        """Whether a step before this one may have put anything at a path: git switched trees, or so
        many files were moved that it is not known which."""
        self._all()
        turns = self._where.turns
        for above in _above(path) if self._trees else ():
            first, last = self._trees.get(above, (number, number))
            if first < number or (turns and last != number):
                return True
        return bool(self._by_target) and (
            len(self._followed(path, lambda by: by.number != number)) > MAX_PAIRS
        )

    def __bool__(self) -> bool:
        """Whether anything is moved at all."""
        return bool(self._all() or self._trees)

    def puts(self, path: str) -> bool:
        """Whether some step may make this entry, by its name or with a tree that has it."""
        if self._made is None:
            made = frozenset(self._entries())
            self._made = frozenset(above for each in made for above in _above(each))
        if path.lower() in self._made:
            return True
        kind = self._where.resolver.kind
        return any(kind(_moved(path, by)) != "missing" for by in self._bringing(path))

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
        own = (r for r in self._all().get(target, ()) if r.number == number)
        return any(kind(each.source + inside) != "missing" for each in own)

    def arriving(self, directory: str, number: int) -> "Iterator[Relocation]":
        """What this step may put at a path, or into it if it is no file."""
        self._all()
        own = self._by_step.get(number, ())
        is_file = bool(own) and self._where.resolver.kind(directory) == "file"
        for one in own:
            if one.target == directory or (not is_file and below(one.target, directory)):
                yield one

    def _has_link(self, path: str, source: str) -> bool:
        """Whether what was moved is a link, or has one on the way to the path."""
        locate = self._where.resolver.locate
        parent, _, name = source.rpartition("/")
        above = locate(parent or "/").real
        stands = above and posixpath.join(above, name) + path[len(source) :]
        return locate(path).real != stands

    def _all(self) -> "dict[str, list[Relocation]]":
        """The relocations by their targets."""
        if not self._found:
            self._found = True
            found: set[Relocation] = set()
            for number, step in enumerate(self._where.steps):
                for each in self._of(number, step):
                    if len(found) >= MAX_PAIRS:
                        self._changes_below(each.target, number)
                    elif each not in found:
                        found.add(each)
                        self._by_target.setdefault(each.target, []).append(each)
                        self._by_step.setdefault(number, []).append(each)
                        if each.moved:
                            self._away.setdefault(each.source, number)
        return self._by_target

    def _changes_below(self, tree: str, number: int) -> None:
        first, _ = self._trees.get(tree, (number, number))
        self._trees[tree] = first, number

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
                for tree in map(posixpath.normpath, self._absolute(access.path, number)):
                    self._changes_below(tree, number)
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
        if not path:
            return iter(())  # an empty word names no file (path_resolution(7))
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


def _above(path: str) -> "Iterator[str]":
    """A path and the directories above it."""
    while path not in ("", "/"):
        yield path
        path = path.rpartition("/")[0]
    yield "/"


def _moved(path: str, by: Relocation) -> str:
    return by.source + path[len(by.target) :]
