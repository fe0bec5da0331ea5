"""Prefix rules with their index, as plain data that can be written to a file and read back fast.

A rule becomes an object only when it is asked about: most processes ask about one program and end.
"""

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Word
from execpolicy.model.rule import Conditions, Origin, PrefixRule, folded, folded_pattern
from execpolicy.policy.prefix_index import candidates, insert, possible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Protocol

    from execpolicy.model.rule import Packed, PackedConditions, Pattern
    from execpolicy.policy.prefix_index import Edges, Trie

    Unless = tuple[Pattern, ...]
    Row = tuple[
        Pattern, int, str | None, Packed, bool, Unless, bool, bool, PackedConditions | None, bool
    ]

    class Rows(Protocol):
        """Rows by number; they may be read from a file."""

        def __len__(self) -> int: ...

        def __getitem__(self, number: int, /) -> Row: ...

        def __iter__(self) -> Iterator[Row]: ...

    Data = tuple[Rows, Edges, Edges]


class PackedRules:
    """Rules in the order written. Never changed once made; safe to share between threads."""

    def __init__(self, data: "Data") -> None:
        self._rows, self._exact, self._folded = data
        self._made: dict[int, PrefixRule] = {}

    @classmethod
    def of(cls, rules: "Sequence[PrefixRule]") -> "PackedRules":
        """These rules, packed."""
        exact: Trie = {}
        caseless: Trie = {}
        for number, rule in enumerate(rules):
            if rule.canonical:
                insert(caseless, folded_pattern(rule.pattern), number)
            else:
                insert(exact, rule.pattern, number)
        packed = cls(([_row(rule) for rule in rules], exact, caseless))
        packed._made.update(enumerate(rules))
        return packed

    @property
    def data(self) -> "Data":
        """All of it as plain data, to be given to the constructor again."""
        return self._rows, self._exact, self._folded

    def __len__(self) -> int:
        return len(self._rows)

    def rule(self, number: int) -> PrefixRule:
        """The rule with this number, counted from 0."""
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = _rule(self._rows[number])
        return made

    def without(self, left_out: "Collection[PrefixRule]") -> "PackedRules":
        """The same with fewer rules."""
        rules = [*map(self.rule, range(len(self)))]
        kept = [rule for rule in rules if rule not in left_out]
        return self if len(kept) == len(rules) else PackedRules.of(kept)

    def begins_none(self, program: Word) -> bool:
        """Whether no rule begins with this very word. Nothing is known while some are caseless."""
        return not self._folded and program not in self._exact

    def matching(self, argv: "Sequence[Word]") -> list[PrefixRule]:
        """Every rule that applies to exactly these words, in the order Codex prints them.

        Rules filed under the very first word come first, then caseless ones under other spellings.
        """
        numbers = candidates(self._exact, argv)
        if self._folded:
            numbers = self._with_folded(numbers, argv)
        return [r for r in map(self.rule, numbers) if r.matches(argv)]

    def _with_folded(self, numbers: list[int], argv: "Sequence[Word]") -> list[int]:
        caseless = candidates(self._folded, folded(argv))
        same = {n for n in caseless if argv[0] in self.rule(n).pattern[0]}
        return sorted({*numbers, *same}) + [n for n in caseless if n not in same]

    def could_tighten(self, argv: "Sequence[Word]") -> "Iterator[PrefixRule]":
        """PROMPT and FORBIDDEN rules that would match if dynamic words took some value."""
        numbers = {*possible(self._exact, argv)}
        if self._folded:
            numbers.update(possible(self._folded, folded(argv)))
        for rule in map(self.rule, sorted(numbers)):
            if rule.decision and rule.could_match(argv):
                yield rule


def _row(rule: PrefixRule) -> "Row":
    return (
        rule.pattern,
        int(rule.decision),
        rule.justification,
        rule.origin.packed(),
        rule.canonical,
        rule.unless,
        rule.exact,
        rule.below,
        rule.conditions.packed() if rule.conditions else None,
        rule.confined,
    )


def _rule(row: "Row") -> PrefixRule:
    pattern, decision, justification, origin, canonical, unless, exact, below, only, confined = row
    return PrefixRule(
        pattern,
        Decision(decision),
        justification,
        Origin.unpacked(origin),
        canonical,
        unless,
        exact,
        below,
        Conditions(*only) if only else None,
        confined,
    )
