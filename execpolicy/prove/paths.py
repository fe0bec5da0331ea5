"""The paths that a new policy decides less strictly than an old one.

The root and the home are fixed directories. Links are not part of a path's text, nor of a proof.
"""

from itertools import chain, islice

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Request
from execpolicy.model.rule import (
    BASES,
    CHANGED,
    GENERATED,
    OPENERS,
    OVERLAYS,
    OWN,
    READ,
    TOOL,
    PathRule,
    PlaceRule,
)
from execpolicy.model.verdict import quoted
from execpolicy.prove.guards import forbids
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.rule_table import NEW, OLD
from execpolicy.prove.path_walk import STARTS, Group, PathWalk
from execpolicy.prove.samples import allowed, remover
from execpolicy.prove.side import HOME, ROOT, Side, command, script
from execpolicy.prove.witness import Witness, looser
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from execpolicy.model.operation import Mode

    Ruled = PathRule | PlaceRule
    Grouped = tuple[str, Group]
    Sides = dict[tuple[str, "Meaning"], int]
    Said = set[tuple[str, "Meaning"]]

ANY = "/**"
_ASKS = Decision.PROMPT, frozenset[str]()
MAX_NAMES = 12
MAX_MORE = 32
"""Paths that are tried for one more example, where there is one."""
OTHER = "example"
"""Letters for a name, or a directory, of which no rule says anything."""
MODES: "tuple[Mode, ...]" = ("read", "write", "remove")


def loosened_paths(
    both: tuple[Side, Side],
    fields: tuple[str, ...],
    unknown: dict[str, None],
    everything: bool = False,
) -> list[Witness]:
    """Paths about which the second policy is looser, at most one for each way to touch one.

    `everything`: also those about which no rule differs.
    """
    change = Change(both, everything)
    openers = {program for rule in change.ruled for program in rule.programs}
    overlays = Overlays(both)
    filled = both[0].on_files(), both[1].on_files()
    found: dict[object, Witness] = {}
    try:
        walks = change.patterns()
        prefixes = _prefixes(both, [*openers]) if walks else []
        removing = remover(both, f"{ROOT}/{OTHER}") if walks else ()
        for of_topic, modes in walks.items():
            tried = 0  # since the last example: what is looser for certain needs not all of them
            for path in chain.from_iterable(_classes(each, overlays) for each in of_topic):
                ways = touching(path, prefixes, modes, TOOL in openers, removing)
                left = [each for each in ways if each[0] not in found]
                for way, request, shown in left:
                    witness = looser("path", shown, request, both, fields)
                    if witness is None and way != "read":
                        witness = looser("path", shown, request, filled, fields)
                    if witness is not None:
                        found[way] = _in_directory(path, witness, (both, filled), fields)
                        tried = 0
                tried += 1
                if not left or (found and tried > MAX_MORE):
                    break
    except TooHardError:
        unknown["the patterns of paths overlap in too many ways"] = None
    return list(found.values())


def _in_directory(
    path: str, witness: Witness, sides: tuple[tuple[Side, Side], ...], fields: tuple[str, ...]
) -> Witness:
    """What a rule says of all in a directory, shown by a file in it."""
    rules = (each.rule for each in (witness.old, witness.new) if isinstance(each.rule, PathRule))
    above = {p.rpartition("/")[0] for rule in rules for p in rule.paths if p[-2:] in ("/*", "**")}
    mode, _, shown = witness.shown.partition(" ")
    for way, request, text in touching(f"{path}/x", (), MODES, True) if shown in above else ():
        for both in sides if way == mode else ():
            other = looser("path", text, request, both, fields)
            if other and (other.old.rule, other.new.rule) == (witness.old.rule, witness.new.rule):
                return other
    return witness


class Change:
    """What two policies say of paths, pattern by pattern, by the sides that say it."""

    def __init__(self, both: tuple[Side, Side], everything: bool) -> None:
        self._both = both
        self.everything = everything
        self.lowers = any(map(forbids, both))
        self.ruled = [rule for side in both for rule in side.policy.paths.rules]
        self._rules: list[list[Ruled]] = [[*s.policy.paths.rules, *s.declared()] for s in both]

    def patterns(self) -> "dict[tuple[tuple[Grouped, ...], ...], list[Mode]]":
        """All that tells paths apart in the walks that are needed, for all that differs of one
        class together, with the modes that they are for."""
        found: dict[tuple[tuple[Grouped, ...], ...], list[Mode]] = {}
        for mode in MODES:
            for walks in self._of_mode(mode):
                found.setdefault((*map(tuple, walks),), []).append(mode)
        return found

    def _of_mode(self, mode: str) -> "Iterator[Iterable[Iterable[Grouped]]]":
        """All that tells paths apart that are touched in one way, for each class that differs, and
        for the rules: where one class stays, what differs of it makes no difference."""
        sides: Sides = {}
        for bit, rules in zip((OLD, NEW), self._rules, strict=True):
            for entry in (each for rule in rules for each in _meanings(rule, mode)):
                sides[entry] = sides.get(entry, 0) | bit
        differing = {k for k, bits in sides.items() if self.everything or bits != OLD | NEW}
        if self.everything:
            touched = [(ANY, Group("any", touched=True))]
            yield [[*touched, *self._grouped(sides, differing, differing, mode)]]
            return
        loosened = {k for k in differing if sides[k] != k[1].tightens}
        for topic in dict.fromkeys(meaning.topic for _, meaning in loosened):
            of_topic = {(path, meaning) for path, meaning in loosened if meaning.topic == topic}
            yield self._of_topic(sides, differing, of_topic, mode)

    def _of_topic(
        self, sides: "Sides", differing: "Said", touched: "Said", mode: str
    ) -> "Iterator[Iterable[Grouped]]":
        """What is taken out of a whole class that asks matters where anything is in it, whatever
        else is: one walk for all that has the same exceptions is enough."""
        topic = next(meaning.topic for _, meaning in touched)
        shrunk = {(path, meaning) for path, meaning in touched if meaning.tightens == OLD}
        if touched != shrunk:
            yield self._grouped(sides, differing, touched - shrunk, mode)
        of_class = {k: k[1].detail for k in sides if k[1].topic == topic and k[1].kind != "shrunk"}
        for detail in dict.fromkeys(of_class.values()) if shrunk else ():
            left = {k: bits for k, bits in sides.items() if of_class.get(k, detail) == detail}
            yield self._grouped(left, differing, shrunk, mode)

    def _grouped(
        self, sides: "Sides", differing: "Said", touched: "Said", mode: str
    ) -> "Iterator[Grouped]":
        """The patterns with their groups, of which those that are touched tell what to look at.

        What both sides say of another class is left out, if no posture tells that apart. What the
        new side alone lays over paths loosens nothing by itself: of it only counts what it leaves
        of the rest.
        """
        apart = self._apart(mode)
        topics = {meaning.topic for _, meaning in touched}
        shrinks = any(m.kind == "shrunk" and m.topic in topics for _, m in differing)
        only_shrinks = all(m.tightens == OLD for _, m in touched)
        for (path, meaning), bits in sides.items():
            adds = bits == meaning.tightens and not self.everything
            if (path, meaning) in differing and not adds:
                refuses = meaning.refuses and bool(bits & NEW)
                yield path, Group((meaning, bits), (path, meaning) in touched, refuses)
            elif meaning.topic and meaning.topic not in topics:
                if meaning.topic in apart:
                    yield path, Group(meaning, False)
            else:
                settled = meaning.is_whole and (meaning.refuses or not shrinks)
                asks = meaning.detail == _ASKS and not self.lowers
                leaves = meaning.kind == "unless" if only_shrinks else meaning.kind == "place"
                tight = settled or asks or (leaves and (only_shrinks or not shrinks))
                yield path, Group(meaning, False, settled, tight)

    def _apart(self, mode: str) -> frozenset[str]:
        """The base classes in which a posture decides otherwise than where a path also may be."""
        effects = ("read",) if mode == "read" else ("write", "destroy")
        of = [f for side in self._both for f in (side.defaults.decide, side.defaults.confined)]
        cells = {p: [decide(e, (p,)) for e in effects for decide in of] for p in BASES}
        rows = OWN, frozenset(BASES) - {GENERATED}
        return frozenset(p for row in rows for p in row for q in row if cells[p] != cells[q])


class Meaning(Value):
    """What a rule says for each of its patterns. `topic` is the class, empty for path rules.

    `kind` is `rule`, `place`, `unless` for what an exception takes out of it, `shrunk` for what is
    taken out of the whole class.
    """

    kind: str
    topic: str
    detail: object = None

    @property
    def is_whole(self) -> bool:
        """Whether what it is about on both sides cannot be looser by what differs of its topic."""
        return (self.kind == "place" and not self.detail) or self.refuses

    @property
    def tightens(self) -> int:
        """The side that may say it alone and make no path looser: what is laid over paths asks."""
        if self.topic not in OVERLAYS:
            return 0
        return OLD if self.kind == "shrunk" else NEW

    @property
    def refuses(self) -> bool:
        """Whether a path rule forbids."""
        return isinstance(self.detail, tuple) and self.detail[0] is Decision.FORBIDDEN


def _meanings(rule: "Ruled", mode: str) -> "Iterator[tuple[str, Meaning]]":
    if isinstance(rule, PathRule):
        ruled = Meaning("rule", "", (rule.decision, frozenset(rule.programs)))
        yield from ((path, ruled) for path in (rule.paths if mode in rule.modes else ()))
    elif f"{rule.origin.file}/*" in rule.paths:
        return  # where a policy was read from is not part of it
    elif rule.place not in OVERLAYS or rule.place in (READ if mode == "read" else CHANGED):
        kind = "unless" if rule.paths else "shrunk"
        owned = rule.origin.layer == "user"
        detail: object = frozenset(rule.unless) if rule.paths else owned
        yield from ((path, Meaning("place", rule.place, detail)) for path in rule.paths)
        yield from ((path, Meaning(kind, rule.place, detail)) for path in rule.unless)


def _classes(patterns: "Iterable[Grouped]", overlays: "Overlays") -> "Iterator[str]":
    """A path for each set of groups that it fits, base class and classes laid over it."""
    walk = PathWalk(patterns)
    for start in STARTS:
        for path in walk.classes(start):
            inside = f"{path.rstrip('/')}/{OTHER}"  # of a directory what is below it may ask
            paths = (path, inside) if walk.fitted(inside) == walk.fitted(path) else (path,)
            for each in paths:
                yield from (each, *overlays.beside(each, walk), *overlays.clear_of(each, walk))


class Overlays:
    """Names with which a path is in one of the classes that are laid over paths."""

    def __init__(self, both: tuple[Side, Side]) -> None:
        self._indexes = [side.policy.places for side in both]
        self._names: dict[str, list[str]] = {}
        self._known: dict[tuple[PathWalk, frozenset[PlaceRule]], list[str]] = {}
        for index in self._indexes:
            for rule in index.rules:
                names = self._names.setdefault(rule.place, [])
                anywhere = sorted(rule.paths, key=lambda path: path[:1] in "/~.$")
                names += [name for name in map(_last, anywhere) if name and name not in names]

    def beside(self, path: str, walk: PathWalk) -> "Iterator[str]":
        """A path in each class that is otherwise like this one for what differs."""
        fitted = walk.fitted(path)
        near = (path, path.rpartition("/")[0])
        for place, names in self._names.items():
            paths = (f"{directory}/{name}" for directory in near for name in names[:MAX_NAMES])
            alike = (p for p in paths if walk.fitted(p) == fitted and place in self.of(p))
            yield from islice(alike, 1)

    def clear_of(self, path: str, walk: PathWalk) -> "Iterator[str]":
        """Paths that are like this one for what differs, and that the new side lays fewer classes
        over. What does so is added to the walk until no more of it hides what differs."""
        known = frozenset[PlaceRule]()
        met = self._laid(path)
        tried = [_places(met)]
        fitted = walk.fitted(path) if met else frozenset()
        while tried[-1] and not met <= known:
            known |= met
            for other in self._finer(walk, known):
                if walk.fitted(other) == fitted:
                    met |= (laid := self._laid(other))
                    if not any(places <= _places(laid) for places in tried):
                        tried.append(_places(laid))
                        yield other

    def _finer(self, walk: PathWalk, known: frozenset[PlaceRule]) -> list[str]:
        """A path of each class of a walk that also tells apart what these rules are about."""
        found = self._known.get((walk, known))
        if found is None:
            places = _places(known)
            taken = [r for r in self._indexes[1].rules if not r.paths and r.place in places]
            patterns = [*walk.patterns]
            for rule in (*known, *taken):
                patterns += [(p, Group((rule, True), False, False, True)) for p in rule.paths]
                patterns += [(p, Group((rule, False), False)) for p in rule.unless]
            finer = PathWalk(patterns)
            found = [path for start in STARTS for path in finer.classes(start)]
            self._known[walk, known] = found
        return found

    def of(self, path: str) -> frozenset[str]:
        """The classes that are laid over a path on either side."""
        return frozenset().union(*self._of_each(path))

    def _laid(self, path: str) -> frozenset[PlaceRule]:
        return frozenset(self._indexes[1].of(path, HOME, ROOT))

    def _of_each(self, path: str) -> "Iterator[frozenset[str]]":
        return (_places(index.of(path, HOME, ROOT)) for index in self._indexes)


def _places(rules: "Iterable[PlaceRule]") -> frozenset[str]:
    return frozenset(rule.place for rule in rules)


def _last(pattern: str) -> str:
    parts = [part for part in pattern.split("/") if part.strip("*")]
    return parts[-1].replace("*", "x").replace("?", "x") if parts else ""


def _prefixes(both: tuple[Side, Side], openers: list[str]) -> list[tuple[str, ...]]:
    """The words in front of a path with which a rule about it or a place may matter."""
    found = [tuple(name.split()) for name in openers if name not in OPENERS]
    for side in both:
        for rule in side.policy.rules:
            if rule.conditions and rule.conditions.places:
                found.append(tuple(tokens[0] for tokens in rule.pattern))
    path = f"{ROOT}/{OTHER}"
    return list(dict.fromkeys((*found[:64], *allowed(both, path))))


_WAYS: "tuple[tuple[Mode, str], ...]" = (
    *(("read", "<"), ("write", ">"), ("write", ">>"), ("remove", "rm")),
)
"""How each is done; what is written anew is lost, which is asked about apart."""


def touching(
    path: str,
    prefixes: "Iterable[tuple[str, ...]]" = (),
    modes: "Container[str]" = MODES,
    by_tool: bool = False,
    removing: "Iterable[tuple[str, ...]]" = (),
) -> "Iterator[tuple[str, Request, str]]":
    """Each way to touch a path, with how the user reads it; `removing` are programs that remove."""
    shown = path.replace(ROOT + "/", "./") if path != ROOT else "."
    shown = shown.replace(HOME + "/", "~/")
    word = quoted(path)
    for mode, before in _WAYS:
        if mode in modes:
            yield mode, script(f"{before} {word}"), f"{mode} {shown}"
            if by_tool or mode == "remove":
                request = Request(operations=(Access(path, mode),), cwd=ROOT, root=ROOT)
                yield mode + TOOL, request, f"{mode}{TOOL} {shown}"
    for words in removing if "remove" in modes else ():
        yield "remove", command((*words, path)), f"remove {shown}"
    for words in prefixes:
        yield " ".join(words), command((*words, path)), f"{' '.join(words)} {shown}"
