"""What lies at a path that an operation touches: its class, and what is laid over it.

The text of a path and the place where it really leads are both judged, and the stricter counts. A
path that is computed is every place that it may be, as far as its beginning, the request's own
words and a bounded look at the directory can tell.
"""

import posixpath

from execpolicy.engine.paths import computed_paths
from execpolicy.engine.paths.bases import Base, Bases
from execpolicy.engine.paths.feeds import Limits, feed_of
from execpolicy.engine.paths.globs import Glob, expand, fixed_directory, is_glob
from execpolicy.engine.paths.targets import unquoted, without_proc
from execpolicy.engine.paths.touched import Overlay, Touched, laid, touched
from execpolicy.engine.paths.trees import files, is_wide, limits_of
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.operation import Access, Dynamic, is_pipe
from execpolicy.model.rule import ELSEWHERE, PlaceRule
from execpolicy.places.process import is_below_descriptor
from execpolicy.policy.place_index import PlaceIndex, fold
from execpolicy.support.path_match import name_fits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from execpolicy.engine.paths.changes.changing import Changing
    from execpolicy.engine.paths.changes.relocations import Relocations
    from execpolicy.engine.paths.producers import Feed

MAX_RECENT = 1024
_READ = frozenset(("credentials",))
_CHANGED = frozenset(("control", "credentials", "policy"))
_ANCHORS = ("/", "~", "")
_NEAR = frozenset(("file", "names"))
_ENTRIES = frozenset(("remove", "execute"))
"""Modes for which a link counts where it stands: it is what is removed, and what was put there."""
_CHANGING = frozenset(("write", "remove"))
_UNNAMED = frozenset(("below", "edited"))
_TREES = frozenset(("tracked", "tree", "visible"))


class Overlays:
    """The classes of the paths of one request."""

    __slots__ = (
        *("_bases", "_dots", "_index", "_known", "_known_changing", "_mentioned", "_relocations"),
        *("_text", "_where"),
    )

    def __init__(
        self,
        index: PlaceIndex,
        where: Whereabouts,
        text: str | None,
        moves: "Callable[[], Relocations]",
    ) -> None:
        self._index = index
        self._where = where
        self._bases = Bases(index, where)
        self._text = text
        self._dots = "dotglob" in (text or "").lower() or "glob_dots" in (text or "").lower()
        self._known: dict[tuple[int, int], tuple[Access, Touched]] = {}
        self._mentioned: tuple[Overlay, ...] | None = None
        self._relocations = moves
        self._known_changing: Changing | None = None

    def absolute(self, path: str, number: int) -> tuple[str, ...]:
        """A literal path from each directory where the step may run."""
        return tuple(self._where.absolute(path, number))

    def of(self, access: Access, number: int) -> Touched:
        """What an access of this step touches."""
        key = id(access), number  # which is its own as long as the entry keeps it
        _, found = self._known.get(key, (None, None))
        if found is None:
            found = self._near(access, number) or self._find(access, number)
            if len(self._where.steps) > 1:
                found = self._relocated(found, access, number)
            self._known[key] = access, found
        return found

    def _near(self, access: Access, number: int) -> Touched | None:
        """The same for what most accesses are: one file read, by a literal name."""
        path = access.path
        if not isinstance(path, str) or access.mode != "read" or access.extent not in _NEAR:
            return None
        if path[:1] in _ANCHORS or access.source is not None:
            return None
        directories = self._where.of(number)
        if directories is None or len(directories) != 1:
            return None
        absolute = posixpath.join(directories[0], path)
        if access.extent == "names":  # of which no overlay counts
            real = self._where.resolver.locate(absolute).real
            return Touched((Base(ELSEWHERE) if real is None else self._bases.of(real),), ())
        base, overlays = self._place(absolute)
        return touched([base], overlays, _READ)

    def _find(self, access: Access, number: int) -> Touched:
        path = access.path if isinstance(access.path, str) else unquoted(access.path)
        path = without_proc(path)
        wanted = _READ if access.mode == "read" else _CHANGED
        if access.extent == "names" or access.mode == "execute":
            wanted = frozenset()
        bases, overlays = self._of_path(access, path, number)
        if not path.startswith(("/", "~")) and self._where.of(number) is None:
            overlays = [*overlays, *self._anywhere(path, access.extent)]
        if access.extent in _TREES:
            roots = [*self._roots(path, number)]
            overlays = [
                *overlays,
                *self._trees(roots, access.extent, limits_of(self._where, number)),
            ]
            if access.extent == "tracked" and is_glob(path):
                overlays = [*overlays, *self._pathspec(path, number)]
        if access.extent == "below":
            bases = [*bases, Base(ELSEWHERE)]  # a name of no fixed place, `.envrc` say
        if access.mode in _CHANGING:
            overlays = [*overlays, *self._changed(path, access, number)]
        if access.source is not None and isinstance(access.path, str):
            overlays = [*overlays, *self._arriving(access.source, access.path, number)]
        return touched(bases, overlays, wanted)

    def _of_path(
        self, access: Access, path: str, number: int
    ) -> "tuple[list[Base], list[Overlay]]":
        """What the word of a path, without quotes, may lead to."""
        if access.mode == "read" and is_pipe(access.path):
            return [Base(ELSEWHERE)], []
        removing = access.mode in _ENTRIES
        if isinstance(access.path, Dynamic):
            if computed_paths.is_computed(access.path, path):
                return self._computed(access.path, path, number)
            if is_glob(path):
                return self._globbed(path, number, removing)
        return self._plain(path, number, removing)

    def _relocated(self, found: Touched, access: Access, number: int) -> Touched:
        """The same with what other steps of the request put at the path before it is opened."""
        if access.extent in _UNNAMED or access.extent == "names":
            return found
        moves = self._relocations()
        path = access.path if isinstance(access.path, str) else unquoted(access.path)
        bases, overlays = [*found.bases], [*found.overlays]
        for absolute in self._where.absolute(path, number) if moves else ():
            for other in moves.others(absolute, number):
                base, over = self._place(other, access.mode in _ENTRIES)
                bases.append(base)
                overlays += over
                if access.mode in _CHANGING:
                    overlays += laid(self._changing.program(other, access.extent, number))
            if access.mode == "write" and moves.is_unsettled(absolute, number):
                bases.append(Base(ELSEWHERE))
        wanted = _READ if access.mode == "read" else _CHANGED
        return touched(bases, overlays, wanted) if bases[len(found.bases) :] else found

    def _anywhere(self, path: str, extent: str) -> "Iterator[Overlay]":
        """A path below a directory that is computed: every one that the request names may be it."""
        if extent in _TREES or is_glob(path):
            yield from self._everything(path)
        yield from self._ending(posixpath.normpath(path), path)
        for word in self._words():
            below = posixpath.join(unquoted(Dynamic(word)), path)
            yield from self._classes(posixpath.normpath(below), below)
            if is_glob(below):
                yield from self._could_be(below)

    # --- one path ---------------------------------------------------------------------------------

    def _plain(self, path: str, number: int, removing: bool) -> "tuple[list[Base], list[Overlay]]":
        bases: list[Base] = []
        overlays: list[Overlay] = []
        for absolute in self._where.absolute(path, number):
            base, over = self._place(absolute, removing)
            bases.append(base)
            overlays += over
        if not bases or path[:1] == "~":  # the home of an unknown user, or just a name
            overlays += self._classes(posixpath.normpath(path), path)
        return bases or [Base(ELSEWHERE)], overlays

    def _place(self, path: str, removing: bool = False) -> "tuple[Base, list[Overlay]]":
        """The base class of an absolute path, and what lies over its text and its real place.

        Of a link that is removed, its own place is what counts.
        """
        place = self._where.resolver.locate(path)
        overlays = self._classes(place.lexical, path)
        if place.real is None:
            return Base(ELSEWHERE), overlays
        if place.problem:
            return self._of_process(place.real, path, removing, overlays)
        if place.real != place.lexical:
            overlays += self._classes(place.real, f"{path} → {place.real}")
        real = self._entry(path) or place.real if removing else place.real
        return self._bases.of(real), overlays

    def _of_process(
        self, real: str, path: str, removing: bool, overlays: "list[Overlay]"
    ) -> "tuple[Base, list[Overlay]]":
        """The same for a path that leads into a process: to its root, its directory, its files."""
        direct = self._where.direct(real)
        if direct != real:
            base, over = self._place(direct, removing)
            return base, [*overlays, *over]
        overlays += self._classes(real, f"{path} → {real}")
        if is_below_descriptor(path) or is_below_descriptor(real):
            overlays += self._everything(path)
        return self._bases.of(real), overlays

    def _entry(self, path: str) -> str | None:
        """Where a name itself stands, not where it leads."""
        directory, _, name = path.rpartition("/")
        if name in ("", ".", ".."):
            return None
        above = self._where.resolver.locate(directory or "/").real
        return above and posixpath.join(above, name)

    def _classes(self, path: str, shown: str) -> list[Overlay]:
        root = self._where.root
        found = self._index.of(path, self._where.home, root.path if root else None)
        return [Overlay(rule, shown) for rule in found]

    # --- several paths ----------------------------------------------------------------------------

    def _globbed(
        self, path: str, number: int, removing: bool
    ) -> "tuple[list[Base], list[Overlay]]":
        """What a glob matches; where that is nothing, a fixed name that it could match.

        To remove all of a directory is to remove what makes it one.
        """
        bases: list[Base] = []
        overlays: list[Overlay] = []
        for absolute in self._where.absolute(path, number):
            matched = expand(absolute, self._where.resolver, self._dots)
            for each in matched or ():
                base, over = self._place(each, removing)
                bases.append(base)
                overlays += over
            if not matched:
                overlays += self._could_be(absolute)
            if removing or not matched:
                bases.append(self._place(fixed_directory(absolute))[0])
            if "**" in path:
                overlays += self._trees([fixed_directory(absolute)], "tree", Limits())
        if not bases:
            overlays += self._could_be(path)
        return bases or [Base(ELSEWHERE)], overlays

    def _could_be(self, path: str) -> "Iterator[Overlay]":
        home, folded = self._where.home, fold(path)
        key = folded, home
        known = self._index.recent.get(key)
        if known is None:
            if len(self._index.recent) >= MAX_RECENT:
                self._index.recent.clear()
            known = self._index.recent[key] = tuple(self._possible(folded, home and fold(home)))
        return (Overlay(rule, path) for rule in known)

    def _possible(self, path: str, home: str | None) -> "Iterator[PlaceRule]":
        """The first declaration of each class that has a fixed name which the glob could match."""
        glob = Glob(path)
        for place in sorted(_CHANGED):
            for pattern, rule in self._index.literals(place):
                if glob.could_be(pattern, home):
                    yield rule
                    break

    def _computed(
        self, word: Dynamic, path: str, number: int
    ) -> "tuple[list[Base], list[Overlay]]":
        """A path of which only the beginning is known, or nothing."""
        known = path[
            : min(
                (at for sign in computed_paths.COMPUTED if (at := path.find(sign)) >= 0), default=0
            )
        ]
        if word.prefix not in ("", "/") and len(word.prefix) > len(known):
            known = word.prefix
        known = "" if known == "." else known.removeprefix("./")
        directory = known[: known.rfind("/") + 1]
        feed = feed_of(self._where.steps, number, word)
        overlays = [*self._mentions(), *self._classes(computed_paths.stand_in(path), path)]
        overlays += self._ending(computed_paths.tail(path), path)
        if feed is not None:
            return [Base(ELSEWHERE)], [*overlays, *self._fed(feed, number)]
        if directory:
            overlays += self._classes(posixpath.normpath(directory), path)
        for absolute in self._where.absolute(directory or ".", number):
            place = self._where.resolver.locate(absolute)
            overlays += self._classes(place.real or place.lexical, path)
            if not is_wide(self._where, place.real or place.lexical):
                start = place.real or place.lexical
                overlays += self._found_below(
                    start, known, word.suffix or computed_paths.tail(path)
                )
        return [Base(ELSEWHERE)], overlays

    def _ending(self, tail: str, path: str) -> "Iterator[Overlay]":
        """Credentials of which the names at the end are those of a computed path: `$x/.npmrc`."""
        names = fold(tail).strip("/").split("/") if tail else []
        for pattern, rule in self._index.literals("credentials") if names else ():
            if pattern.ends_like(names):
                yield Overlay(rule, path)
                return

    def _mentions(self) -> tuple[Overlay, ...]:
        """The credentials that the request itself names somewhere: a computed path may be these."""
        if self._mentioned is None:
            self._mentioned = tuple(self._in_text())
        return self._mentioned

    def _words(self) -> "list[str]":
        """The words of the request's text, whatever they are for."""
        return computed_paths.words(self._text or "")

    def _in_text(self) -> "Iterator[Overlay]":
        for word in self._words():
            path = unquoted(Dynamic(word))
            if path.strip("*?./~$-") == "":
                continue
            yield from self._classes(path, word)
            if "$" in path:
                yield from self._ending(computed_paths.tail(path), word)
            if is_glob(path):
                yield from self._could_be(path)

    def _fed(self, feed: "Feed", number: int) -> "Iterator[Overlay]":
        """What a command may print of what lies below its directories."""
        root = self._where.root
        for start in (root.path,) if feed.from_top and root else feed.starts:
            text = start if isinstance(start, str) else unquoted(start)
            for absolute in self._where.absolute(text, number):
                found = files(self._where, absolute, feed.extent)
                if found is None:
                    yield from self._named_anywhere(feed.globs, absolute)
                for path in found or ():
                    if computed_paths.all_fit(feed.globs, path):
                        yield from self._classes(path, path)
                        yield from self._split(path, absolute, number)

    def _split(self, path: str, start: str, number: int) -> "Iterator[Overlay]":
        for piece in computed_paths.pieces(path, start):
            if is_glob(piece):
                yield from self._everything(piece)
            for absolute in self._where.absolute(piece, number):
                yield from self._classes(posixpath.normpath(absolute), piece)

    def _named_anywhere(self, names: tuple[str, ...], path: str) -> "Iterator[Overlay]":
        """Credentials whose last name fits: in a tree without bounds there may be one."""
        for pattern, rule in self._index.literals("credentials"):
            last = next((part for part in reversed(pattern.parts) if part != "**"), "")
            below = pattern.parts[-1:] == ("**",)
            if not names or below or all(computed_paths.meet(glob.lower(), last) for glob in names):
                yield Overlay(rule, f"{path}, with all below it")
                return

    def _found_below(self, directory: str, known: str, suffix: str) -> "Iterator[Overlay]":
        """Credentials in a tree, of which a computed path that begins and ends so may be one."""
        name = known[known.rfind("/") + 1 :]
        for path in self._where.resolver.nearby(directory):
            rest = path[len(directory) :].lstrip("/")
            if path.endswith(suffix) and rest.startswith(name):
                yield from self._classes(path, path)

    def _arriving(self, source: "str | Dynamic", path: str, number: int) -> "Iterator[Overlay]":
        """What the files below a directory become where it is copied to."""
        resolver = self._where.resolver
        text = source if isinstance(source, str) else unquoted(source)
        if is_glob(text) or any(sign in text for sign in computed_paths.COMPUTED):
            return
        for start in self._where.absolute(text, number):
            for inside in resolver.below(posixpath.normpath(start), False) or ():
                rest = inside[len(posixpath.normpath(start)) :]
                for target in self._where.absolute(path, number):
                    arrived = posixpath.normpath(target) + rest
                    yield from self._classes(arrived, arrived)

    @property
    def _changing(self) -> "Changing":
        if self._known_changing is None:
            from execpolicy.engine.paths.changes.changing import Changing

            moves = self._relocations()
            self._known_changing = Changing(self._index, self._where, moves)
        return self._known_changing

    def _changed(self, path: str, access: Access, number: int) -> "Iterator[Overlay]":
        """What changes with a path beside the path itself."""
        changing, extent = self._changing, access.extent
        if extent != "entry":
            for absolute in self._roots(path, number):
                yield from laid(changing.held(absolute, extent in _UNNAMED))
        for absolute in self._where.absolute(path, number) if extent not in _UNNAMED else ():
            yield from laid(changing.program(absolute, extent, number))
            yield from laid(changing.arriving(absolute, number))

    # --- trees ------------------------------------------------------------------------------------

    def _roots(self, path: str, number: int) -> "Iterator[str]":
        """The directories that a word stands for, of a glob all that it matches."""
        for absolute in self._where.absolute(path, number):
            yield from (
                (expand(absolute, self._where.resolver, self._dots) or ())
                if is_glob(path)
                else (absolute,)
            )

    def _trees(self, roots: "Iterable[str]", extent: str, taken: Limits) -> "Iterator[Overlay]":
        """What a program that reads all below would read; a tree without bounds has everything."""
        for absolute in roots:
            found = files(self._where, absolute, extent)
            if found is None:
                yield from self._everything(absolute)
            for path in found or ():
                if taken.take(path[len(absolute) :]):
                    yield from self._classes(path, path)

    def _pathspec(self, path: str, number: int) -> "Iterator[Overlay]":
        """What git takes for a glob: its `*` matches slashes and dots, too (gitglossary(7))."""
        for absolute in self._where.absolute(path, number):
            tracked = self._where.resolver.tracked(posixpath.normpath(fixed_directory(absolute)))
            matched = [each for each in tracked or () if name_fits(absolute, each)]
            for each in matched:
                yield from self._classes(each, each)
            if not matched:  # an older commit may have one
                yield from self._named(absolute.rpartition("/")[2].lower(), path)

    def _named(self, glob: str, shown: str) -> "Iterator[Overlay]":
        """The first credentials of a fixed name that a glob with some literal text fits."""
        for pattern, rule in self._index.literals("credentials"):
            last = pattern.parts[-1]
            if glob.strip("*?") and not is_glob(last) and name_fits(glob, last):
                yield Overlay(rule, shown)
                return

    def _everything(self, path: str) -> "Iterator[Overlay]":
        for _, rule in [*self._index.literals("credentials")][:1]:
            yield Overlay(rule, f"{path}, with all below it")
