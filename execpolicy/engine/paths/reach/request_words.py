"""The words of a request: what a path that is not known may turn out to be by them."""

import posixpath
from _collections_abc import Iterable, Iterator, Sequence

from execpolicy.engine.paths import computed_paths
from execpolicy.engine.paths.globs import Glob, is_glob
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Overlay
from execpolicy.model.rule import PlaceRule
from execpolicy.policy.folding import fold
from execpolicy.support.path_match import normal

MAX_JOINED = 2000
"""Paths that are words of a request below each other which are looked at. Beyond, a path below a
directory that is not known may be of any class."""
_GLOB_COST = 10
"""How many literal ones a glob among them counts for."""
_TOPS = frozenset("/~$")
"""With which a word begins that may be a directory near the top, or the home."""


class RequestWords:
    """The words of one request, and what they name."""

    __slots__ = (
        *("_below", "_classes", "_ends", "_index", "_joined", "_known_filling"),
        *("_known_like", "_known_telling", "_literal", "_mentioned", "_where"),
    )

    def __init__(self, literal: LiteralPaths) -> None:
        self._literal, self._classes = literal, literal.classes
        self._index, self._where = literal.index, literal.where
        self._below: dict[str, tuple[Overlay, ...]] = {}
        self._ends: dict[str, tuple[PlaceRule, ...]] = {}
        self._joined = 0
        self._known_filling: dict[bool, list[str]] = {}
        self._known_like: frozenset[str] | None = None
        self._known_telling: Sequence[tuple[str, str, bool]] | None = None
        self._mentioned: tuple[Overlay, ...] | None = None

    def below(self, path: str) -> tuple[Overlay, ...]:
        """A path below each word, and what is sought that ends so: the first of each class."""
        known = self._below.get(path)
        if known is None:
            found = [*self.ending(normal(path), path), *self._below_word(path)]
            every = {overlay.rule.place: overlay for overlay in reversed(found)}
            known = self._below[path] = tuple(reversed(every.values()))
        return known

    def _below_word(self, path: str) -> "Iterator[Overlay]":
        """A path below each word of the request. Most words and paths are like nothing of a class,
        and then nothing that is joined of them is."""
        plain = not (is_glob(path) or ".." in path or self._index.is_like(path))
        for _, start, _ in self._telling_words() if plain else self._where.words:
            below = posixpath.join(start, path)
            glob = is_glob(below)
            self._joined += _GLOB_COST if glob else 1
            if self._joined > MAX_JOINED:
                yield from self._literal.any_class(path)
                return
            yield from self._classes(normal(below), below)
            if glob:
                yield from self.could_be(below)

    def filling(self, path: str) -> "Iterator[Overlay]":
        """A path with each word of the request in the place of the one part that is computed."""
        at = computed_paths.start(path)
        before, after = path[:at], path[computed_paths.end_of_computed(path, at) :]
        if not (before or after) or any(sign in after for sign in computed_paths.COMPUTED):
            return
        plain = not (is_glob(after) or ".." in after or self._index.is_like(after))
        words = self._filling(plain=plain)
        self._joined += len(words)
        if self._joined > MAX_JOINED:
            yield from self._literal.any_class(path)
            return
        made = [f"{before}{word}{after}" for word in words]
        for each in self._index.telling([normal(one) for one in made]):
            yield from self.could_be(each) if is_glob(each) else self._classes(each, path)

    def _filling(self, *, plain: bool) -> "list[str]":
        """The words that may stand for a part: all, or the telling ones of a plain path."""
        if plain not in self._known_filling:
            words = self._telling_words() if plain else self._where.words
            self._known_filling[plain] = [
                path for word, path, glob in words if not (glob or computed_paths.start(f" {word}"))
            ]
        return self._known_filling[plain]

    def _telling_words(self) -> "Sequence[tuple[str, str, bool]]":
        """The words of the request that are globs, or have a name like one of a class."""
        if self._known_telling is None:
            telling = self._like
            self._known_telling = [
                (word, path, glob)
                for word, path, glob in self._where.words
                if glob or path in telling or word[:1] in _TOPS or ".." in word
            ]
        return self._known_telling

    @property
    def _like(self) -> frozenset[str]:
        """The paths of the words that have a name like one of a class."""
        if self._known_like is None:
            paths = [path for _, path, _ in self._where.words]
            self._known_like = frozenset(self._index.telling(paths))
        return self._known_like

    def could_be(self, path: str) -> "Iterator[Overlay]":
        """The first declaration of each class that a glob could match the name of."""
        home, root, folded = self._where.home, self._where.root, fold(path)
        top = root.path if root else None
        known = self._possible(folded, home and fold(home), top and fold(top))
        return (Overlay(rule, path) for rule in known)

    def _possible(self, path: str, home: str | None, root: str | None) -> "Iterable[PlaceRule]":
        """The first declaration of each class that has a fixed name which the glob could match."""
        glob = Glob(path, home, root)
        found: dict[str, PlaceRule] = {}
        for pattern, rule in self._index.literal_names.like(glob.edges, glob.lengths, glob.dots):
            if rule.place not in found and glob.could_be(pattern):
                found[rule.place] = rule
        return found.values()

    def ending(self, tail: str, path: str) -> "Iterator[Overlay]":
        """What is sought whose last names are those of a computed path: `$x/.npmrc`."""
        if not tail:
            return
        if tail not in self._ends:
            names = fold(tail).strip("/").split("/")
            self._ends[tail] = tuple(
                first
                for place in self._index.sought
                if (first := self._index.ending(place, names)) is not None
            )
        yield from (Overlay(rule, path) for rule in self._ends[tail])

    def mentions(self) -> tuple[Overlay, ...]:
        """The credentials that the request itself names somewhere: a computed path may be these."""
        if self._mentioned is None:
            self._mentioned = tuple(self._in_text())
        return self._mentioned

    def _in_text(self) -> "Iterator[Overlay]":
        telling, home = self._like, self._where.home
        for word, path, glob in self._where.words:
            tells = path in telling or path == home
            if not (tells or glob or "$" in path) or path.strip("*?./~$-{}") == "":
                continue
            if tells:
                yield from self._classes(path, word)
            if "$" in path:
                yield from self.ending(computed_paths.tail(path), word)
            if is_glob(path):
                yield from self.could_be(path)
