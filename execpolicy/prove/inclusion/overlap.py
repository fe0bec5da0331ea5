"""Rules that could be left out, because others decide all that they apply to.

A rule can be left out if no decision about any operation changes, whatever the posture says about
commands to which no rule applies. The decision is that of `tests/model.py`, and on top of it what
an allow rule must name (`open_tail`).
"""

from itertools import islice, product

from execpolicy.catalogue import Catalogue, read
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Pattern, PrefixRule, fold, folded_pattern
from execpolicy.policy.prefix_index import candidates, insert
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.algebra import covered, empty
from execpolicy.prove.inclusion.rule_table import Table
from execpolicy.prove.inclusion.starts import Start, known, starts
from execpolicy.prove.inclusion.walk import MAX_STEPS, Walk
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from execpolicy.policy.prefix_index import Trie

MAX_COPIES = 64
MAX_WITNESSES = 32
MAX_NAMED = 16
MAX_STEPS_TOGETHER = 500_000
"""Steps of all walks together. After them, each walk gets only a few."""
MIN_STEPS = 1_000


class Overlap(Value):
    """A rule without effect, why, and those that decide in its place.

    `kind` is `never` (its own exceptions take everything), `contradiction` (another rule says
    something stricter about the very same commands), `dead` (stricter rules decide all that it
    applies to), `redundant` (others say the same), `unmet` (no command meets its conditions) or
    `undecided` (whether the others do takes too long to find out).
    """

    kind: str
    rule: PrefixRule
    others: tuple[PrefixRule, ...] = ()


class Setting(Value):
    """What else a decision rests on: the catalogue, the paths listed for the names of programs, and
    whether the posture forbids what a program runs."""

    catalogue: Catalogue = Catalogue()
    paths: "Mapping[str, tuple[str, ...]]" = {}  # noqa: RUF012 — never changed
    forbidding: bool = False


def overlaps(
    rules: "Sequence[PrefixRule]",
    below: "Sequence[PrefixRule]" = (),
    setting: Setting | None = None,
) -> list[Overlap]:
    """Every one of `rules` that has no effect. Leaving all of them out changes no decision, and
    none of the others can be left out besides. Rules `below` count, but are not judged.

    A rule of which the exceptions take everything still asks about words that the shell computes.
    """
    return _Search((*below, *rules), len(below), setting or Setting()).run()


class _Search:
    def __init__(self, rules: "Sequence[PrefixRule]", first: int, setting: Setting) -> None:
        self.rules = rules
        self.first = first
        self.setting = setting
        self.gone: set[int] = set()
        self.hard: set[int] = set()
        self.steps = 0
        self.table = Table(rules, (), (setting.paths, setting.paths))
        self.starts: dict[int, tuple[Start, ...]] = {}
        self.root: Trie = {}
        self.heads: dict[str, dict[str | None, list[int]]] = {}
        self.tokens: list[tuple[frozenset[str], ...]] = []
        copies: dict[object, int] = {}
        for number, rule in enumerate(rules):
            pattern = folded_pattern(rule.pattern)
            self.tokens.append(tuple(map(frozenset, pattern)))
            same = (pattern, rule.decision, rule.unless, rule.exact, rule.origin.layer)
            copies[same] = copies.get(same, 0) + 1
            if copies[same] > MAX_COPIES:  # it adds nothing to the others
                continue
            insert(self.root, pattern, number)
            second = pattern[1] if len(pattern) > 1 else (None,)
            for head in dict.fromkeys(pattern[0]):
                for token in dict.fromkeys(second):
                    self.heads.setdefault(head, {}).setdefault(token, []).append(number)

    def run(self) -> list[Overlap]:
        found: dict[int, Overlap] = {}
        judged = range(self.first, len(self.rules))
        for number in judged:
            rule = self.rules[number]
            if rule.unless and self._holds(number, lambda rule=rule: empty(rule)):  # type: ignore[misc]
                self._leave_out(found, number, Overlap("never", rule))
        for number in judged:
            if self.rules[number].decision is not Decision.FORBIDDEN:
                self._try(found, number, stricter=True, together=True)
        for together in (False, True):
            for number in reversed(judged):
                self._try(found, number, stricter=False, together=together)
        for number in self.hard - self.gone:
            found[number] = Overlap("undecided", self.rules[number])
        return [found[number] for number in sorted(found)]

    def _leave_out(self, found: dict[int, Overlap], number: int, overlap: Overlap) -> None:
        found[number] = overlap
        self.gone.add(number)

    def _try(
        self, found: dict[int, Overlap], number: int, *, stricter: bool, together: bool
    ) -> None:
        """Leave the rule out if others that fit decide all that it applies to."""
        if number in self.gone:
            return
        likely = [n for n in self._at_witness(number) if self._fits(number, n, stricter)]
        if not likely:
            return
        wider = (n for n in likely if self._wider(n, number))
        others: Iterable[int] = next(((n,) for n in wider if self._decide(number, (n,))), ())
        if not others and together and number not in self.hard:
            near = [n for n in self._near(number) if self._fits(number, n, stricter)]
            others = self._needed(number, near)
        if others:
            self._leave_out(found, number, self._named(number, tuple(others)))

    def _named(self, number: int, others: tuple[int, ...]) -> Overlap:
        rule, rules = self.rules[number], tuple(self.rules[n] for n in others)
        if all(r.decision == rule.decision for r in rules):
            return Overlap("redundant", rule, rules)
        same = len(rules) == 1 and self._holds(
            number, lambda: covered(rules[0], (rule,), bool(rule.decision))
        )
        tighter = all(r.decision > rule.decision for r in rules)
        return Overlap("contradiction" if same else "dead" if tighter else "redundant", rule, rules)

    def _fits(self, number: int, other: int, stricter: bool) -> bool:
        """Whether another rule may count in place of this one."""
        if other == number or other in self.gone:
            return False
        rule, wider = self.rules[number], self.rules[other]
        if wider.decision is not Decision.ALLOW:
            if rule.decision is Decision.ALLOW and self.setting.forbidding:
                return wider.decision is Decision.FORBIDDEN
            return wider.decision > rule.decision or (
                wider.decision == rule.decision and not stricter
            )
        if rule.decision is not Decision.ALLOW or stricter:
            return False
        if rule.below and not wider.below:
            return False
        # A project's file may not be trusted, or not tomorrow.
        return wider.origin.layer != "project" or rule.origin.layer == "project"

    def _wider(self, other: int, number: int) -> bool:
        """Whether the other names all tokens of the rule, without which it cannot cover it alone.
        The options of a known program may be left out, and its path."""
        mine, theirs = self.tokens[number], self.tokens[other]
        pairs = zip(mine[1:], theirs[1:], strict=False)
        return _has_options(self.rules[number]) or all(a <= b for a, b in pairs)

    def _decide(self, number: int, others: "Sequence[int]") -> tuple[int, ...] | None:
        """Those of the others that decide all that the rule applies to; None if they do not."""
        used: set[int] = set()
        if not self._holds(number, lambda: self._walks(number, others, used)):
            return None
        return tuple(n for n in others if n in used)

    def _holds(self, number: int, question: "Callable[[], bool]") -> bool:
        try:
            return question()
        except TooHardError:
            self.hard.add(number)
            return False

    def _walks(self, number: int, others: "Sequence[int]", used: set[int]) -> bool:
        rule, known = self.rules[number], self.table.numbers
        every = self._starts(number)
        unknown = every is None or any(start.canonical is None for start in every)
        numbers = [n for n in others if not unknown or self._plain(rule, self.rules[n])]
        most = MIN_STEPS if self.steps > MAX_STEPS_TOGETHER else MAX_STEPS
        walk = Walk(self.table, known[number], [known[n] for n in numbers], most=most)
        if every is None:
            walk.need = len(rule.pattern)
        differing = [s for s in every or () if s.need or s.canonical not in (None, s.words)]
        try:
            held = all(map(walk.holds_from, every or ())) if differing else walk.holds()
        finally:
            self.steps += walk.steps.taken
        used.update({known[n]: n for n in reversed(numbers) if known[n] in walk.used}.values())
        return held

    def _starts(self, number: int) -> tuple[Start, ...] | None:
        """What the catalogue says about the commands of a rule: nothing if it does not know the
        program, None if nothing is certain because the rule is caseless."""
        rule, catalogue = self.rules[number], self.setting.catalogue
        if (rule.decision and not _has_options(rule)) or not known(rule, catalogue):
            return ()
        if rule.canonical:
            return () if rule.decision else None
        if number not in self.starts:
            self.starts[number] = tuple(starts(rule, catalogue))
        return self.starts[number]

    def _plain(self, rule: PrefixRule, wider: PrefixRule) -> bool:
        """Whether the exceptions of an allow rule say nothing of spellings that are not known."""
        if wider.decision or not wider.unless:
            return True
        return all(u in rule.unless or _never_seen(rule, u) for u in wider.unless)

    def _needed(self, number: int, near: list[int]) -> tuple[int, ...]:
        """Those of the others that are needed, as few as are found; none if they do not suffice."""
        others = self._decide(number, near)
        if others is None:
            return ()
        for other in others if len(others) <= MAX_NAMED else ():
            rest = tuple(n for n in others if n != other)
            if rest and self._decide(number, rest) is not None:
                others = rest
        return others

    def _at_witness(self, number: int) -> list[int]:
        """The rules that may hold one certain command of this rule: no other can cover it alone,
        and if none of them fits, nothing covers it."""
        rule = self.rules[number]
        witness = next((a for a in _products(rule.pattern) if not rule.excepts(a)), None)
        if witness is None:
            return list(self._near(number))
        rest = () if rule.exact else ("\0",)
        bare = (witness[0].rpartition("/")[2], *witness[1:])
        seen = dict.fromkeys([witness, bare])
        if len(bare) > 2 and any(word.startswith("-") for word in bare):
            canonical = read(bare, self.setting.catalogue).canonical
            seen[tuple(word for word in canonical if isinstance(word, str))] = None
        found = (n for s in seen for n in candidates(self.root, (*map(fold, s), *rest)))
        return sorted(dict.fromkeys(found))

    def _near(self, number: int) -> "Iterator[int]":
        """The rules that share a command with this one."""
        rule = self.rules[number]
        pattern = self.tokens[number]
        heads = dict.fromkeys(map(fold, rule.pattern[0]))
        heads |= dict.fromkeys(h.rpartition("/")[2] for h in heads)
        for name in tuple(heads) if not rule.decision else ():
            heads |= dict.fromkeys(map(fold, self.setting.paths.get(name, ())))
        seen: dict[int, None] = {}
        options = _has_options(rule)
        for head in heads:
            filed = self.heads.get(head, {})
            seconds = filed.keys() if options or len(pattern) < 2 else (None, *pattern[1])
            seen |= {n: None for second in seconds for n in filed.get(second, ())}
        for other in sorted(seen):
            shared = zip(pattern[1:], self.tokens[other][1:], strict=False)
            if options or not any(mine.isdisjoint(tokens) for mine, tokens in shared):
                yield other


def _has_options(rule: PrefixRule) -> bool:
    return any(t.startswith("-") for tokens in rule.pattern[1:] for t in tokens)


def _products(pattern: Pattern) -> "Iterator[tuple[str, ...]]":
    """Some of the token sequences of a pattern."""
    return islice(product(*pattern), MAX_WITNESSES)


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
