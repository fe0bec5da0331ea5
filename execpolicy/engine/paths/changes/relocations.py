"""Where a path leads once the steps of the request before it have moved, copied or linked files.

The disk shows what stands at a path before the request runs. `mv l m && cat m/x` reads what lies
after the link `l`, and no look at `m` tells that.
"""

import posixpath
from _collections_abc import Callable, Iterable, Iterator, Sequence

from execpolicy.catalogue import Cause
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.support.path_match import and_above, below, normal
from execpolicy.support.record import Value

MAX_PAIRS = 256
"""Relocations of one request that are followed, and paths that one is followed through: of more
only where they go to is known."""
MAX_ROUNDS = 4
MAX_FOLLOWED = 5000
"""Relocations that the paths of one request are followed through, all together: of the rest it is
not known what stands there."""
_SOURCES = frozenset(("file", "tree"))
_CHANGED = frozenset(("edited", "restored", "below"))
_BROUGHT = frozenset(("restored", "below"))
"""Extents of changes that may make files of any name."""


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

    __slots__ = (
        *("_arriving", "_away", "_below", "_by_step", "_by_target", "_filled", "_found"),
        *("_known", "_left", "_lost", "_made", "_origins", "_pairs", "_trees", "_trees_at"),
        "_where",
    )

    def __init__(self, where: "Whereabouts") -> None:
        self._where = where
        self._found = False
        self._by_target: dict[str, list[Relocation]] = {}
        self._by_step: dict[int, dict[Relocation, None]] = {}
        self._arriving: dict[tuple[int, str], list[Relocation]] = {}
        self._known: dict[tuple[str, int], tuple[tuple[str, ...], bool]] = {}
        self._origins: dict[tuple[str, int], set[str]] = {}
        self._left = MAX_FOLLOWED
        self._away: dict[str, int] = {}
        """Paths that are moved away, with the first step that does."""
        self._made: dict[str, list[str]] | None = None
        self._filled: tuple[set[str], set[str]] | None = None
        self._trees_at: dict[str, tuple[Relocation, ...]] = {}
        self._below: dict[str, list[Relocation]] = {}
        """The relocations to each path, and to what lies below it."""
        self._trees: dict[str, tuple[int, int]] = {}
        """Directories of which steps change files that no word names: the first and the last."""
        self._lost: dict[str, tuple[int, int]] = {}
        """Those to which more is moved than is followed."""
        self._pairs = 0

    def others(self, path: str, number: int) -> "Iterator[str]":
        """Other files that this absolute path may be by then: those that a link leads to."""
        yield from self._others(path, number)[0]

    def linked(self, path: str, number: int) -> "Iterator[str]":
        """The very files that steps before this one gave this path as another name."""
        if not self:
            return
        followed = self._followed(path, lambda by: by.linked and by.number < number)
        yield from (other for other, by in followed.items() if by is not None)

    def _others(self, path: str, number: int) -> "tuple[tuple[str, ...], bool]":
        """The other files, and whether there are more than are followed."""
        found = self._known.get((path, number))
        if found is None:
            followed = self._followed(path, lambda by: by.number != number)
            others = tuple(
                other
                for other, by in followed.items()
                if by is not None and (by.linked or self._has_link(other, by.source))
            )
            lost = len(followed) > MAX_PAIRS or self._left <= 0
            found = self._known[path, number] = others, lost
        return found

    def origins(self, path: str, number: int) -> "set[str]":
        """Where what stands at a path by then was before the request moved it."""
        key = path, number
        if key not in self._origins:
            counts = self._followed(path, lambda by: by.moved and by.number < number)
            self._origins[key] = {*counts} - {path}
        return self._origins[key]

    def _followed(
        self, path: str, counts: "Callable[[Relocation], bool]"
    ) -> "dict[str, Relocation | None]":
        """Where a file may come from, itself the first; more than `MAX_PAIRS` say no more."""
        known: dict[str, Relocation | None] = {normal(path): None}
        waiting = [*known]
        for _ in range(MAX_ROUNDS):
            new: dict[str, Relocation | None] = {}
            for each in waiting:
                for by in self._bringing(each) if len(known) + len(new) <= MAX_PAIRS else ():
                    self._left -= 1
                    if counts(by) and (moved := _moved(each, by)) not in known:
                        new[moved] = by
            known.update(new)
            waiting = [*new] if self._left > 0 else []
        return known

    def _bringing(self, path: str) -> "list[Relocation]":
        """The relocations to a path, or to a directory above it."""
        by_target = self._all()
        every = and_above(path) if by_target else ()
        return [by for above in every if above in by_target for by in by_target[above]]

    def is_away(self, path: str, number: int) -> bool:
        """Whether a step before this one certainly moves a path away."""
        self._all()
        away = (self._away.get(above, number) for above in and_above(path))
        return not self._where.turns and any(at < number for at in away)

    def is_unsettled(self, path: str, number: int) -> bool:
        """Whether a step before this one may have put anything at a path: git switched trees, or so
        many files were moved that it is not known which."""
        self._all()
        return self._is_in(self._trees, path, number) or self.is_lost(path, number)

    def is_lost(self, path: str, number: int) -> bool:
        """Whether so much is moved that it is not known which file of another place is there."""
        by_target = self._all()
        if self._is_in(self._lost, path, number):
            return True
        return bool(by_target) and self._others(path, number)[1]

    def _is_in(self, trees: "dict[str, tuple[int, int]]", path: str, number: int) -> bool:
        turns = self._where.turns
        for above in and_above(path) if trees else ():
            first, last = trees.get(above, (number, number))
            if first < number or (turns and last != number):
                return True
        return False

    def __bool__(self) -> bool:
        """Whether anything is moved at all."""
        return bool(self._all() or self._trees)

    def takes(self, number: int) -> bool:
        """Whether a step moves what it takes away to another place."""
        self._all()
        return any(one.moved for one in self._by_step.get(number, ()))

    def puts(self, path: str) -> bool:
        """Whether some step may make this entry, by its name or with a tree that has it."""
        if path.lower() in self._made_below():
            return True
        kind = self._where.resolver.kind
        return any(kind(_moved(path, by)) != "missing" for by in self._bringing(path))

    def puts_named(self, is_one: "Callable[[str], bool]", number: int) -> bool:
        """Whether a step beside this one may make an entry of such a name somewhere, by its name
        or with a tree that may have it."""
        if any(is_one(posixpath.basename(path)) for path in self._entries()):
            return True
        kind = self._where.resolver.kind
        for each in (by for brought in self._all().values() for by in brought):
            named = is_one(posixpath.basename(each.target))
            if each.number != number and (named or kind(each.source) == "directory"):
                return True
        others = (step for at, step in enumerate(self._where.steps) if at != number)
        return any(map(_brings_files, others))

    def _entries(self) -> "Iterator[str]":
        """The paths that steps write by their names, in lower case."""
        for number, access in self._written():
            for path in self._absolute(access.path, number):
                yield normal(path.lower())

    def _written(self) -> "Iterator[tuple[int, Access]]":
        """What steps write by its name, each with the number of its step."""
        for number, step in enumerate(self._where.steps):
            for access in step.accesses:
                if access.mode == "write" and access.extent in ("file", "entry"):
                    yield number, access

    def brings(self, target: str, path: str, number: int) -> bool:
        """Whether what this step puts at `target` has an entry that will then be this path."""
        kind = self._where.resolver.kind
        inside = path[len(target) :]
        own = (r for r in self._all().get(target, ()) if r.number == number)
        return any(kind(each.source + inside) != "missing" for each in own)

    def arriving(self, directory: str, number: int) -> "Iterator[Relocation]":
        """What this step may put at a path, or into it if it is not a file."""
        self._all()
        own = self._arriving.get((number, directory), ())
        is_file = bool(own) and self._where.resolver.kind(directory) == "file"
        for one in own:
            if one.target == directory or not is_file:
                yield one

    def trees(self, one: Relocation) -> "dict[tuple[str, str], None]":
        """The trees whose files a relocation brings, each with where it then lies: the one at its
        source, and those that other steps put there or below. What is more than is followed is
        lost at the target."""
        known = {(one.source, one.target): None}
        if not self._brought(one.source):
            return known
        waiting = [*known]
        for _ in range(MAX_ROUNDS):
            new: dict[tuple[str, str], None] = {}
            for source, target in waiting:
                for by in self._brought(source) if len(known) + len(new) <= MAX_PAIRS else ():
                    self._left -= 1
                    if by.number != one.number and self._left > 0:
                        new[by.source, target + by.target[len(source) :]] = None
            waiting = [pair for pair in new if pair not in known]
            known.update(new)
        if waiting or self._left <= 0:
            _widen(self._lost, one.target, one.number)
        return known

    def _brought(self, source: str) -> "tuple[Relocation, ...]":
        """The trees that steps put at a path, or below it; asked once for each path."""
        if source not in self._trees_at:
            found = self._below.get(source, ())
            self._trees_at[source] = tuple(by for by in found if self._is_tree(by, source))
        return self._trees_at[source]

    def _is_tree(self, by: Relocation, source: str) -> bool:
        """Whether what is put at a path, or below it, may hold other files: no file does, nor a
        tree that is put into itself."""
        if by.target != source and below(source, by.source):
            return False
        if by.target != source or len(self._made_below().get(by.source.lower(), ())) > 1:
            return True
        return self._where.resolver.kind(by.source) != "file"

    def made_below(self, source: str) -> "Iterator[str]":
        """The entries that steps make by their names below a tree, from the slash after it on."""
        for path in self._made_below().get(source.lower(), ()):
            yield path[len(source) :]

    def is_made_below(self, source: str) -> bool:
        """Whether steps make any entry by its name there."""
        return source.lower() in self._made_below()

    def is_filled(self, source: str) -> bool:
        """Whether some step may put files of any name there, above or below."""
        if self._filled is None:
            filled = {
                normal(path)
                for number, access in self._written()
                if isinstance(access.source, Dynamic)
                for path in self._absolute(access.path, number)
            }
            self._filled = filled, {above for path in filled for above in and_above(path)}
        at, over = self._filled
        return source in over or any(above in at for above in and_above(source) if at)

    def _made_below(self) -> "dict[str, list[str]]":
        """The entries that steps make by their names, by each directory above."""
        if self._made is None:
            self._made = {}
            for path in dict.fromkeys(self._entries()):
                for above in and_above(path):
                    self._made.setdefault(above, []).append(path)
        return self._made

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
            read = [step.reading for step in self._where.steps]
            causes = [found.effects if found is not None else () for found in read]
            for number, each in enumerate(causes):
                self._add(number, tuple([cause for cause in each if not cause.where]))
            for number, each in enumerate(causes):  # the steps may make settings
                if any(cause.where for cause in each):
                    from execpolicy.engine.paths.reach.project_settings import happening

                    self._add(number, happening(each, number, self._where, lambda: self))
        return self._by_target

    def _add(self, number: int, causes: "Iterable[Cause]") -> None:
        """Each file that a command reads or takes away may come to each path that it writes."""
        every = [cause.subject for cause in causes if isinstance(cause.subject, Access)]
        links = [each for each in every if _is_link(each)]
        targets: list[str] = []
        for access in every:
            if access.mode == "write" and not (_is_link(access) or access.extent == "repository"):
                for target in map(normal, self._absolute(access.path, number)):
                    if access.extent in _CHANGED:
                        _widen(self._trees, target, number)
                    else:
                        targets.append(target)
        some = bool(targets) and self._pairs < MAX_PAIRS
        taken = dict.fromkeys(self._taken(every, links, number)) if some else ()
        self._bring(taken, links, dict.fromkeys(targets), number)
        if targets and self._pairs >= MAX_PAIRS:
            leads_on = any(map(self._leads_on, taken or self._taken(every, links, number)))
            for target in targets:
                _widen(self._lost if leads_on or links else self._trees, target, number)

    def _bring(
        self,
        taken: "Iterable[Relocation]",
        links: "list[Access]",
        targets: "Iterable[str]",
        at: int,
    ) -> None:
        """Keep that what is taken, or linked, comes to each target, while few are kept."""
        for target in targets:
            if self._pairs >= MAX_PAIRS:
                return
            for by in (*taken, *_relative(links, target, at)):
                for each in _arrived(by, target) if self._pairs < MAX_PAIRS else ():
                    self._keep(each)

    def _leads_on(self, one: Relocation) -> bool:
        """Whether what is moved may lead to other places: all but what is known to be a file."""
        self._left -= 1
        if one.linked or self._left <= 0 or self._has_link(one.source, one.source):
            return True
        return self._where.resolver.kind(one.source) not in ("file", "missing")

    def _keep(self, one: Relocation) -> None:
        own = self._by_step.setdefault(one.number, {})
        if one in own:
            return
        self._pairs += 1
        own[one] = None
        self._by_target.setdefault(one.target, []).append(one)
        for above in and_above(one.target):
            self._arriving.setdefault((one.number, above), []).append(one)
            self._below.setdefault(above, []).append(one)
        if one.moved:
            self._away.setdefault(one.source, one.number)

    def _taken(
        self, every: "Sequence[Access]", links: "list[Access]", number: int
    ) -> "Iterator[Relocation]":
        """The files that a command copies, moves or links, wherever to."""
        copied = [each for each in every if _is_copied(each)]
        moved = [each for each in every if each.mode == "remove"]
        for source in self._sources(copied, number):
            yield Relocation(number, source, "")
        for source in self._sources(moved, number):
            yield Relocation(number, source, "", moved=True)
        for source in self._sources(links, number):
            yield Relocation(number, source, "", linked=True)

    def _sources(self, taken: "list[Access]", number: int) -> "Iterator[str]":
        for access in taken:
            for path in self._absolute(access.path, number):
                yield from map(normal, self._where.expanded(path))

    def _absolute(self, word: Word, number: int) -> "Sequence[str]":
        path = unquoted(word)
        # an empty word names no file (path_resolution(7))
        return self._where.absolute(path, number) if path else ()


def _is_link(access: Access) -> bool:
    return access.extent == "edited" and access.path != "."


def _brings_files(step: "ExpandedOperation") -> bool:
    """Whether a step may make files that no word names, whatever its settings say."""
    subjects = (c.subject for c in step.reading.effects if not c.where) if step.reading else ()
    return any(isinstance(each, Access) and each.extent in _BROUGHT for each in subjects)


def _is_copied(access: Access) -> bool:
    return access.mode == "read" and access.extent in _SOURCES


def _relative(links: "list[Access]", target: str, number: int) -> "Iterator[Relocation]":
    """What a relative link stands for: it begins where the link is."""
    for access in links:
        if isinstance(access.path, str) and access.path[:1] not in ("", "/", "~"):
            source = normal(f"{posixpath.dirname(target)}/{access.path}")
            yield Relocation(number, source, target, linked=True)


def _arrived(taken: Relocation, target: str) -> "Iterator[Relocation]":
    """At the target itself, and below it under its own name."""
    yield taken.replace(target=target)
    name = taken.source.rpartition("/")[2]
    if name and target.rpartition("/")[2] != name:
        yield taken.replace(target=f"{target.rstrip('/')}/{name}")


def _widen(trees: "dict[str, tuple[int, int]]", tree: str, number: int) -> None:
    first, _ = trees.get(tree, (number, number))
    trees[tree] = first, number


def _moved(path: str, by: Relocation) -> str:
    return by.source + path[len(by.target) :]
