"""Prefixes of words as acceptors, which read a command word by word.

What a rule asks of words are prefixes: its pattern, and each of its exceptions. An acceptor is a
row of sets of tokens. Its states are how many words it has read.
"""

from collections.abc import Iterable

from execpolicy.model.rule import Pattern, fold

State = tuple[int, int]
"""The number of an acceptor, and how many words it has read."""
Live = frozenset[State]
ANY = 1 << 30
"""In the place of how many words were read: a computed word may stand for all that is left."""


class TooHardError(Exception):
    """The walk takes more steps than an answer is worth."""


class Acceptor:
    """One prefix: the tokens of each position, folded if it is `caseless`.

    `exact`: a rule that uses it has to know where the command ends.
    """

    __slots__ = ("caseless", "exact", "rules", "size", "tokens")

    def __init__(self, tokens: tuple[frozenset[str], ...], caseless: bool) -> None:
        self.tokens = tokens
        self.caseless = caseless
        self.size = len(tokens)
        self.exact = False
        self.rules: list[int] = []


def token_sets(pattern: Pattern, caseless: bool) -> tuple[frozenset[str], ...]:
    """The tokens of each position, folded if they are compared caselessly."""
    return tuple(frozenset(map(fold, tokens) if caseless else tokens) for tokens in pattern)


class Following:
    """Where each word leads from a set of states of acceptors."""

    __slots__ = ("_caseless", "_ended", "_exact", "_kept")

    def __init__(self, live: Live, acceptors: list[Acceptor]) -> None:
        self._kept: list[State] = []
        self._ended: list[State] = []
        self._exact: dict[str, list[State]] = {}
        self._caseless: dict[str, list[State]] = {}
        for number, at in live:
            acceptor = acceptors[number]
            if at < acceptor.size:
                index = self._caseless if acceptor.caseless else self._exact
                for token in acceptor.tokens[at]:
                    index.setdefault(token, []).append((number, at + 1))
            elif acceptor.exact and at != ANY:
                self._kept.append((number, acceptor.size + 1))
                self._ended += [(number, at)] if at == acceptor.size else []
            else:
                self._kept.append((number, at))

    @property
    def named(self) -> tuple[Iterable[str], Iterable[str]]:
        """The words that make a difference: as they are written, and without case."""
        return self._exact.keys(), self._caseless.keys()

    @property
    def kept(self) -> Live:
        """The states that no word changes, as those after a computed one."""
        return frozenset(self._kept)

    def after(self, word: str) -> Live:
        """The states after one more word."""
        found = self._exact.get(word, [])
        if self._caseless:
            found = [*found, *self._caseless.get(fold(word), ())]
        return frozenset((*self._kept, *found))

    def computed(self, beginning: str) -> Live:
        """What a computed word that begins so may complete or go on with."""
        found = set[State]()
        for index, begun in ((self._exact, beginning), (self._caseless, fold(beginning))):
            for token, states in index.items():
                if token.startswith(begun):
                    found.update(states)
        return frozenset(found)

    def several(self) -> Live:
        """The same for a computed word that may be none, or many."""
        every = (s for index in (self._exact, self._caseless) for x in index.values() for s in x)
        return frozenset((*self._ended, *((number, ANY) for number, _ in every)))
