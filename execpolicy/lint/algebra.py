"""The sets of commands that rules speak about, and whether some of them cover another.

A rule's set holds every argv that begins with its pattern (and ends there, if it is exact) and with
none of its exceptions. Patterns are products of finite sets with an open tail, so a walk over the
positions decides inclusion: at each, only the tokens that some rule names can make a difference,
and one more that stands for all others.
"""

from execpolicy.decision import Decision
from execpolicy.rule import Pattern, PrefixRule, fold
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Letter = tuple[str | None, str | None]

MOST_STEPS = 20_000

_OTHER: "Letter" = (None, None)


class Region(Value):
    """A set of commands. Tokens of a caseless one are folded.

    `loose` says that it belongs to a rule that tightens: a program's path counts as its name, too.
    """

    pattern: tuple[frozenset[str], ...]
    unless: tuple[tuple[frozenset[str], ...], ...] = ()
    exact: bool = False
    canonical: bool = False
    loose: bool = False


def region(rule: PrefixRule) -> Region:
    """What a rule speaks about."""
    return _region(rule.pattern, rule.unless, rule.exact, rule)


def exception(rule: PrefixRule, unless: Pattern) -> Region:
    """What an exception takes from its rule: the commands that begin with both."""
    width = max(len(rule.pattern), len(unless))
    both = tuple(_common(rule, unless, at) for at in range(width))
    return _region(both, (), rule.exact, rule)


def _common(rule: PrefixRule, unless: Pattern, at: int) -> tuple[str, ...]:
    if at >= len(rule.pattern):
        return unless[at]
    if at >= len(unless):
        return rule.pattern[at]
    if rule.canonical:
        folded = {fold(t) for t in unless[at]}
        return tuple(t for t in rule.pattern[at] if fold(t) in folded)
    return tuple(t for t in rule.pattern[at] if t in unless[at])


def _region(pattern: Pattern, unless: tuple[Pattern, ...], exact: bool, rule: PrefixRule) -> Region:
    fixed = fold if rule.canonical else str
    sets = tuple(frozenset(map(fixed, tokens)) for tokens in pattern)
    without = tuple(tuple(frozenset(map(fixed, tokens)) for tokens in u) for u in unless)
    loose = rule.decision is not Decision.ALLOW
    return Region(sets, without, exact, rule.canonical, loose)


class _TooHardError(Exception):
    """The walk takes more steps than an answer is worth."""


def empty(inner: Region) -> bool:
    """Whether a rule speaks about nothing, because its exceptions take all."""
    return covered(inner, ())


def covered(inner: Region, others: "Sequence[Region]") -> bool:
    """Whether every command of `inner` is in one of the others. False where that is too hard."""
    try:
        return _Walk(inner, others).holds()
    except (_TooHardError, RecursionError):
        return False


class _Walk:
    """A walk over the positions. The state of a region is None once it cannot hold the command any
    more, else the numbers of the exceptions that the command may still be."""

    def __init__(self, inner: Region, others: "Sequence[Region]") -> None:
        self.inner = inner
        self.others = tuple(others)
        self.steps = 0
        self.depth = max(_length(r) for r in (inner, *self.others))
        self.seen: dict[object, bool] = {}

    def holds(self) -> bool:
        start = _start(self.inner)
        if start is None:
            return True
        # A rule that tightens sees a program both under its path and under its name.
        twice = tuple(r for r in self.others if r.loose)
        states = tuple((r, _start(r), False) for r in self.others)
        states += tuple((r, _start(r), True) for r in twice)
        return self._covers(0, start, tuple((r, s, b) for r, s, b in states if s is not None))

    def _covers(
        self,
        at: int,
        inner: frozenset[int],
        others: "tuple[tuple[Region, frozenset[int], bool], ...]",
    ) -> bool:
        if any(_total(r, s, at) for r, s, _ in others):
            return True
        key = at, inner, tuple((id(r), s, b) for r, s, b in others)
        if key not in self.seen:
            self.steps += 1 + len(others)
            if self.steps > MOST_STEPS:
                raise _TooHardError
            self.seen[key] = self._step(at, inner, others)
        return self.seen[key]

    def _step(
        self,
        at: int,
        inner: frozenset[int],
        others: "tuple[tuple[Region, frozenset[int], bool], ...]",
    ) -> bool:
        if _accepts(self.inner, at) and not any(_accepts(r, at) for r, _, _ in others):
            return False
        if at > self.depth:
            return False
        for letter in self._letters(at, others):
            after = _next(self.inner, inner, at, letter)
            if after is None:
                continue
            left = []
            for other, state, based in others:
                seen = _based(letter) if based and at == 0 else letter
                then = _next(other, state, at, seen)
                if then is not None:
                    left.append((other, then, based))
            if not self._covers(at + 1, after, tuple(left)):
                return False
        return True

    def _letters(
        self, at: int, others: "tuple[tuple[Region, frozenset[int], bool], ...]"
    ) -> "set[Letter]":
        """The words that can make a difference at this position."""
        if at < len(self.inner.pattern) and not self.inner.canonical:
            return {(token, fold(token)) for token in self.inner.pattern[at]}
        exact: set[str] = set()
        folded: set[str] = set()
        for one in (self.inner, *(r for r, _, _ in others)):
            for pattern in (one.pattern, *one.unless):
                if at < len(pattern):
                    (folded if one.canonical else exact).update(pattern[at])
        letters: set[Letter] = {(token, fold(token)) for token in exact | folded}
        letters |= {(None, token) for token in folded if token.upper() != token}
        if at >= len(self.inner.pattern):
            letters.add(_OTHER)
        return letters


def _length(one: Region) -> int:
    return max(len(one.pattern), *(len(u) for u in one.unless), 0)


def _start(one: Region) -> frozenset[int] | None:
    if any(not tokens for tokens in one.pattern) or any(not u for u in one.unless):
        return None
    return frozenset(range(len(one.unless)))


def _total(one: Region, state: frozenset[int], at: int) -> bool:
    """Whether a region holds everything from here on."""
    return at >= len(one.pattern) and not state and not one.exact


def _accepts(one: Region, at: int) -> bool:
    """Whether a region that is still alive holds the command that ends here."""
    return at == len(one.pattern) if one.exact else at >= len(one.pattern)


def _next(one: Region, state: frozenset[int], at: int, letter: "Letter") -> frozenset[int] | None:
    """The state after one more word."""
    word = letter[1] if one.canonical else letter[0]
    if at < len(one.pattern):
        if word not in one.pattern[at]:
            return None
    elif one.exact:
        return None
    if not state:
        return state
    alive = frozenset(n for n in state if word in one.unless[n][at])
    if any(len(one.unless[n]) == at + 1 for n in alive):
        return None  # an exception is complete
    return alive


def _based(letter: "Letter") -> "Letter":
    """A program's path seen as its name."""
    exact, folded = letter
    name = None if exact is None or "/" not in exact else exact.rpartition("/")[2]
    if name is None and (exact is not None or folded is None or "/" not in folded):
        return _OTHER
    return name, fold(name) if name is not None else (folded or "").rpartition("/")[2]
