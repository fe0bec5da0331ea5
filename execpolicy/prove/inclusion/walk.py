"""A walk over all commands to which one rule applies, to see whether others decide them as well."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from execpolicy.model.decision import Decision
from execpolicy.model.rule import fold
from execpolicy.prove.inclusion.acceptors import ANY, Live
from execpolicy.prove.inclusion.rule_table import Table, group_of, groups_of
from execpolicy.prove.inclusion.starts import Start
from execpolicy.prove.inclusion.word_states import Steps, WordStates

MAX_STEPS = 100_000
"""Steps of a walk, one for each word that is tried and each state after it: a third of a second."""


class Here(NamedTuple):
    """How far the rules have come: in each track for certain, and where computed words take some
    value. The words as they are come first, then those with the bare name of the program, which is
    as good as the program where it is `listed`."""

    tracks: tuple[Live, ...]
    maybe: tuple[Live, ...]
    listed: int


class Walk:
    """Whether `others` decide all commands of `mine` at least as strictly. All are rules of a table
    by their numbers.

    If `mine` allows, others that allow count too, if their patterns name at least `need` words.
    `used` are those that decide. Without `loose`, no rule sees a path as the name of a program, and
    none is asked about computed words: rules are sets of words then.
    """

    def __init__(
        self,
        table: Table,
        mine: int,
        others: Collection[int],
        loose: bool = True,
        most: int = MAX_STEPS,
    ) -> None:
        self.table = table
        self.rule = table.rules[mine]
        self.others = frozenset(others)
        self.need = 0
        self.used: set[int] = set()
        self.steps = Steps(most)
        self._number = mine
        self._loose = loose
        self._tight = self.rule.decision is not Decision.ALLOW
        self._main = table.uses[mine][0]
        # Without exceptions, a rule may apply to a computed word only if it does about a word.
        self._computed = loose and self._tight and bool(self.rule.unless)
        uses = (table.uses[number] for number in (mine, *self.others))
        self._acceptors = frozenset(each for main, unless in uses for each in (main, *unless))

    def holds(self) -> bool:
        """The answer for all commands. Raises `TooHardError`."""
        return all(map(self._holds_in, groups_of(self.rule)))

    def _holds_in(self, group: str) -> bool:
        self._words = WordStates(self.table, group, self.steps, self._acceptors)
        return self._holds(map(self._begin, self._words.heads()))

    def holds_from(self, start: Start) -> bool:
        """The answer for the commands that begin with these words."""
        self.need = start.need
        head, *rest = start.words
        self._words = WordStates(self.table, group_of(head), self.steps, self._acceptors)
        listed = () if self._tight else self.table.listed[0].get(head, ())
        return self._holds(
            self._entered((each, *rest), start.canonical) for each in (head, *listed)
        )

    def _begin(self, head: str) -> Here:
        raw, bare, listed = self._words.begin(head)
        tracks = (raw, bare) if self._loose else (raw,)
        return Here(tracks, (frozenset(),) * len(tracks), listed)

    def _entered(self, words: tuple[str, ...], canonical: tuple[str, ...] | None) -> Here:
        """Where words lead, of which `canonical` are another spelling, if that is known."""
        here = self._begin(words[0])
        for word in words[1:]:
            here = self._read(here, word)
        if not canonical:
            return here
        tracks = (*here.tracks, self._words.spelled(canonical))
        return Here(tracks, (*here.maybe, frozenset()), here.listed)

    def _read(self, here: Here, word: str) -> Here:
        tracks, maybe = (
            tuple(self._words.after(live, word) if live else live for live in each)
            for each in (here.tracks, here.maybe)
        )
        return Here(tracks, maybe, here.listed)

    def _read_computed(self, here: Here, beginning: str | None) -> Here:
        """After a computed word that begins so; None stands for one that may be none, or many."""
        tracks, maybe = [], []
        for live, possible in zip(here.tracks, here.maybe, strict=True):
            sure, more = self._words.following(live), self._words.following(possible)
            found = (
                f.several() if beginning is None else f.computed(beginning) for f in (sure, more)
            )
            tracks.append(sure.kept)
            maybe.append(more.kept.union(*found))
            self.steps.add(1 + len(maybe[-1]))
        return Here(tuple(tracks), tuple(maybe), here.listed)

    def _holds(self, begun: Iterable[Here]) -> bool:
        stack = [here for here in begun if self._is_alive(here)]
        seen = set(stack)
        while stack:
            here = stack.pop()
            rules = Applying(self._words, here)
            near = sorted(rules.near & self.others)
            lasting = [n for n in near if not self.table.rules[n].exact]
            lasting = [n for n in lasting if not self.table.rules[n].unless]
            if self._is_decided(rules, self._strictest(here), lasting):
                continue  # so are all commands that begin like this
            enough = self._enough(rules)
            if enough is not None and not self._is_decided(rules, enough, near):
                return False
            for then in self._after(here):
                if then not in seen and self._is_alive(then):
                    seen.add(then)
                    stack.append(then)
        return True

    def _after(self, here: Here) -> Iterator[Here]:
        """Where each word leads that can make a difference."""
        within = self._within(here)
        names, ordinary = self._words.letters((*here.tracks, *here.maybe))
        if within is None:
            names.append(ordinary)
        else:
            caseless = self.rule.canonical
            names = [n for n in names if (fold(n) if caseless else n) in within]
        for name in names:
            yield self._read(here, name)
            if self._computed and within is not None:
                yield self._read_computed(here, name)
        if self._computed and (within is not None or self.rule.exact):
            yield self._read_computed(here, None)

    def _within(self, here: Here) -> frozenset[str] | None:
        """The tokens of which one has to come next; None where any word may."""
        acceptor, at = self.table.acceptors[self._main], max(self._read_of_mine(here))
        if at < acceptor.size:
            return acceptor.tokens[at]
        return frozenset() if self.rule.exact and at != ANY else None

    def _read_of_mine(self, here: Here) -> list[int]:
        """How many words of the pattern of `mine` were read, in each track that counts for it."""
        own = here.tracks[:2] if here.listed and not self._tight else here.tracks[:1]
        return [at for live in (*own, *here.maybe[:1]) for n, at in live if n == self._main]

    def _is_alive(self, here: Here) -> bool:
        """Whether `mine` may apply to a command that begins like this."""
        every = self._read_of_mine(here)
        if not every or ANY in every:
            return bool(every)
        size, unless = self.table.acceptors[self._main].size, self.table.uses[self._number][1]
        if min(every) > size and self.rule.exact:
            return False
        tracks = here.tracks[:1] if self._tight else here.tracks
        excepted = any(not self._words.done(live).keys().isdisjoint(unless) for live in tracks)
        return not excepted or (self._computed and min(every) < size)

    def _enough(self, rules: "Applying") -> Decision | None:
        """What the others have to say at least about the command that ends here."""
        own = 1 if self._tight else None  # a rule that tightens is asked about words as they are
        if rules.applies(self._number, own):
            return self.rule.decision
        return Decision.PROMPT if self._tight and rules.may_apply(self._number, own) else None

    def _strictest(self, here: Here) -> Decision:
        """What they have to say at most about any command that begins like this."""
        ends = self.table.acceptors[self._main].size if self.rule.exact else ANY
        read = (at for live in here.tracks[:2] for n, at in live if n == self._main)
        return self.rule.decision if any(at <= ends for at in read) else Decision.PROMPT

    def _is_decided(self, rules: "Applying", enough: Decision, others: list[int]) -> bool:
        decided = [n for n in others if self._says(rules, n, enough)]
        if decided and self.used.isdisjoint(decided):
            self.used.add(decided[0])
        return bool(decided)

    def _says(self, rules: "Applying", number: int, enough: Decision) -> bool:
        rule = self.table.rules[number]
        if rule.decision is Decision.ALLOW:
            named = len(rule.pattern) >= self.need
            return enough is Decision.ALLOW and named and rules.applies(number)
        if rule.decision >= enough and rules.applies(number):
            return True
        return enough is Decision.PROMPT and rules.may_apply(number)


class Applying:
    """What rules say about the command that ends here. `near` are those that may say something."""

    def __init__(self, words: WordStates, here: Here) -> None:
        self._words, self._here = words, here
        self._done = [*map(words.done, here.tracks)]
        self._possible = [*map(words.done, here.maybe)]
        met = {n for done in (*self._done, *self._possible) for n in done}
        self.near = {number for n in met for number in words.table.acceptors[n].rules}

    def applies(self, number: int, most: int | None = None) -> bool:
        """Whether a rule applies, by the first tracks or all of them."""
        return bool(self._words.sides(number, self._done[:most], self._here.listed))

    def may_apply(self, number: int, most: int | None = None) -> bool:
        """Whether a rule that tightens applies if computed words take some value."""
        exact = self._words.table.rules[number].exact
        main, unless = self._words.table.uses[number]
        tracks = zip(self._here.maybe, self._possible, self._done, strict=True)
        return any(
            (main, ANY) in live
            or (
                main in possible
                and (possible[main] or not exact)
                and done.keys().isdisjoint(unless)
            )
            for live, possible, done in [*tracks][:most]
        )
