"""A walk over all commands that two policies may tell apart, the shortest first.

The commands are infinitely many, but only words that some rule names make a difference, and one
more that stands for all others: the subset construction over the prefixes of all rules of one
program has finitely many states. Rules that tighten read every spelling of a command, so each
state has three tracks: the words as they are, with the bare name of the program, and without the
global options in front of a subcommand.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain

from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, server_of
from execpolicy.model.rule import fold
from execpolicy.prove.inclusion.machine import TooHardError
from execpolicy.prove.inclusion.spellings import unnamed, with_name
from execpolicy.prove.rule_table import NEW, OLD, Acceptor, Table
from execpolicy.support.record import Value

Words = tuple[str, ...]
Live = frozenset[tuple[int, int]]
Spelling = Callable[[Words], Words]
"""The words without the global options in front of a subcommand."""

MAX_STEPS = 2_000_000
"""Transitions of all walks of a proof, each of a microsecond or two. What they keep is less."""
MAX_KNOWN = 64
ORDINARY = ("x", "y", "z", "xx", "yy", "zz")
"""Words to stand for all that no rule names."""


class Matched(Value):
    """The numbers of the rules that match a command, by the table: in the old policy, the new."""

    old: frozenset[int]
    new: frozenset[int]


class CommandClass(Value):
    """Commands that the same rules match. `words` is one of the shortest.

    `is_open`: all commands that begin with `words` and go on with a word that no rule names there;
    else `words` is the only one.
    """

    words: tuple[str, ...]
    is_open: bool
    matched: Matched


class PolicyState(Value):
    """How far each acceptor has come: in the words as they are, and in each looser spelling.

    The first of `loose` has the bare name of the program; `listed` has the bits of the sides for
    which that name is as good as the program.
    """

    raw: Live
    loose: tuple[Live, ...]
    listed: int

    @property
    def tracks(self) -> tuple[Live, ...]:
        """All spellings."""
        return (self.raw, *self.loose)


class Following:
    """Where each word leads from a set of states of acceptors."""

    __slots__ = ("_caseless", "_exact", "_kept")

    def __init__(self, live: Live, acceptors: list[Acceptor]) -> None:
        kept: list[tuple[int, int]] = []
        self._exact: dict[str, list[tuple[int, int]]] = {}
        self._caseless: dict[str, list[tuple[int, int]]] = {}
        for number, at in live:
            acceptor = acceptors[number]
            if at >= acceptor.size:
                kept.append((number, acceptor.size + 1 if acceptor.exact else at))
                continue
            index = self._caseless if acceptor.caseless else self._exact
            for token in acceptor.tokens[at]:
                index.setdefault(token, []).append((number, at + 1))
        self._kept = kept

    @property
    def named(self) -> tuple[Iterable[str], Iterable[str]]:
        """The words that make a difference: as they are written, and without case."""
        return self._exact.keys(), self._caseless.keys()

    def after(self, word: str) -> Live:
        """The states after one more word."""
        found = self._exact.get(word, [])
        if self._caseless:
            found = [*found, *self._caseless.get(fold(word), ())]
        return frozenset((*self._kept, *found))


class Steps:
    """How many steps all walks of one proof have taken together."""

    def __init__(self) -> None:
        self.taken = 0

    def add(self, count: int) -> None:
        """Count some more. Raises `TooHardError` where they are too many."""
        self.taken += count
        if self.taken > MAX_STEPS:
            raise TooHardError


class PolicyWalk:
    """The classes of commands of the programs in one group."""

    def __init__(
        self, table: Table, group: str, everything: bool = False, steps: Steps | None = None
    ) -> None:
        """`everything`: also where both sides have the same rules, because something else differs.

        `steps` are those of other walks; where there are too many, it raises `TooHardError`.
        """
        self.table = table
        self.numbers = table.groups[group]
        self.group = group
        self.everything = everything or self._lists_differ()
        self._steps = steps or Steps()
        self._known: dict[Live, Following] = {}

    def _lists_differ(self) -> bool:
        before, after = self.table.listed
        names = {name for name in (*before, *after) if fold(name) == self.group}
        return any(set(before.get(n, ())) != set(after.get(n, ())) for n in names)

    def classes(
        self,
        canonical: Spelling,
        options: tuple[str, ...] = (),
        meaning: Callable[[Words], object] | None = None,
    ) -> Iterator[CommandClass]:
        """Each class about which the sides differ, the shortest first.

        `options` are global options that no rule need name: they only hide a subcommand. Words that
        the same rules match are one class only where they have the same `meaning`.
        """
        waiting: deque[tuple[PolicyState, Words]] = deque()
        seen: set[tuple[PolicyState, Words, object]] = set()
        for head in self._heads():
            state = self._begin(head)
            if self._may_differ(state):
                waiting.append((state, (head,)))
        while waiting:
            state, words = waiting.popleft()
            here = self._matched(state)
            if self.everything or here.old != here.new:
                yield CommandClass(words, False, here)
            names, ordinary = self._letters(state)
            after = self._read(state, words, ordinary, canonical)
            beyond = self._matched(after)
            if self.everything or beyond.old != beyond.new:
                yield CommandClass(words, True, beyond)
            hidden = options if len(words) == 1 else ()
            more = [(n, self._read(state, words, n, canonical)) for n in (*names, *hidden)]
            if after != state and self._is_waiting(after):
                more.append((ordinary, after))
            for name, then in more:
                path = (*words, name)
                said = None if meaning is None else meaning(path)
                key = then, canonical(path) if len(then.loose) > 1 else (), said
                if key not in seen and self._may_differ(then):
                    seen.add(key)
                    waiting.append((then, path))

    def _begin(self, head: str) -> PolicyState:
        """The state after the name of the program."""
        start: Live = frozenset((number, 0) for number in self.numbers)
        raw = self._after(start, head)
        bare_name = _bare(head)
        bare = raw if bare_name == head else self._after(start, bare_name)
        listed = OLD | NEW if bare_name == head else 0
        for side, paths in zip((OLD, NEW), self.table.listed, strict=True):
            if head[:1] == "/" and head in paths.get(bare_name, ()):
                listed |= side
        if head.startswith(MCP) and head.count("__") == 2:
            listed = OLD | NEW
        return PolicyState(raw, (bare,), listed)

    def _read(
        self, state: PolicyState, words: Words, word: str, canonical: Spelling
    ) -> PolicyState:
        raw = self._after(state.raw, word)
        loose = [self._after(state.loose[0], word)]
        shorter = canonical((*words, word))
        if len(shorter) <= len(words):
            for head in dict.fromkeys((_bare(shorter[0]), shorter[0])):
                live: Live = frozenset((number, 0) for number in self.numbers)
                for each in (head, *shorter[1:]):
                    live = self._after(live, each)
                loose.append(live)
        return PolicyState(raw, tuple(loose), state.listed)

    def _after(self, live: Live, word: str) -> Live:
        found = self._following(live).after(word)
        self._steps.add(1 + len(found))
        return found

    def _following(self, live: Live) -> Following:
        found = self._known.get(live)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            found = self._known[live] = Following(live, self.table.acceptors)
        return found

    def _may_differ(self, state: PolicyState) -> bool:
        """Whether a rule of one side alone still may match."""
        if self.everything:
            return True
        touched = self.table.touched
        return any(number in touched for live in state.tracks for number, _ in live)

    def _is_waiting(self, state: PolicyState) -> bool:
        """Whether more words could complete something."""
        acceptors = self.table.acceptors
        return any(at < acceptors[number].size for live in state.tracks for number, at in live)

    def _matched(self, state: PolicyState) -> Matched:
        tracks = [*map(self._done, state.tracks)]
        near = {r for done in tracks for a in done for r in self.table.acceptors[a].rules}
        old, new = [], []
        for number in near:
            sides = self._sides(number, state, tracks)
            if sides & OLD:
                old.append(number)
            if sides & NEW:
                new.append(number)
        return Matched(frozenset(old), frozenset(new))

    def _sides(self, number: int, state: PolicyState, tracks: list[dict[int, bool]]) -> int:
        """The sides on which a rule matches the command that ends here."""
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
        return sides & state.listed if fits[1] else 0

    def _done(self, live: Live) -> dict[int, bool]:
        """The acceptors that have read all their words; whether the last of them just now."""
        acceptors = self.table.acceptors
        return {n: at == acceptors[n].size for n, at in live if at >= acceptors[n].size}

    def _letters(self, state: PolicyState) -> tuple[list[str], str]:
        """The words that make a difference next, and one that no rule names."""
        exact: set[str] = set()
        caseless: set[str] = set()
        for live in state.tracks:
            named, folded = self._following(live).named
            exact.update(named)
            caseless.update(folded)
        return self._spelled(exact, caseless), ordinary(exact, caseless)

    def _spelled(self, exact: set[str], caseless: set[str]) -> list[str]:
        """The words of rules, and for caseless ones a spelling that no other rule names."""
        others = (unnamed(token, exact) for token in sorted(caseless))
        folded = caseless and {t for t in exact if fold(t) in caseless}
        found = [*sorted(exact), *sorted(folded or ()), *(t for t in others if t is not None)]
        return list(dict.fromkeys(found))

    def _heads(self) -> list[str]:
        """The first words that make a difference: names, paths that are listed, and one that is
        not."""
        exact: set[str] = set()
        caseless: set[str] = set()
        for number in self.numbers:
            acceptor = self.table.acceptors[number]
            (caseless if acceptor.caseless else exact).update(acceptor.tokens[0])
        for paths in self.table.listed:
            exact |= {p for n, each in paths.items() if fold(n) == self.group for p in each}
        names = self._spelled(exact, caseless)
        if self.group.startswith(MCP):
            return [*names, *(f"{n}__x" for n in names if n.count("__") == 1)]
        bare = list(dict.fromkeys(map(_bare, names)))
        if caseless:
            bare = list(dict.fromkeys((*bare, *self._spelled({*bare}, {fold(n) for n in bare}))))
        paths_of = (with_name(t, n, exact) for t in caseless if "/" in t for n in bare)
        far = (self._far(name, exact, caseless) for name in bare)
        return list(dict.fromkeys([*bare, *names, *filter(None, paths_of), *far]))

    @staticmethod
    def _far(name: str, exact: set[str], caseless: set[str]) -> str:
        """A path of a program that no rule names."""
        paths = (f"/{directory}/{name}" for directory in ORDINARY)
        return next(p for p in paths if p not in exact and fold(p) not in caseless)


def _bare(head: str) -> str:
    if head.startswith(MCP):
        return server_of(head)
    return head.rpartition("/")[2]


def ordinary(exact: Collection[str], caseless: Collection[str] = ()) -> str:
    """A word that is none of these."""
    more = (f"x{number}" for number in range(len(exact) + len(caseless) + 1))
    return next(w for w in chain(ORDINARY, more) if w not in exact and fold(w) not in caseless)
