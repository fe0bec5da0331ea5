"""What is laid over the paths that one command prints and another one opens."""

import posixpath
from _collections_abc import Iterator

from execpolicy.engine.paths import computed_paths
from execpolicy.engine.paths.bases import Base
from execpolicy.engine.paths.feeds.producers import Feed
from execpolicy.engine.paths.globs import is_glob
from execpolicy.engine.paths.history import keys_of
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.paths.touched import Overlay, Touched
from execpolicy.engine.paths.trees import files, tree
from execpolicy.model.operation import Word
from execpolicy.places.repository.trees import PACKED
from execpolicy.policy.place_index import HOME_DEPTH
from execpolicy.support.path_match import PathPattern, name_fits, normal

_FOUND = ("tree", "visible")
_TELLING = (
    *[(name, "", "", "", True) for name in sorted(PACKED)],
    *[("", "", "", sign, True) for sign in sorted(computed_paths.SPLITTING)],
)
"""What else than a class tells of a path: that it may be taken for others."""


class Fed:
    """The paths of feeds in one request. `dots`: a glob matches hidden names, too."""

    __slots__ = ("_dots", "_literal", "_where")

    def __init__(self, literal: LiteralPaths, dots: bool) -> None:
        self._literal, self._where, self._dots = literal, literal.where, dots

    def bases(self, feed: "Feed") -> "Iterator[Base]":
        """The base classes of where a feed looks, and of what the links lead to that it prints, or
        goes into."""
        for start in feed.starts:
            for root in self._roots(start, feed) or ():
                place = self._where.resolver.locate(root)
                yield self._literal.bases.of(place.real or place.lexical)
                for found in self._followed(root, feed) if feed.extent in _FOUND else ():
                    yield from found.bases

    def _followed(self, root: str, feed: "Feed") -> "Iterator[Touched]":
        from execpolicy.engine.paths.reach.followed import followed

        def fits(path: str) -> bool:
            return computed_paths.all_fit(feed.globs, path)

        enters = feed.follows or feed.entered
        return followed(root, feed.extent, fits, self._literal, enters=enters)

    def of(self, feed: "Feed", number: int) -> "Iterator[Overlay]":
        """What is laid over all that a feed may print, where step `number` opens it."""
        if feed.extent == "listed":
            yield from self._listed(feed, number)
            return
        for start in feed.starts:
            roots = self._roots(start, feed)
            if roots is None or (not self._where.of(number) and not _is_absolute(start)):
                yield from self._anywhere(feed.globs, unquoted(start))
            for root in roots or ():
                yield from self._below(root, feed, number, is_fixed=_is_absolute(start))

    # --- where it looks ---------------------------------------------------------------------------

    def _roots(self, start: Word, feed: "Feed") -> tuple[str, ...] | None:
        """The directories and files that a word of the feed's command names; None where that is
        not known."""
        here = self._where.of(feed.step)
        if feed.from_top or feed.whole:
            return self._tops(here or ())
        text = unquoted(start)
        computed = not isinstance(start, str) and computed_paths.start(f" {text}")
        every = [*self._where.named(text, feed.step)]
        if computed or not every or (here is None and not _is_absolute(start)):
            return None
        if isinstance(start, str) or not is_glob(text):
            return tuple(every)
        found: list[str] = []
        for absolute in every:
            matched = self._where.matches(absolute, self._dots)
            if matched is None:
                return None
            found += matched or here or ()  # with `nullglob` there is no operand at all
        return tuple(found)

    def _tops(self, directories: tuple[str, ...]) -> tuple[str, ...] | None:
        """The tops of the repositories of some directories."""
        found = [self._where.resolver.root(None, each) for each in directories]
        return tuple(each.path for each in found if each) if all(found) and found else None

    # --- what it finds ----------------------------------------------------------------------------

    def _below(
        self, root: str, feed: "Feed", number: int, *, is_fixed: bool
    ) -> "Iterator[Overlay]":
        place = self._where.resolver.locate(root)
        root = place.real or place.lexical
        index = self._literal.index
        ways = () if is_fixed else self._moved(root, feed, number)
        some = feed.extent == "tracked" and not ways and root.count("/") >= HOME_DEPTH
        found = self._tracked(root) if some else files(index, self._where, root, feed.extent)
        inside = None if found is None else tree(index, self._where, root)
        links = inside.links if inside is not None else ()
        if some and found is not None:
            found = tuple(sorted({*found, *filter(self._is_listed, links)}))
        if inside is None:
            yield from self._anywhere(feed.globs, root)
        if feed.extent != "tracked" and computed_paths.all_fit(feed.globs, root):
            yield from self._literal.place(root).overlays
            yield from self._one(root, posixpath.dirname(root), frozenset(), number)
        if feed.follows:
            for each in self._followed(root, feed):
                yield from each.overlays
        if feed.entered:
            yield from self._entered(root, links, feed)
        linked = frozenset(links)
        for path in self._telling(found or (), root, linked):
            if computed_paths.all_fit(feed.globs, path):
                yield from self._one(path, root, linked, number)
        for way in ways:
            yield from self._led(found or (), way, feed)

    def _tracked(self, root: str) -> tuple[str, ...] | None:
        """The paths below a directory that git tracks which may be more than a name of no class,
        but for links."""
        keys = keys_of(self._literal.index, self._where, root, self._literal.index.classes)
        told = [key for key in keys if any(key[:-1])]  # of others only what is near the top may be
        return self._where.resolver.tracked(root, (*told, *_TELLING))

    def _is_listed(self, path: str) -> bool:
        return self._where.resolver.tracks(path, True)

    def _led(
        self, found: tuple[str, ...], ways: tuple[str, str], feed: "Feed"
    ) -> "Iterator[Overlay]":
        """What is laid over the names that are printed in one directory and opened in another."""
        before, after = ways
        others = [f"{after.rstrip('/')}{path[len(before) :]}" for path in found]
        for other in self._literal.index.telling(others):
            if computed_paths.all_fit(feed.globs, other):
                yield from self._at(other)

    def _telling(
        self, paths: tuple[str, ...], root: str, linked: frozenset[str]
    ) -> "Iterator[str]":
        """The paths below a directory that are more than a name of no class. What none of them has
        is looked for in all of them at once."""
        text = "/".join(paths) + "/"
        telling = frozenset(self._literal.index.telling(paths, self._where.taken_apart))
        apart = computed_paths.is_taken_apart(text)
        packed = any(f"/{name}/" in text for name in PACKED)
        if not (apart or packed or linked):
            yield from (path for path in paths if path in telling)
            return
        for path in paths:
            leads = (packed and _is_packed(path, root)) or _is_led(path, root, linked)
            if leads or path in telling or (apart and computed_paths.is_taken_apart(path)):
                yield path

    def _entered(self, root: str, links: tuple[str, ...], feed: "Feed") -> "Iterator[Overlay]":
        """What is below the names that lead to other directories: of links, and of repositories."""
        modules = self._where.resolver.gitlinks(root) if feed.extent == "tracked" else ()
        if modules is None:
            yield from self._anywhere((), root)
        for path in (*links, *(modules or ())):
            real = self._where.resolver.locate(path).real or "/"
            inside = feed.extent == "tree" and real.startswith(f"{root}/")
            if not inside and self._is_directory(path):
                yield from self._literal.everything(path)

    def _moved(self, root: str, feed: "Feed", number: int) -> tuple[tuple[str, str], ...]:
        """Where a name that is printed relative to one directory leads from another: the beginning
        of the path there, and here."""
        before = (root,) if feed.from_top else self._where.of(feed.step) or ()
        after = self._where.of(number) or ()
        inside = [each for each in before if root == each or root.startswith(f"{each}/")]
        return tuple((one, other) for one in inside for other in after if one != other)

    def _one(
        self, path: str, start: str, linked: frozenset[str], number: int
    ) -> "Iterator[Overlay]":
        """What is laid over one path, over where it leads, and over what its name is taken for."""
        if _is_packed(path, start) or _is_led(path, start, linked):
            yield from self._literal.place(path).overlays
        else:
            yield from self._literal.classes(path, path)
        if path.endswith("\\") or "\\\n" in path:  # `read` joins it with the line that follows
            yield from self._anywhere((), start)
        for piece in computed_paths.pieces(path, start):
            if is_glob(piece):
                yield from self._literal.everything(piece)
            for absolute in self._where.absolute(piece, number):
                yield from self._at(absolute)

    def _at(self, path: str) -> "Iterator[Overlay]":
        yield from self._literal.classes(normal(path), path)

    def _listed(self, feed: "Feed", number: int) -> "Iterator[Overlay]":
        """What `ls` prints: the files that match, or what is in a directory of them.

        Whatever the case of a name is: `nocaseglob` may be set.
        """
        (glob,) = feed.starts
        everywhere = feed.replace(starts=(".",), extent="tree")
        for here in self._where.of(feed.step) or ("",):
            names = self._where.resolver.names(here) if here else None
            found = [n for n in names or () if self._matches(unquoted(glob), n)]
            paths = [posixpath.join(here, name) for name in found]
            flat = paths and not any(map(self._is_directory, paths))
            if names is None or not self._where.of(number):
                yield from self._anywhere((), here)
            elif not flat:
                yield from self.of(everywhere, number)
            else:
                for path in paths:
                    yield from self._literal.place(path).overlays
                    yield from self._one(path, here, frozenset(), number)
                    for other in self._where.of(number) or ():
                        yield from self._at(posixpath.join(other, path[len(here) :].lstrip("/")))

    def _matches(self, glob: str, name: str) -> bool:
        hidden = name[:1] == "." and glob[:1] != "." and not self._dots
        return not hidden and name_fits(glob.lower(), name.lower())

    def _is_directory(self, path: str) -> bool:
        return self._where.resolver.kind(path) not in ("file", "other", "missing")

    def _anywhere(self, names: tuple[str, ...], path: str) -> "Iterator[Overlay]":
        """What is sought whose last name fits: in a tree without bounds there may be one."""

        def is_meant(pattern: "PathPattern") -> bool:
            last = next((part for part in reversed(pattern.parts) if part != "**"), "")
            whole = not names or pattern.parts[-1:] == ("**",)
            return whole or all(computed_paths.meet(glob.lower(), last) for glob in names)

        return self._literal.anywhere(path, is_meant)


def _is_packed(path: str, start: str) -> bool:
    """Whether a path below a directory goes through one that is not looked through."""
    return not PACKED.isdisjoint(path[len(start) :].split("/"))


def _is_absolute(start: Word) -> bool:
    """Whether what is printed begins at the root: it leads to the same from everywhere."""
    return unquoted(start)[:1] in ("/", "~")


def _is_led(path: str, start: str, links: frozenset[str]) -> bool:
    """Whether a path below a directory is one of these links, or goes through one."""
    return bool(links) and not links.isdisjoint(_upwards(path, start))


def _upwards(path: str, start: str) -> "Iterator[str]":
    """The path, and each directory above it as far as `start`."""
    end = len(path)
    while end > len(start):
        yield path[:end]
        end = path.rfind("/", 0, end)
