"""Which base class a path has by its names: the `place(...)` declarations of base classes.

These classes loosen, so paths are compared exactly as they are written. Where a class is a matter
of facts (which repository a path lies in, which directories are for temporary files), the engine
asks its resolver.
"""

from _collections_abc import Iterable

from execpolicy.model.rule import GENERATED, PROJECT, PlaceRule
from execpolicy.support.path_match import PathPattern, below

Patterns = tuple[PathPattern, ...]
Declared = tuple[int, PlaceRule, PathPattern, Patterns]
"""The number of a declaration, the declaration, one of its patterns, and its exceptions."""
Beginnings = dict[tuple[str, str], list[Declared]]
"""By the anchor of a pattern and the name that it begins with; that is empty for any name."""
Names = list[str]
Ends = tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]

_ROOTED = ("", ".")
"""Anchors of what lies below the session's root: a name anywhere, `./`."""


class BasePlaces:
    """The declarations, taken apart when first asked. Safe to share between threads."""

    def __init__(self, rules: "Iterable[PlaceRule]" = ()) -> None:
        self.rules = tuple(rules)
        self._classes: dict[str, Beginnings] = {}
        self._ends: Ends | None = None

    def generated(self, path: str, root: str) -> "tuple[str, PlaceRule] | None":
        """The topmost directory at or above a path that a build makes again, and who says so.

        Only names below the root count: a project may lie in a directory `build`.
        """
        top = root.rstrip("/")
        names = _names(path[len(top) :])
        for at, name in enumerate(names):
            if self._may_end(name):
                inside = "/".join(names[: at + 1])
                rule = self._first(GENERATED, inside, names[: at + 1], _ROOTED)
                if rule is not None:
                    return f"{top}/{inside}", rule
        return None

    def _may_end(self, name: str) -> bool:
        """Whether a declaration of what is generated may end in this name: few do."""
        if self._ends is None:
            keys = [p.key for part in self._of(GENERATED).values() for _, _, p, _ in part]
            every = any(key == ("", "", "") for key in keys)
            self._ends = (
                frozenset(exact for exact, _, _ in keys if exact),
                ("",) if every else tuple(head for _, head, _ in keys if head),
                tuple(tail for _, _, tail in keys if tail),
            )
        exact, heads, tails = self._ends
        return name in exact or name.startswith(heads) or name.endswith(tails)

    def named(self, place: str, path: str, home: str | None) -> PlaceRule | None:
        """The declaration that gives an absolute path outside the project this class.

        `~/` is the own home here: what lies in another one is not this user's.
        """
        if home and below(path, home):
            inside = path[len(home.rstrip("/")) :]
            found = self._first(place, f"~{inside}", _names(inside), ("~",))
            if found is not None:
                return found
        return self._first(place, path, _names(path), ("/",))

    def added(self, home: str | None) -> tuple[tuple[str, PlaceRule], ...]:
        """The directories that are projects beside the session's root, and who says so."""
        return tuple(
            (home + path[1:-2] if home and path[:2] == "~/" else path[:-2], rule)
            for rule in self.rules
            if rule.place == PROJECT
            for path in rule.paths
            if path[:1] == "/" or home
        )

    def _first(
        self, place: str, path: str, names: "Names", anchors: tuple[str, ...]
    ) -> PlaceRule | None:
        """The first declaration about a path; `names` are those of it below its anchor."""
        declared, first = self._of(place), names[0] if names else ""
        near: list[Declared] = []
        for anchor in anchors:
            for key in ((anchor, ""), (anchor, first)):
                if key in declared:
                    near += declared[key]
        for _, rule, pattern, unless in sorted(near, key=_order):
            if pattern.fits(names) and not any(p.matches(path, None, None) for p in unless):
                return rule
        return None

    def _of(self, place: str) -> "Beginnings":
        found = self._classes.get(place)
        if found is None:
            found = self._classes[place] = _by_beginning(r for r in self.rules if r.place == place)
        return found


def _order(declared: "Declared") -> int:
    return declared[0]


def _names(path: str) -> "Names":
    return [name for name in path.split("/") if name]


def _by_beginning(rules: "Iterable[PlaceRule]") -> "Beginnings":
    found: Beginnings = {}
    for number, rule in enumerate(rules):
        unless = tuple(map(PathPattern, rule.unless))
        for pattern in map(PathPattern, rule.paths):
            first = pattern.parts[0] if pattern.parts else "*"
            key = pattern.anchor, "" if "*" in first or "?" in first else first
            found.setdefault(key, []).append((number, rule, pattern, unless))
    return found
