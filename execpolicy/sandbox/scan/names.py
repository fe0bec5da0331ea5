"""Which entries of a directory tree rules and places name: one look at a name for most."""

import itertools
import os
from _collections_abc import Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.rule import WALLED, PathRule, PlaceRule
from execpolicy.policy.folding import fold
from execpolicy.policy.policy import Policy
from execpolicy.sandbox.scan.indirect.aliases import Aliases
from execpolicy.sandbox.scan.status import in_order
from execpolicy.support.disk.repository import COMMON, LAYOUT
from execpolicy.support.path_match import Location, PathPattern, below, name_fits
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.store.repeat.listings import Names

    Entries = list[os.DirEntry[str]]

OWN = ("/proc/", "/dev/")
"""What a run has of its own."""
SECRET = frozenset(("credentials",))
"""The classes of which what is there is hidden."""


PARTS = frozenset((*LAYOUT, COMMON))
"""What a git directory has."""
UNPACKED = frozenset(("vendor", "node_modules"))
"""Where installers unpack packages whole (cargo-vendor(1), `go mod vendor`, Composer, npm)."""


VERSIONED = frozenset((".git", ".hg", ".jj"))
"""What makes a directory one of a version system, wherever it lies: its hooks run there."""


class DeclaredPattern(Value):
    """One pattern, and the declaration or the rule that it stands in."""

    text: str
    pattern: PathPattern
    place: "PlaceRule | None" = None
    rule: "PathRule | None" = None
    unless: tuple[PathPattern, ...] = ()


class NameMatch(Value):
    """What is said about one path: classes laid over it, and rules that name it.

    `affects_execution`: a new file of this name may change what runs; one whose ending alone is
    known (`*.pem`) is data. `repository`: it is laid out like a git directory. `reached`: it is
    said about another name of the path.
    """

    places: "tuple[PlaceRule, ...]" = ()
    rules: "tuple[PathRule, ...]" = ()
    affects_execution: bool = False
    repository: bool = False
    reached: bool = False


_LAST: "list[NameIndex]" = []
"""The last ones that were made. Another for the same policy and places takes what one worked out,
which rests on nothing else: the commands of a wrapped session begin as copies of one process."""
MAX_LAST = 4
_SHARED = (
    *("_above", "_counting", "_exact", "_heads", "_noted"),
    *("_others", "_seen", "_shrinks", "_tails"),
)
MAX_SEEN = 20_000
"""Paths of which it is kept what is said about their names, and directories of which it is kept
which names matter."""


class NameIndex:
    """The patterns of a policy by the names that they need. `home` and `root` are real paths.

    What is said about one of the `aliases` of a path is said about the path. `called` are those
    that are known already.
    """

    def __init__(
        self,
        policy: "Policy",
        home: str,
        root: str | None,
        called: "Iterable[tuple[str, str]]" = (),
    ) -> None:
        self.policy, self._real = policy, (home, root)
        self.aliases = Aliases(called)
        for last in _LAST:
            if last.policy is policy and last._real == self._real:
                for name in _SHARED:
                    setattr(self, name, getattr(last, name))
                return
        _LAST[MAX_LAST - 1 :] = ()
        _LAST.insert(0, self)
        self._noted: dict[str, tuple[Entries, Entries]] = {}
        self._counting: dict[tuple[str, ...], Names] = {}
        self._seen: dict[str, NameMatch | None] = {}
        self._exact: dict[str, list[DeclaredPattern]] = {}
        self._others: list[DeclaredPattern] = []
        for one in _declared(policy):
            exact = one.pattern.key[0]
            (self._exact.setdefault(exact, []) if exact else self._others).append(one)
        self._above: frozenset[str] | None = None
        self._shrinks = any(not rule.paths for rule in policy.places.rules)
        self._heads, self._tails = _ends(one.pattern.key[1:] for one in self._others)

    def match(self, path: str, name: str) -> NameMatch | None:
        """What is said about a path that ends in this name, None for most."""
        if path not in self._seen:
            if len(self._seen) >= MAX_SEEN:
                self._seen.clear()
            self._seen[path] = self._named(path, name)
        found = self._seen[path]
        for other in self.aliases.of(path):
            found = _together(found, self.through_links(other))
        return found

    def of_note(self, entries: "Entries") -> "Entries":
        """Those entries of a directory that lead further or about which something is said, and
        that may make a git directory of it. What was read once is not looked through again."""
        if self.aliases.known or not entries:
            return entries
        known = self._noted.get(entries[0].path)
        if known is None or known[0] is not entries:
            if len(self._noted) >= MAX_SEEN:
                self._noted.clear()
            known = self._noted[entries[0].path] = entries, [*filter(self._is_of_note, entries)]
        return known[1]

    def _is_of_note(self, entry: "os.DirEntry[str]") -> bool:
        leads = entry.is_symlink() or entry.is_dir(follow_symlinks=False)
        return leads or entry.name in PARTS or self.match(entry.path, entry.name) is not None

    def names(self, tops: "Iterable[str]") -> "Names | None":
        """The names about which something may be said below these directories, or which may make a
        git directory of theirs; None where paths have other names besides."""
        if self.aliases.known:
            return None
        key = tuple(tops)
        if key not in self._counting:
            self._counting[key] = self._names(key)
        return self._counting[key]

    def _names(self, tops: "tuple[str, ...]") -> "Names":
        home, root = fold(self._real[0]), self._real[1] and fold(self._real[1])
        low = [Location(fold(top), home, root) for top in tops]
        every = (one.pattern for one in (*itertools.chain(*self._exact.values()), *self._others))
        found = [one for one in every if any(map(one.may_lie_below, low))]
        whole = (*(one.key[0] for one in found if one.key[0]), *LAYOUT, COMMON)
        others = tuple((*one.key[1:], one.text) for one in found if any(one.key[1:]))
        return frozenset(map(str.lower, whole)), _ends(others), others, home, root

    def is_named_below(self, path: str, top: str) -> bool:
        """Whether names below `top` alone protect a path, wherever that may lie."""
        match, low = self.match(path, os.path.basename(path)), fold(path)
        if match is None or match.reached or any(map(tightens, match.rules)):
            return False
        elsewhere = f"/\0{low[len(fold(top)) :]}"
        every = (*(one for group in self._exact.values() for one in group), *self._others)
        found = (one for one in every if one.place and self._about(one, low, path))
        return all(self._about(one, elsewhere, elsewhere) for one in found)

    def through_links(self, path: str) -> NameMatch | None:
        """What is said about what is reached by this path, or lies in a directory that is."""
        low = fold(path).split("/")
        possible = [one for name in low for one in self._exact.get(name, ())]
        said = self._protections([*possible, *self._others], path)
        if said is None or not (said.places or any(map(tightens, said.rules))):
            return None
        return said.replace(reached=True)

    def _named(self, path: str, name: str) -> NameMatch | None:
        """What is said about a path by its own name."""
        low = name if name.islower() else fold(name)
        possible = [*self._exact.get(low, ())]
        if low.startswith(self._heads) or low.endswith(self._tails):
            possible += (one for one in self._others if _may_fit(one.pattern.key, low))
        return self._protections(possible, path) if possible else None

    def _protections(self, possible: "Iterable[DeclaredPattern]", path: str) -> NameMatch | None:
        """What those of some patterns say that are about a path."""
        folded = fold(path)
        found = [one for one in possible if self._about(one, folded, path)]
        if not found:
            return None
        places = {one.place.place: one.place for one in found if one.place}
        left = self._left(path, places)
        rules = {id(one.rule): one.rule for one in found if one.rule}
        kept = tuple(rule for name, rule in places.items() if name in left)
        named = any(one.pattern.key[0] or one.pattern.key[1] for one in found)
        return NameMatch(kept, tuple(rules.values()), named) if kept or rules else None

    def affects_execution(self, path: str) -> bool:
        """Whether a path is one that decides what runs later, or is below one."""
        names = (path, *self.aliases.of(path))
        return any(self._is(name, "control") or self._is(name, "policy") for name in names)

    def _is(self, path: str, place: str) -> bool:
        return any(rule.place == place for rule in self.policy.places.of(path, *self._real))

    def on_path(self, path: str) -> bool:
        """Whether a path that PATH finds has a class for that, which the user did not take off."""
        return self.policy.places.on_path(path, *self._real) is not None

    def generated(self, path: str) -> str | None:
        """The directory that a build makes again and that a path lies in, by its names."""
        root = self._real[1]
        found = root and self.policy.places.bases.generated(path, root)
        return found[0] if found else None

    def unpacked(self, path: str) -> bool:
        """Whether an installer unpacks what lies there: settings of packages steer nothing here."""
        root = self._real[1]
        inside = path[len(root) :].split("/") if root and below(path, root) else []
        return not UNPACKED.isdisjoint(inside[:-1]) and VERSIONED.isdisjoint(inside)

    def leads(self, name: str) -> bool:
        """Whether a link of this name may put another tree in the place of a protected one."""
        if self._above is None:
            self._above = frozenset(_directories(self.policy))
        return fold(name) in self._above

    def _left(self, path: str, places: "Iterable[str]") -> "set[str]":
        """The classes of a path that the user did not take it out of."""
        if not self._shrinks:
            return set(places)
        return {rule.place for rule in self.policy.places.of(path, *self._real)} & WALLED

    def _about(self, one: DeclaredPattern, folded: str, path: str) -> bool:
        """Whether it is about a path. What loosens is compared as it is written."""
        if one.rule is not None and not tightens(one.rule):
            return PathPattern(one.text).matches(path, *self._real)
        low = fold(self._real[0]), self._real[1] and fold(self._real[1])
        return one.pattern.matches(folded, *low) and not any(
            unless.matches(folded, *low) for unless in one.unless
        )

    def reaches(self, pattern: str, place: str) -> bool:
        """Whether a pattern of a rule means, by its own words, paths of this class."""
        fixed = pattern.removesuffix("/*").removesuffix("/**")
        path = place_of(fixed, *self._real) or fixed
        return any(self._is(name, place) for name in (fixed, *self.aliases.of(path)))

    def opens(self, path: str) -> "PathRule | None":
        """The rule that lets this very path be written by its whole name, if none is against it."""
        about = [
            (rule, text)
            for rule in self.policy.paths.rules
            for text in rule.paths
            if "write" in rule.modes
            and not rule.programs
            and PathPattern(text).matches(path, *self._real)
        ]
        if any(tightens(rule) for rule, _ in about):
            return None
        return next((rule for rule, text in about if "*" not in text and "?" not in text), None)

    def literal_paths(self) -> "Iterator[tuple[str, DeclaredPattern]]":
        """Each path that a pattern with one place on the disk names: the place itself, or what its
        directory holds of the last name (`~/.m2/settings*.xml`)."""
        for one in (*(s for group in self._exact.values() for s in group), *self._others):
            path = place_of(one.text, *self._real)
            if path:
                yield path, one
            else:
                yield from ((found, one) for found in self._in_place(one))

    def _in_place(self, one: DeclaredPattern) -> "Iterator[str]":
        """The paths in a directory with one place that a pattern names."""
        if _matters_there(one):
            paths = names_in_place(one.text, *self._real)
            yield from (path for path in paths if self._about(one, fold(path), path))


def _matters_there(one: DeclaredPattern) -> bool:
    """Whether it matters where nothing can be written: of the system only what is kept secret,
    while files of the home may be links into the project."""
    if one.text.startswith(OWN):
        return False
    is_secret = one.place is not None and one.place.place in SECRET
    return one.text[:1] != "/" or is_secret or one.rule is not None


def _together(one: NameMatch | None, other: NameMatch | None) -> NameMatch | None:
    """What is said about two names of one path."""
    if one is None or other is None:
        return one or other
    return NameMatch(
        tuple({rule.place: rule for rule in (*one.places, *other.places)}.values()),
        tuple({id(rule): rule for rule in (*one.rules, *other.rules)}.values()),
        one.affects_execution or other.affects_execution,
        one.repository or other.repository,
        reached=True,
    )


def _ends(keys: "Iterable[tuple[str, ...]]") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How names may begin, and how those may end that may begin as they like."""
    pairs = {(head, tail) for head, tail, *_ in keys}
    heads = {head for head, _ in pairs if head}
    return tuple(sorted(heads)), tuple(sorted({tail for head, tail in pairs if tail and not head}))


def _may_fit(key: tuple[str, str, str], name: str) -> bool:
    """Whether a name begins and ends as a pattern needs; one that needs nothing is for trees."""
    _, head, tail = key
    return bool(head or tail) and name.startswith(head) and name.endswith(tail)


def place_of(text: str, home: str, root: str | None) -> str:
    """The directory or file that a pattern means, empty where it may be in many places."""
    path = text.removesuffix("/*")
    if "*" in path or "?" in path:
        return ""
    if text[:1] == "/":
        return path or "/"
    if text[:2] in ("~", "~/"):
        return home + path[1:]
    return root + path[1:] if root and text[:2] == "./" else ""


def names_in_place(text: str, home: str, root: str | None) -> "list[str]":
    """What a directory with one place holds of the last name of a pattern."""
    above = text.rpartition("/")[0]
    directory = place_of(above, home, root) if above else ""
    if not directory or above.endswith("/*"):
        return []
    last = PathPattern(fold(text)).parts[-1]
    return [entry.path for entry in in_order(directory) if name_fits(last, fold(entry.name))]


def _declared(policy: "Policy") -> "Iterator[DeclaredPattern]":
    for place, patterns, unless in policy.places.declared():
        if place.place not in WALLED:
            continue
        for text, pattern in zip(place.paths, patterns, strict=True):
            yield DeclaredPattern(text, pattern, place, None, unless)
    for rule in policy.paths.rules:
        for path in () if rule.programs else rule.paths:  # walls hold for every program
            pattern = PathPattern(fold(path))
            if _matters(rule, pattern):
                yield DeclaredPattern(path, pattern, None, rule)


def _directories(policy: "Policy") -> "Iterator[str]":
    """The names of directories that hold what may not be made there."""
    for one in _declared(policy):
        if one.place is not None or (one.rule and tightens(one.rule)):
            literal = [part for part in one.pattern.parts if "*" not in part and "?" not in part]
            yield from literal if one.pattern.anchor != "/" else ()


def _matters(rule: "PathRule", pattern: PathPattern) -> bool:
    """Whether a wall can hold it. What only may not be removed is held by the directory above."""
    return rule.modes != ("remove",) or pattern.parts[-1:] == ("**",) or not rule.decision


def tightens(rule: "PathRule") -> bool:
    """Whether the rule asks or refuses."""
    return rule.decision is not Decision.ALLOW


def protects(match: NameMatch) -> bool:
    """Whether nothing new of this name may appear."""
    if match.repository or any(place.place not in SECRET for place in match.places):
        return True
    if match.places:
        return match.affects_execution
    return any(tightens(rule) and "write" in rule.modes for rule in match.rules)
