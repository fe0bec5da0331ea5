"""Which classes a path has, by the `place(...)` declarations of all layers.

The classes that are laid over a path (`credentials`, `control`, `policy`) tighten, so paths are
compared folded: without case, without trailing dots and blanks, a backslash as a slash.
"""

from execpolicy.path_match import PathPattern
from execpolicy.rule import OVERLAYS, PlaceRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Declared = tuple[PlaceRule, tuple[PathPattern, ...], tuple[PathPattern, ...]]

    from execpolicy.base_places import BasePlaces

SHRINKABLE = frozenset(("control", "credentials"))
"""Classes that a person may make smaller in the own layer; `policy` nobody may."""


class PlaceIndex:
    """The declarations, taken apart. Never changed once made; safe to share between threads."""

    __slots__ = (
        "_bases",
        "_declared",
        "_exact",
        "_heads",
        "_made",
        "_others",
        "_shrunk",
        "_tails",
        "recent",
        "rules",
    )

    def __init__(self, rules: "Iterable[PlaceRule]" = ()) -> None:
        every = tuple(rules)
        self.rules = tuple(rule for rule in every if rule.place in OVERLAYS)
        self._others = tuple(rule for rule in every if rule.place not in OVERLAYS)
        self._bases: BasePlaces | None = None
        self._made = False
        self.recent: dict[object, tuple[PlaceRule, ...]] = {}
        """What was found lately for globs, for whoever asks the same again."""

    @property
    def bases(self) -> "BasePlaces":
        """The declarations of base classes."""
        if self._bases is None:
            from execpolicy.base_places import BasePlaces

            self._bases = BasePlaces(self._others)
        return self._bases

    def of(self, path: str, home: str | None, root: str | None) -> "list[PlaceRule]":
        """The declarations about a normalised path, the first of each class.

        `path` is absolute, begins with `~`, or is relative to where nobody knows.
        """
        if not self.rules:
            return []
        if not self._made:
            self._make()
        folded = fold(path)
        names = folded.split("/")
        if not self._may_be_any(names):
            return []
        low, here = home and fold(home), root and fold(root)
        found: dict[str, PlaceRule] = {}
        for rule, patterns, unless in self._declared:
            if rule.place in found:
                continue
            if any(p.may_match(names) and p.matches(folded, low, here) for p in patterns) and (
                not any(p.may_match(names) and p.matches(folded, low, here) for p in unless)
            ):
                found[rule.place] = rule
        return [r for r in found.values() if not self._is_shrunk(r.place, folded, low, here)]

    def declared(self) -> "Sequence[Declared]":
        """Each declaration with its patterns and its exceptions, all folded."""
        if not self._made:
            self._make()
        return self._declared

    def literals(self, place: str) -> "Iterator[tuple[PathPattern, PlaceRule]]":
        """The patterns of a class, each with its declaration."""
        if not self._made:
            self._make()
        for rule, patterns, _ in self._declared:
            if rule.place == place:
                yield from ((pattern, rule) for pattern in patterns)

    def _is_shrunk(self, place: str, path: str, home: str | None, root: str | None) -> bool:
        return any(p.matches(path, home, root) for p in self._shrunk.get(place, ()))

    def _may_be_any(self, names: list[str]) -> bool:
        """Whether a name of the path is like one that a declaration needs: most are not."""
        if not self._exact.isdisjoint(names):
            return True
        return any(n.startswith(self._heads) or n.endswith(self._tails) for n in names if n)

    def _make(self) -> None:
        declared, keys = [], []
        shrunk: dict[str, list[PathPattern]] = {}
        for rule in self.rules:
            patterns = [PathPattern(fold(path)) for path in rule.paths]
            unless = [PathPattern(fold(path)) for path in rule.unless]
            if not patterns and rule.place in SHRINKABLE and rule.origin.layer == "user":
                shrunk.setdefault(rule.place, []).extend(unless)
            declared.append((rule, tuple(patterns), tuple(unless)))
            keys += [pattern.key for pattern in patterns]
        self._declared, self._shrunk = declared, shrunk
        self._exact = frozenset(exact for exact, _, _ in keys if exact)
        self._heads = tuple({head for _, head, _ in keys if head})
        self._tails = tuple({tail for _, _, tail in keys if tail})
        self._made = True


def fold(path: str) -> str:
    """The path in the form in which names that a file system may take for equal are equal."""
    if not path.isascii():
        from unicodedata import normalize

        path = normalize("NFC", path)
    path = path.replace("\\", "/").lower()
    if ". " in path or "./" in path or " /" in path or path[-1:] in (".", " "):
        parts = path.split("/")
        path = "/".join(p if p in (".", "..") else p.rstrip(" .") or p for p in parts)
    return path
