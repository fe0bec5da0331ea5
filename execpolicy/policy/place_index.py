"""Which classes a path has, by the `place(...)` declarations of all layers.

The classes that are laid over a path tighten, so paths are compared folded: without case, without
trailing dots and blanks, a backslash as a slash.
"""

from execpolicy.model.rule import CHANGED, ON_PATH, OVERLAYS, READ, SHRINKABLE, PlaceRule
from execpolicy.support.path_match import PathPattern, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Declared = tuple[PlaceRule, tuple[PathPattern, ...], tuple[PathPattern, ...]]
    Number = tuple[int, int]
    """A declaration, and one of its patterns."""
    Key = tuple[str, str, str]
    """What some name of each path is like that a pattern matches: `path_match.key`."""

    from execpolicy.policy.base_places import BasePlaces
    from execpolicy.policy.fixed_names import FixedNames


_CLASSES = tuple(sorted(CHANGED))
_NONE = frozenset[str]()


class PlaceIndex:
    """The declarations, taken apart. Never changed once made; safe to share between threads."""

    __slots__ = (
        "_base_rules",
        "_bases",
        "_exact",
        "_fixed",
        "_head_texts",
        "_heads",
        "_keys",
        "_literals",
        "_made",
        "_others",
        "_patterns",
        "_shrunk",
        "_tail_texts",
        "_tails",
        "_unless",
        "classes",
        "recent",
        "rules",
        "sought",
    )

    by_entry = False
    """Whether a link that is removed counts as itself alone, not as what it leads to as well."""

    def __init__(self, rules: "Iterable[PlaceRule]" = (), keys: "Iterable[Key]" = ()) -> None:
        """`keys` are those of the first patterns, as `keys_of` gave them."""
        every = tuple(rules)
        self._keys = keys
        self.rules = tuple(rule for rule in every if rule.place in OVERLAYS)
        self._base_rules = tuple(rule for rule in every if rule.place not in OVERLAYS)
        self._bases: BasePlaces | None = None
        self._made = False
        self.recent: dict[object, tuple[PlaceRule, ...]] = {}
        """What was found lately for globs, for the same question again."""
        self.classes: tuple[str, ...] = _CLASSES
        self.sought: tuple[str, ...] = tuple(READ)
        """Classes of which something may lie anywhere in a tree that is not looked through."""

    @property
    def bases(self) -> "BasePlaces":
        """The declarations of base classes."""
        if self._bases is None:
            from execpolicy.policy.base_places import BasePlaces

            self._bases = BasePlaces(self._base_rules)
        return self._bases

    def of(self, path: str, home: str | None, root: str | None) -> "list[PlaceRule]":
        """The declarations about a normalised path, the first of each class.

        `path` is absolute, begins with `~`, or is relative to a directory that is not known.
        """
        if not self.rules:
            return []
        if not self._made:
            self._make()
        folded = fold(path)
        low, here = home and fold(home), root and fold(root)
        found = self._of(folded, low, here)
        if self.classes is _CLASSES and not any(rule.place in READ for rule in found):
            from execpolicy.policy.backups import originals

            for original in originals(folded):
                found += (r for r in self._of(original, low, here) if r.place in READ)
        return found

    def _of(self, folded: str, low: str | None, here: str | None) -> "list[PlaceRule]":
        numbers = self._candidates(folded.split("/"))
        if not numbers:
            return []
        found: dict[str, PlaceRule] = {}
        for number, at in sorted(numbers):
            rule = self.rules[number]
            if rule.place in found or not self._pattern(number, at).matches(folded, low, here):
                continue
            if not any(p.matches(folded, low, here) for p in self._exceptions(number)):
                found[rule.place] = rule
        return [r for r in found.values() if not self._is_shrunk(r.place, folded, low, here)]

    def near(self, path: str) -> tuple[PathPattern, ...]:
        """The patterns that some name of a path, or of what it may be a copy of, is like: of a path
        that has it for an end each pattern that matches is one of these, or is near the rest."""
        if not self._made:
            self._make()
        from execpolicy.policy.backups import originals

        folded = fold(path)
        found: set[Number] = set()
        for names in [each.split("/") for each in (folded, *originals(folded))]:
            likely = self._candidates(names)
            found |= {n for n in likely if n not in self._others or self._pattern(*n).meets(names)}
        return tuple(self._pattern(*number) for number in sorted(found))

    def counted(self, mode: str, extent: str) -> frozenset[str]:
        """The classes that count for an access: no name of a file is a secret."""
        if extent == "names" or mode == "execute":
            return _NONE
        return READ if mode == "read" else CHANGED

    def on_path(self, path: str, home: str | None, root: str | None) -> PlaceRule | None:
        """The declaration about a normalised path that lies in a directory of PATH."""
        if not self._made:
            self._make()
        folded, low, here = fold(path), home and fold(home), root and fold(root)
        for number, rule in enumerate(self.rules):
            if ON_PATH not in rule.paths:
                continue
            if not any(p.matches(folded, low, here) for p in self._exceptions(number)):
                return None if self._is_shrunk(rule.place, folded, low, here) else rule
        return None

    def declared(self) -> "Sequence[Declared]":
        """Each declaration with its patterns and its exceptions, all folded."""
        if not self._made:
            self._make()
        return [
            (rule, self._all(number), self._exceptions(number))
            for number, rule in enumerate(self.rules)
        ]

    def literals(self, place: str) -> "Sequence[tuple[PathPattern, PlaceRule]]":
        """The patterns of a class, each with its declaration."""
        if not self._made:
            self._make()
        found = self._literals.get(place)
        if found is None:
            rules = [(n, rule) for n, rule in enumerate(self.rules) if rule.place == place]
            found = tuple((p, rule) for number, rule in rules for p in self._all(number))
            self._literals[place] = found
        return found

    def fixed(self, place: str) -> "FixedNames":
        """The patterns of a class that hold the names of a path fixed."""
        if not self._made:
            self._make()
        found = self._fixed.get(place)
        if found is None:
            from execpolicy.policy.fixed_names import FixedNames

            found = self._fixed[place] = FixedNames(self.literals(place))
        return found

    def _all(self, number: int) -> tuple[PathPattern, ...]:
        return tuple(self._pattern(number, at) for at in range(len(self.rules[number].paths)))

    def _pattern(self, number: int, at: int) -> PathPattern:
        """A pattern of a declaration. Most are never looked at, and never made."""
        found = self._patterns.get((number, at))
        if found is None:
            found = PathPattern(fold(self.rules[number].paths[at]))
            self._patterns[(number, at)] = found
        return found

    def _exceptions(self, number: int) -> tuple[PathPattern, ...]:
        found = self._unless.get(number)
        if found is None:
            found = tuple(PathPattern(fold(path)) for path in self.rules[number].unless)
            self._unless[number] = found
        return found

    def _is_shrunk(self, place: str, path: str, home: str | None, root: str | None) -> bool:
        return any(p.matches(path, home, root) for p in self._shrunk.get(place, ()))

    def _candidates(self, names: "Sequence[str]") -> "set[Number]":
        """The patterns of which some name of the path is like one that they need."""
        found = {*self._others}
        for name in names:
            if name in self._exact:
                found.update(self._exact[name])
            if name.startswith(self._head_texts):
                found.update(n for head, n in self._heads if name.startswith(head))
            if name.endswith(self._tail_texts):
                found.update(n for tail, n in self._tails if name.endswith(tail))
        return found

    def _make(self) -> None:
        """Put each pattern where a path finds it, by a name that it needs."""
        self._patterns: dict[Number, PathPattern] = {}
        self._unless: dict[int, tuple[PathPattern, ...]] = {}
        self._literals: dict[str, tuple[tuple[PathPattern, PlaceRule], ...]] = {}
        self._fixed: dict[str, FixedNames] = {}
        self._shrunk: dict[str, list[PathPattern]] = {}
        exact: dict[str, list[Number]] = {}
        others: list[Number] = []
        heads: list[tuple[str, Number]] = []
        tails: list[tuple[str, Number]] = []
        keys = iter(self._keys)
        for number, rule in enumerate(self.rules):
            if not rule.paths and rule.place in SHRINKABLE and rule.origin.layer == "user":
                self._shrunk.setdefault(rule.place, []).extend(self._exceptions(number))
            for at, path in enumerate(rule.paths):
                name, head, tail = next(keys, None) or key(fold(path))
                if name:
                    exact.setdefault(name, []).append((number, at))
                elif head or tail:
                    (heads if head else tails).append((head or tail, (number, at)))
                else:
                    others.append((number, at))
        self._exact, self._others, self._heads, self._tails = exact, others, heads, tails
        self._head_texts = tuple({head for head, _ in heads})
        self._tail_texts = tuple({tail for tail, _ in tails})
        self._made = True


def keys_of(rules: "Iterable[object]") -> "tuple[Key, ...]":
    """The key of each pattern of the classes that are laid over paths, in their order."""
    places = [rule for rule in rules if isinstance(rule, PlaceRule) and rule.place in OVERLAYS]
    return tuple(key(fold(path)) for rule in places for path in rule.paths)


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
