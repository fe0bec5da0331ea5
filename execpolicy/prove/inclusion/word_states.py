"""How far the rules about some programs have come by the words of a command, in each spelling.

The commands are infinitely many, but only words that some rule names make a difference, and one
more that stands for all others. Rules that tighten read every spelling of a command, so there is a
track for each: the words as they are, with the bare name of the program, and without the global
options in front of a subcommand.
"""

from collections.abc import Collection, Iterable
from itertools import chain

from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, server_of
from execpolicy.model.rule import fold
from execpolicy.prove.inclusion.acceptors import Following, Live, TooHardError
from execpolicy.prove.inclusion.rule_table import NEW, OLD, Table
from execpolicy.prove.inclusion.spellings import unnamed, with_name

MAX_STEPS = 2_000_000
"""Transitions of all walks of a proof, each of a microsecond or two. What they keep is less."""
MAX_KNOWN = 64
"""Tracks of which it is kept where words lead; past that they are read anew."""
ORDINARY = ("x", "y", "z", "xx", "yy", "zz")
"""Words to stand for all that no rule names."""


class Steps:
    """How many steps some walks have taken together, and how many they may take."""

    def __init__(self, most: int | None = None) -> None:
        self.taken = 0
        self.most = MAX_STEPS if most is None else most

    def add(self, count: int) -> None:
        """Count some more. Raises `TooHardError` where they are too many."""
        self.taken += count
        if self.taken > self.most:
            raise TooHardError


class WordStates:
    """What the rules in one group of a table make of words: of all of them, or of some `numbers`.

    Each track is what is left of these rules in one spelling of a command.
    """

    def __init__(
        self, table: Table, group: str, steps: Steps, numbers: Collection[int] | None = None
    ) -> None:
        self.table = table
        self.group = group
        self.steps = steps
        every = table.groups[group]
        self._start: Live = frozenset((n, 0) for n in every if numbers is None or n in numbers)
        self._known: dict[Live, Following] = {}

    def begin(self, head: str) -> tuple[Live, Live, int]:
        """The tracks after the name of the program: as it is, and bare; and the bits of the sides
        for which its bare name is as good."""
        name = bare(head)
        raw = self.after(self._start, head)
        named = raw if name == head else self.after(self._start, name)
        listed = OLD | NEW if name == head else 0
        for side, paths in zip((OLD, NEW), self.table.listed, strict=True):
            if head[:1] == "/" and head in paths.get(name, ()):
                listed |= side
        if head.startswith(MCP) and head.count("__") == 2:
            listed = OLD | NEW
        return raw, named, listed

    def spelled(self, words: Iterable[str]) -> Live:
        """The track of a spelling that is read from its beginning."""
        live = self._start
        for word in words:
            live = self.after(live, word)
        return live

    def after(self, live: Live, word: str) -> Live:
        """A track after one more word."""
        found = self.following(live).after(word)
        self.steps.add(1 + len(found))
        return found

    def following(self, live: Live) -> Following:
        """Where words lead from a track."""
        found = self._known.get(live)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[live] = Following(live, self.table.acceptors)
        return found

    def done(self, live: Live) -> dict[int, bool]:
        """The acceptors that have read all their words; whether the last of them just now."""
        acceptors = self.table.acceptors
        return {n: at == acceptors[n].size for n, at in live if at >= acceptors[n].size}

    def sides(self, number: int, tracks: list[dict[int, bool]], listed: int) -> int:
        """The sides on which a rule matches the command that ends here, by what is done in each
        track: the words as they are first, then the bare name."""
        rule, sides = self.table.rules[number], self.table.sides[number]
        main, unless = self.table.uses[number]
        fits = [main in done and (done[main] or not rule.exact) for done in tracks]
        excepted = [any(each in done for each in unless) for done in tracks]
        if rule.decision is not Decision.ALLOW:
            return sides if any(f and not e for f, e in zip(fits, excepted, strict=True)) else 0
        if any(excepted):
            return 0
        if fits[0]:
            return sides
        return sides & listed if fits[1] else 0

    def letters(self, tracks: Iterable[Live]) -> tuple[list[str], str]:
        """The words that make a difference next, and one that no rule names."""
        exact: set[str] = set()
        caseless: set[str] = set()
        for live in tracks:
            named, folded = self.following(live).named
            exact.update(named)
            caseless.update(folded)
        return _spelled(exact, caseless), ordinary(exact, caseless)

    def heads(self) -> list[str]:
        """The first words that make a difference: names, paths that are listed, and one that is
        not."""
        exact: set[str] = set()
        caseless: set[str] = set()
        for number, _ in self._start:
            acceptor = self.table.acceptors[number]
            (caseless if acceptor.caseless else exact).update(acceptor.tokens[0])
        for paths in self.table.listed:
            exact |= {p for n, each in paths.items() if fold(n) == self.group for p in each}
        names = _spelled(exact, caseless)
        if self.group.startswith(MCP):
            return [*names, *(f"{n}__x" for n in names if n.count("__") == 1)]
        plain = list(dict.fromkeys(map(bare, names)))
        if caseless:
            plain = list(dict.fromkeys((*plain, *_spelled({*plain}, {fold(n) for n in plain}))))
        paths_of = (with_name(t, n, exact) for t in caseless if "/" in t for n in plain)
        far = (_far(name, exact, caseless) for name in plain)
        return list(dict.fromkeys([*plain, *names, *filter(None, paths_of), *far]))


def _spelled(exact: set[str], caseless: set[str]) -> list[str]:
    """The words of rules, and for caseless ones a spelling that no other rule names."""
    others = (unnamed(token, exact) for token in sorted(caseless))
    folded = caseless and {t for t in exact if fold(t) in caseless}
    found = [*sorted(exact), *sorted(folded or ()), *(t for t in others if t is not None)]
    return list(dict.fromkeys(found))


def _far(name: str, exact: set[str], caseless: set[str]) -> str:
    """A path of a program that no rule names."""
    paths = (f"/{directory}/{name}" for directory in ORDINARY)
    return next(p for p in paths if p not in exact and fold(p) not in caseless)


def bare(head: str) -> str:
    """The name of a program without its directory; of a tool, its server."""
    if head.startswith(MCP):
        return server_of(head)
    return head.rpartition("/")[2]


def ordinary(exact: Collection[str], caseless: Collection[str] = ()) -> str:
    """A word that is none of these."""
    more = (f"x{number}" for number in range(len(exact) + len(caseless) + 1))
    return next(w for w in chain(ORDINARY, more) if w not in exact and fold(w) not in caseless)
