"""Rules that could be left out, because others decide all that they speak about."""

from execpolicy.catalogue import Catalogue, read
from execpolicy.decision import Decision
from execpolicy.index import candidates, insert
from execpolicy.lint.algebra import Region, covered, empty, region
from execpolicy.rule import Pattern, PrefixRule, fold, folded_pattern
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from execpolicy.index import Node

MOST_TOGETHER = 200
MOST_WITNESSES = 32
_RUNNING = frozenset(("execute", "privilege"))


class Overlap(Value):
    """A rule without effect, why, and those that decide in its place.

    `kind` is `never` (its own exceptions take everything), `contradiction` (another rule says
    something stricter about the very same commands), `dead` (stricter rules decide all that it
    speaks about) or `redundant` (others say the same).
    """

    kind: str
    rule: PrefixRule
    others: tuple[PrefixRule, ...] = ()


def overlaps(
    rules: "Sequence[PrefixRule]",
    below: "Sequence[PrefixRule]" = (),
    catalogue: Catalogue | None = None,
) -> list[Overlap]:
    """Every one of `rules` that has no effect. Leaving all of them out changes no decision, and
    none of the others can be left out besides. Rules `below` count, but are not judged."""
    return _Search((*below, *rules), len(below), catalogue or Catalogue()).run()


class _Search:
    def __init__(self, rules: "Sequence[PrefixRule]", first: int, catalogue: Catalogue) -> None:
        self.rules = rules
        self.first = first
        self.catalogue = catalogue
        self.gone: set[int] = set()
        self.root: Node = {}
        self.heads: dict[str, list[int]] = {}
        self.regions: dict[int, Region] = {}
        for number, rule in enumerate(rules):
            insert(self.root, folded_pattern(rule.pattern), number)
            for head in rule.pattern[0]:
                self.heads.setdefault(fold(head), []).append(number)

    def run(self) -> list[Overlap]:
        found: dict[int, Overlap] = {}
        judged = range(self.first, len(self.rules))
        for number in judged:
            if self.rules[number].unless and empty(self.region(number)):
                self._leave_out(found, number, Overlap("never", self.rules[number]))
        for number in judged:
            if self.rules[number].decision is not Decision.FORBIDDEN:
                self._try(found, number, self._stricter, together=True)
        for together in (False, True):
            for number in reversed(judged):
                self._try(found, number, self._as_strict, together)
        return [found[number] for number in sorted(found)]

    def region(self, number: int) -> Region:
        made = self.regions.get(number)
        if made is None:
            made = self.regions[number] = region(self.rules[number])
        return made

    def _leave_out(self, found: dict[int, Overlap], number: int, overlap: Overlap) -> None:
        found[number] = overlap
        self.gone.add(number)

    def _try(
        self,
        found: dict[int, Overlap],
        number: int,
        fit: "Callable[[int, int], bool]",
        together: bool,
    ) -> None:
        """Leave the rule out if others that fit decide all that it speaks about."""
        if number in self.gone:
            return
        others = self._cover(number, fit, together)
        if others:
            self._leave_out(found, number, self._named(number, others))

    def _named(self, number: int, others: tuple[int, ...]) -> Overlap:
        rule, rules = self.rules[number], tuple(self.rules[n] for n in others)
        if all(r.decision == rule.decision for r in rules):
            return Overlap("redundant", rule, rules)
        same = len(others) == 1 and covered(self.region(others[0]), (self.region(number),))
        stricter = all(r.decision > rule.decision for r in rules)
        kind = "contradiction" if same else "dead" if stricter else "redundant"
        return Overlap(kind, rule, rules)

    def _stricter(self, number: int, other: int) -> bool:
        return self.rules[other].decision > self.rules[number].decision

    def _as_strict(self, number: int, other: int) -> bool:
        if self.rules[other].decision is Decision.ALLOW:
            return self._allows_as_much(number, other)
        return self.rules[other].decision >= self.rules[number].decision

    def _allows_as_much(self, number: int, other: int) -> bool:
        """Whether an allow rule covers the tail of a command as far as another one would."""
        rule, wider = self.rules[number], self.rules[other]
        if rule.decision is not Decision.ALLOW:
            return False
        if wider.origin.layer == "project" and rule.origin.layer != "project":
            return False  # it may not be trusted, or not tomorrow
        if len(wider.pattern) < len(rule.pattern) and self._names_more(rule.pattern):
            return False
        return all(u in rule.unless or _never_seen(rule, u) for u in wider.unless)

    def _names_more(self, pattern: Pattern) -> bool:
        """Whether words of the pattern do what an open tail does not cover."""
        for argv in _products(pattern):
            reading = read(argv, self.catalogue)
            if reading.inner or any(
                c.effect in _RUNNING or (c.effect == "unknown" and c.by) for c in reading.effects
            ):
                return True
        return False

    def _cover(
        self, number: int, fit: "Callable[[int, int], bool]", together: bool
    ) -> tuple[int, ...]:
        """Rules that fit and decide all that this one speaks about, as few as are found."""
        mine = self.region(number)
        for other in self._at_witness(number):
            if self._fits(number, other, fit) and covered(mine, (self.region(other),)):
                return (other,)
        if not together or not any(
            self._fits(number, other, fit) for other in self._at_witness(number)
        ):
            return ()
        others = [n for n in self._near(number) if self._fits(number, n, fit)]
        if len(others) > MOST_TOGETHER or not covered(mine, [self.region(n) for n in others]):
            return ()
        return self._needed(mine, others)

    def _fits(self, number: int, other: int, fit: "Callable[[int, int], bool]") -> bool:
        return other != number and other not in self.gone and fit(number, other)

    def _needed(self, mine: Region, others: list[int]) -> tuple[int, ...]:
        """The others without those that are not needed."""
        for other in tuple(others):
            rest = [n for n in others if n != other]
            if covered(mine, [self.region(n) for n in rest]):
                others = rest
        return tuple(others)

    def _at_witness(self, number: int) -> list[int]:
        """The rules that may hold one certain command of this rule: no other can cover it alone,
        and if none of them fits, nothing covers it."""
        rule = self.rules[number]
        witness = next((a for a in _products(rule.pattern) if not _excepted(rule, a)), None)
        if witness is None:
            return list(self._near(number))
        folded = tuple(map(fold, witness)) + (() if rule.exact else ("\0",))
        found = candidates(self.root, folded)
        if "/" in folded[0]:
            found += candidates(self.root, (folded[0].rpartition("/")[2], *folded[1:]))
        return found

    def _near(self, number: int) -> "Iterable[int]":
        """The rules that share a command with this one."""
        rule = self.rules[number]
        heads = dict.fromkeys(map(fold, rule.pattern[0]))
        heads |= dict.fromkeys(h.rpartition("/")[2] for h in heads)
        pattern = tuple({fold(t) for t in tokens} for tokens in rule.pattern)
        for head in heads:
            for other in self.heads.get(head, ()):
                theirs = self.rules[other].pattern[1:]
                shared = zip(pattern[1:], theirs, strict=False)
                if all(any(fold(t) in mine for t in tokens) for mine, tokens in shared):
                    yield other


def _products(pattern: Pattern) -> "Iterator[tuple[str, ...]]":
    """Some of the token sequences of a pattern."""
    from itertools import islice, product

    return islice(product(*pattern), MOST_WITNESSES)


def _excepted(rule: PrefixRule, argv: tuple[str, ...]) -> bool:
    return bool(rule.unless) and rule.excepts(argv)


def _never_seen(rule: PrefixRule, unless: Pattern) -> bool:
    """Whether no spelling of a command of this rule begins with the exception of another.

    An exception counts in every spelling of a command: without a path in front of the program and
    without options between subcommands. Words that are neither stay where they are.
    """
    if any("/" in head for head in rule.pattern[0]):
        return False
    for mine, theirs in zip(rule.pattern, unless, strict=False):
        if any(token.startswith("-") for token in mine):
            return False
        if {fold(t) for t in mine}.isdisjoint(map(fold, theirs)):
            return True
    return rule.exact and len(unless) > len(rule.pattern)
