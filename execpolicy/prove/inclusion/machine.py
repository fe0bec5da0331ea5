"""A prefix rule as a machine that reads a command word by word.

What the engine asks of a rule is, at each word, a small state: whether the pattern still fits,
which exceptions still may, and whether a word stood in the pattern that the shell computes. Two
rules are compared by letting their machines read the same words.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from execpolicy.model.decision import Decision
from execpolicy.model.rule import Pattern, PrefixRule, fold
from execpolicy.support.record import Value

Possible = frozenset[tuple[int, int]]

DYNAMIC, EXCEPTED, SURE = 1, 2, 4
"""Flags of a state: a computed word stood in the pattern; an exception is complete (a rule that
tightens may still be meant if a computed word follows); whatever follows, the rule may be meant."""


class State(NamedTuple):
    """How far a machine has come: how many words of the pattern were read, and flags.

    `possible` are the exceptions that still may be complete, each with how many of its words were
    read: an exception of a rule that allows counts in other spellings too, which are shorter.
    """

    at: int
    flags: int
    possible: Possible

    @property
    def is_sure(self) -> bool:
        """Whether the rule may be meant, whatever follows."""
        return bool(self.flags & SURE)

    @property
    def has_computed(self) -> bool:
        """Whether a computed word stood in the pattern."""
        return bool(self.flags & (DYNAMIC | SURE))


class TooHardError(Exception):
    """The walk takes more steps than an answer is worth."""


class Letter(Value):
    """One word of a command. A computed one has `text` for its known beginning, and is `single` if
    it is one word for certain."""

    text: str
    folded: str
    dynamic: bool = False
    single: bool = True


def letter(text: str) -> Letter:
    """A literal word."""
    return Letter(text, fold(text))


class Machine:
    """A rule with its tokens as sets, folded if it is caseless.

    None in the place of a state means that the rule cannot match any more.
    """

    __slots__ = ("caseless", "decision", "exact", "pattern", "size", "tight", "unless")

    def __init__(self, rule: PrefixRule, decision: Decision | None = None) -> None:
        self.caseless = rule.canonical
        self.pattern = token_sets(rule.pattern, rule.canonical)
        self.unless = tuple(token_sets(pattern, rule.canonical) for pattern in rule.unless)
        self.exact = rule.exact
        self.size = len(rule.pattern)
        self.decision = rule.decision if decision is None else decision
        self.tight = self.decision is not Decision.ALLOW

    @property
    def start(self) -> State:
        """The state before the first word."""
        return State(0, 0, frozenset((number, 0) for number in range(len(self.unless))))

    def begin(
        self, head: Letter, named: Iterable[Letter], seen: Iterable[Letter]
    ) -> Iterator[State]:
        """The states after the first word.

        A rule that tightens reads each of the spellings `seen`. One that allows reads `head` and
        those that a `host_executable` lists as `named`, and its exceptions are sought in all.
        """
        states: set[State | None] = set()
        if self.tight:
            states = {self.step(self.start, each) for each in seen}
        elif any(self._word(one) in self.pattern[0] for one in (head, *named)):
            words = {self._word(each) for each in (head, *named, *seen)}
            states = {self._after(1, 0, self.start.possible, words)}
        yield from (state for state in states if state is not None)

    def read(
        self,
        head: Letter,
        named: Iterable[Letter],
        seen: Iterable[Letter],
        rest: Iterable[Letter],
        shorter: Sequence[Letter],
    ) -> Iterator[State]:
        """The states after several words, of which `shorter` is another spelling, if not empty."""
        for state in self.begin(head, named, seen):
            after = self._through(state, rest)
            if after is not None and shorter and not self.tight:
                after = self._vetoed(after, shorter)
            if after is not None:
                yield after
        after = self._through(self.start, shorter) if shorter and self.tight else None
        if after is not None:
            yield after

    def _through(self, state: State | None, words: Iterable[Letter]) -> State | None:
        for word in words:
            state = None if state is None else self.step(state, word)
        return state

    def _vetoed(self, state: State, words: Iterable[Letter]) -> State | None:
        """The state with the exceptions that may be complete in another spelling, too."""
        at, flags, possible = state
        seen = self.start.possible
        for word in words:
            after = self._after(0, 0, seen, (self._word(word),))
            if after is None:
                return None
            seen = after.possible
        return State(at, flags, possible | seen)

    def step(self, state: State, read: Letter) -> State | None:
        """The state after one more word."""
        at, flags, possible = state
        if flags & SURE:
            return state
        if at < self.size:
            if read.dynamic:
                if not self.tight:
                    return None
                if not read.single:
                    return State(0, SURE, frozenset())
                flags |= DYNAMIC
                if not any(token.startswith(self._word(read)) for token in self.pattern[at]):
                    return None
            elif self._word(read) not in self.pattern[at]:
                return None
        elif self.exact:
            if read.single or not self.tight:
                return None
            flags |= DYNAMIC  # it may be no word at all
        words = () if read.dynamic else (self._word(read),)
        return self._after(min(at + 1, self.size), flags, possible, words)

    def _after(self, at: int, flags: int, possible: Possible, words: Iterable[str]) -> State | None:
        """The state in which the exceptions have read one of these words, if there is one."""
        if possible:
            left = set()
            for number, read in possible:
                unless = self.unless[number]
                if unless[read].isdisjoint(words):
                    continue
                if len(unless) == read + 1:
                    flags |= EXCEPTED
                left.add((number, read + 1))
            possible = frozenset(left)
        if flags & EXCEPTED:
            if at >= self.size or not self.tight:
                return None
            possible = frozenset()
        return State(at, flags, possible)

    def _word(self, read: Letter) -> str:
        return read.folded if self.caseless else read.text

    def applies(self, state: State) -> bool:
        """Whether the rule applies to the command that ends here."""
        return state.at >= self.size and not state.flags

    def may_speak(self, state: State) -> bool:
        """Whether it would, if computed words took some value."""
        return state.is_sure or (state.at >= self.size and state.flags == DYNAMIC)

    def settled(self, state: State) -> bool:
        """Whether what is true of the command that ends here is so for all that begin like it."""
        if state.is_sure:
            return True
        return state.at >= self.size and not state.possible and not self.exact

    def tokens(self, state: State) -> Iterator[str]:
        """The tokens, folded if the rule is caseless, that make a difference at the next word."""
        if state.is_sure:
            return
        if state.at < self.size:
            yield from self.pattern[state.at]
        for number, read in state.possible:
            yield from self.unless[number][read]


def token_sets(pattern: Pattern, caseless: bool) -> tuple[frozenset[str], ...]:
    """The tokens of each position, folded if they are compared caselessly."""
    return tuple(frozenset(map(fold, tokens) if caseless else tokens) for tokens in pattern)
