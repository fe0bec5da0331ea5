"""The prefix rules of two policies in one table, where equal ones stand once.

Each distinct prefix of them is an acceptor.
"""

from collections.abc import Hashable, Iterable, Mapping

from execpolicy.model.operation import MCP, server_of
from execpolicy.model.rule import PrefixRule, fold
from execpolicy.prove.inclusion.acceptors import Acceptor, token_sets

Listed = Mapping[str, tuple[str, ...]]

OLD, NEW = 1, 2
"""The two policies, as bits."""


class Table:
    """The rules of both policies; `sides` has the bits of those that hold each.

    `listed` are the paths that each policy lists for the name of a program, the old one's first.
    `uses` has for each rule the acceptor of its pattern and those of its exceptions. `differs` are
    the rules and the acceptors of rules that only one side holds. `words` are all that any names
    after the program. `numbers` are those of the rules in the order in which they were given.
    """

    def __init__(
        self,
        old: Iterable[PrefixRule],
        new: Iterable[PrefixRule],
        listed: tuple[Listed, Listed] = ({}, {}),
    ) -> None:
        self.rules: list[PrefixRule] = []
        self.sides: list[int] = []
        self.origins: dict[tuple[int, int], PrefixRule] = {}
        self.acceptors: list[Acceptor] = []
        self.uses: list[tuple[int, tuple[int, ...]]] = []
        self.listed = listed
        self._known_rules: dict[Hashable, int] = {}
        self._known: dict[Hashable, int] = {}
        self.numbers = [*(self._add(r, OLD) for r in old), *(self._add(r, NEW) for r in new)]
        self.differing = {n for n, sides in enumerate(self.sides) if sides != OLD | NEW}
        self.touched = {a for n in self.differing for a in (self.uses[n][0], *self.uses[n][1])}
        self.words = frozenset(t for each in self.acceptors for s in each.tokens[1:] for t in s)
        self.groups: dict[str, list[int]] = {}
        for number, acceptor in enumerate(self.acceptors):
            for name in dict.fromkeys(map(group_of, acceptor.tokens[0])):
                self.groups.setdefault(name, []).append(number)

    def _add(self, rule: PrefixRule, side: int) -> int:
        pattern = token_sets(rule.pattern, rule.canonical)
        unless = tuple(dict.fromkeys(token_sets(each, rule.canonical) for each in rule.unless))
        flags = rule.exact, rule.below, rule.confined, rule.canonical
        key = pattern, rule.decision, unless, rule.conditions, flags
        number = self._known_rules.get(key)
        if number is None:
            number = self._known_rules[key] = len(self.rules)
            self.rules.append(rule)
            self.sides.append(0)
            main = self._acceptor(pattern, rule.canonical)
            self.acceptors[main].exact |= rule.exact
            self.acceptors[main].rules.append(number)
            others = tuple(self._acceptor(each, rule.canonical) for each in unless)
            self.uses.append((main, others))
        self.sides[number] |= side
        self.origins.setdefault((number, side), rule)
        return number

    def _acceptor(self, tokens: tuple[frozenset[str], ...], caseless: bool) -> int:
        key = tokens, caseless
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = len(self.acceptors)
            self.acceptors.append(Acceptor(tokens, caseless))
        return number

    def changed(self) -> set[str]:
        """The groups of programs about which the two sides may have different rules."""
        found = {name for name, each in self.groups.items() if not self.touched.isdisjoint(each)}
        before, after = self.listed
        for name in {*before, *after}:
            if set(before.get(name, ())) != set(after.get(name, ())):
                found.add(group_of(name))
        return found & self.groups.keys()


def group_of(token: str) -> str:
    """What a program is filed under: its bare name without case; of a tool, its server."""
    folded = fold(token)
    if folded.startswith(MCP):
        return server_of(folded)
    return folded.rpartition("/")[2]


def groups_of(rule: PrefixRule) -> tuple[str, ...]:
    """What a rule is filed under."""
    return tuple(dict.fromkeys(map(group_of, rule.pattern[0])))
