"""Path rules by the names in their patterns, so that a path meets only those it can be about."""

from execpolicy.model.decision import Decision
from execpolicy.model.rule import PathRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from execpolicy.policy.place_index import PlaceIndex
    from execpolicy.policy.ruled_places import RuledPlaces

    Entry = tuple[int, str]
    Tables = tuple[dict[str, list[Entry]], dict[str, list[Entry]], list[Entry]]


class PathIndex:
    """Path rules, in the order written. Never changed once made; safe to share between threads.

    Names are compared without case, so what is found is more than what a rule that allows may
    mean: the caller compares the pattern itself.
    """

    def __init__(self, rules: "Iterable[PathRule]" = ()) -> None:
        self.rules = tuple(rules)
        self.strict_modes = frozenset(m for r in self.rules if r.decision for m in r.modes)
        """The modes that rules which tighten are about."""
        self.allowed_modes = frozenset(m for r in self.rules if not r.decision for m in r.modes)
        self._laid: RuledPlaces | None = None
        self.modes = frozenset(mode for rule in self.rules for mode in rule.modes)
        self.read_names = _read_names(self.rules)
        """Names of which each path has one that a rule about reading fits; None if not each."""
        self._made: Tables | None = None  # most processes ask about no path
        self.recent: dict[object, tuple[PathRule, ...]] = {}
        """What was found lately, for the same question again: paths begin alike."""
        self._tightening: dict[str | None, list[tuple[PathRule, tuple[str, ...]]]] = {}
        self._anchors = any(path[:2] == "./" for rule in self.rules for path in rule.paths)
        self._rooted: dict[str | None, PathIndex] = {}

    def at(self, root: str | None) -> "PathIndex":
        """The same rules with the session's root for the `.` that a pattern begins with.

        Where it is not known, a rule that tightens holds in any directory, and one that allows
        for no path.
        """
        if not self._anchors:
            return self
        found = self._rooted.get(root)
        if found is None:
            if len(self._rooted) >= _ROOTS:
                self._rooted.clear()
            found = self._rooted[root] = PathIndex(_rooted(rule, root) for rule in self.rules)
        return found

    def laid(self, places: "PlaceIndex") -> "RuledPlaces":
        """The rules that tighten, laid over paths as the declarations of the same policy are."""
        if self._laid is None:
            from execpolicy.policy.ruled_places import RuledPlaces

            self._laid = RuledPlaces(places, self.rules, self.read_names)
        return self._laid

    def tightening(self, home: str | None) -> "Sequence[tuple[PathRule, tuple[str, ...]]]":
        """The rules that tighten, each with its patterns, also with the home's own path for `~`.

        The patterns are in lower case.
        """
        found = self._tightening.get(home)
        if found is None:
            found = [(r, tuple(_spelled(r, home))) for r in self.rules if r.decision]
            self._tightening[home] = found
        return found

    def among(
        self, names: "frozenset[str]", last: "Sequence[str]", mode: str
    ) -> "tuple[PathRule, ...]":
        """The rules that tighten which a path may meet that is made of these names, in any order;
        `last` are those at its end. All in lower case."""
        names = names.union(last)
        return tuple(
            rule
            for rule, patterns in self.tightening(None)
            if mode in rule.modes and any(_is_among(path, names, last[-1]) for path in patterns)
        )

    def candidates(self, path: str) -> "Iterator[Entry]":
        """Each pattern that may apply to this normalised path, with the number of its rule."""
        if self._made is None:
            self._made = self._make()
        named, holding, others = self._made
        path = path.lower()
        for part in path.split("/"):
            if part in named:
                yield from named[part]
        yield from holding.get(path.rstrip("/"), ())
        yield from others

    def _make(self) -> "Tables":
        named: dict[str, list[Entry]] = {}
        holding: dict[str, list[Entry]] = {}
        others: list[Entry] = []
        for number, rule in enumerate(self.rules):
            for pattern in rule.paths:
                keys = _names(pattern.lower())
                for key in keys:
                    named.setdefault(key, []).append((number, pattern))
                if not keys:
                    others.append((number, pattern))
                for directory in _directories(pattern.lower()):
                    holding.setdefault(directory, []).append((number, pattern))
        return named, holding, others


_ROOTS = 16


def _rooted(rule: PathRule, root: str | None) -> PathRule:
    """The rule with every pattern anchored somewhere."""
    if root is not None:
        anchor = root.rstrip("/") + "/"
        return rule.replace(paths=tuple(_anchored(path, anchor) for path in rule.paths))
    if rule.decision is Decision.ALLOW:
        return rule.replace(paths=tuple(path for path in rule.paths if path[:2] != "./"))
    return rule.replace(paths=tuple(_anchored(path, "**/") for path in rule.paths))


def _anchored(path: str, anchor: str) -> str:
    return anchor + path[2:] if path[:2] == "./" else path


def _read_names(rules: "Iterable[PathRule]") -> frozenset[str] | None:
    every = [_names(p.lower()) for rule in rules if "read" in rule.modes for p in rule.paths]
    names = frozenset(name for one in every for name in one)
    return names if all(every) and "~" not in names else None


def _spelled(rule: PathRule, home: str | None) -> "Iterator[str]":
    for pattern in map(str.lower, rule.paths):
        yield pattern
        if home and pattern[:1] == "~":
            yield home.lower() + pattern[1:]


def _names(pattern: str) -> tuple[str, ...]:
    """Names of which a path has one if it fits, or ends in one if the pattern is in it.

    A pattern for any directory may begin anywhere in the path, so each of its names can be the
    last one of a path that holds it. Of others the last name is always in a path that fits.
    """
    parts = pattern.removeprefix("**/").split("/")
    literal = tuple(part for part in parts if part and "*" not in part and "?" not in part)
    return literal if pattern.startswith("**/") else literal[-1:]


def _is_among(pattern: str, names: "frozenset[str]", last: str) -> bool:
    keys = _names(pattern)
    return not keys or not names.isdisjoint(keys) or last in pattern.split("/")


def _directories(pattern: str) -> "Iterator[str]":
    """The directories that what a pattern names is in, where that is known."""
    if not pattern.startswith("**/"):
        for at, sign in enumerate(pattern):
            if sign == "/":
                yield pattern[:at]
