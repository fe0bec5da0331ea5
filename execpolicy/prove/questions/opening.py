"""What rules that are new let through: all that they are about is tried, and nothing else."""

from collections.abc import Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import NetworkRule, PathRule, PrefixRule
from execpolicy.model.verdict import Match, Verdict
from execpolicy.prove.catalogues import changes
from execpolicy.prove.commands import CommandSearch, requested
from execpolicy.prove.guards import Surroundings
from execpolicy.prove.hosts import loosened_hosts
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.rule_table import NEW
from execpolicy.prove.paths import loosened_paths
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.samples import MADE_UP, global_options
from execpolicy.prove.side import FIELDS, PLACES, ROOT, Side, decisions, directory_of
from execpolicy.prove.witness import Witness
from execpolicy.support.record import Value

MAX_TRIED = 1_500
"""Commands of one opening, each of about a third of a millisecond."""


class Opened(Value):
    """What one new rule about words lets through, and what of its words asks as it did.

    `effects` are those that asked before and pass; `passes`: something does, `confined`: in the
    sandbox alone. `kept` is why others still ask, once for each sort, the worst first.
    """

    rule: PrefixRule
    passes: bool
    confined: bool
    effects: tuple[str, ...]
    kept: tuple[str, ...]


class Opening(Value):
    """What all of the new rules let through. `subjects` are the rules about paths and hosts that
    let something through, `others` what passes beside all of them. `is_whole`: nothing else does.
    """

    opened: tuple[Opened, ...]
    subjects: tuple[PathRule | NetworkRule, ...]
    others: tuple[Witness, ...]
    is_whole: bool


def opening(old: Side, new: Side) -> Opening:
    """What `new` lets through, which has all rules of `old` and some more."""
    unknown: dict[str, None] = {}
    both = old, new
    found = _Opening(both)
    opened = tuple(found.opened())
    loose = [*loosened_hosts(both, FIELDS, unknown), *loosened_paths(both, FIELDS, unknown)]
    known = {*old.policy.network, *old.policy.paths.rules}
    every: list[PathRule | NetworkRule] = [*new.policy.paths.rules, *new.policy.network]
    by = {witness.new.origin for witness in loose}
    subjects = tuple(r for r in dict.fromkeys(every) if r not in known and r.origin in by)
    origins = {rule.origin for rule in (*subjects, *(each.rule for each in opened))}
    others = [w for w in loose if w.new.origin not in origins]
    others += found.search.programs([*changes(old.catalogue, new.catalogue)])
    others = [w for w in others if w.new.origin not in origins]
    is_whole = found.is_whole and not (unknown or found.search.unknown)
    return Opening(opened, subjects, tuple(others), is_whole)


class _Tried:
    """What was tried of the words of one rule: what asked before, outside and in the sandbox, and
    what asks now."""

    def __init__(self, rule: PrefixRule) -> None:
        self.rule = rule
        self.lifted: list[set[str] | None] = [None, None]
        self.kept: dict[object, tuple[int, str]] = {}
        wanted = rule.conditions.places if rule.conditions else ()
        elsewhere = wanted and "project" not in wanted
        moved = (directory_of(each) for each in PLACES if elsewhere and each[0] in wanted)
        self.directories = (ROOT, *moved)

    def lift(self, field: int, before: Verdict) -> None:
        """Note what asked about a command that passes now."""
        effects = (effect for match in _asking(before) for effect in match.effects)
        self.lifted[field] = (self.lifted[field] or set()).union(effects)

    def keep(self, after: Verdict) -> None:
        """Note why a command asks now, if it does."""
        asking = _asking(after, self.rule.confined)
        worst = min(asking, key=lambda match: match.severity, default=None)
        if worst is not None:
            more = f" (and {len(asking) - 1} more)" if len(asking) > 1 else ""
            sort = worst.source, worst.effects, worst.origin
            self.kept.setdefault(sort, (worst.severity, worst.sentence + more))

    def result(self) -> Opened:
        """All of it."""
        plain, confined = self.lifted
        lifted = confined if plain is None else plain
        effects = tuple(effect for effect in EFFECTS if effect in (lifted or ()))
        kept = tuple(text for _, text in sorted(self.kept.values(), key=lambda each: each[0]))
        return Opened(self.rule, lifted is not None, plain is None, effects, kept)


class _Opening:
    def __init__(self, both: tuple[Side, Side]) -> None:
        self.both = both
        self.search = CommandSearch(both, Surroundings(False, True, True, True), FIELDS)
        table = self.search.table
        new = (n for n in sorted(table.differing) if table.sides[n] == NEW)
        self.tried = {number: _Tried(table.rules[number]) for number in new}
        self.is_whole = True

    def opened(self) -> Iterator[Opened]:
        """What each rule lets through."""
        try:
            for count, (tried, words) in enumerate(self._commands()):
                for cwd in tried.directories:
                    self._try(tried, words, cwd)
                if count >= MAX_TRIED:
                    self.is_whole = False
                    break
        except TooHardError:
            self.is_whole = False
        yield from (tried.result() for tried in self.tried.values())

    def _commands(self) -> Iterator[tuple[_Tried, tuple[Word, ...]]]:
        """Each sort of command that a new rule is about, with the rule."""
        for name in sorted(self.search.table.changed()):
            walk = PolicyWalk(self.search.table, name, steps=self.search.steps)
            options = global_options(name, self.both[0].catalogue)
            for found in walk.classes(self.search.canonical, options, self.search.meaning):
                numbers = self.tried.keys() & found.matched.new
                for words in self.search.commands(found) if numbers else ():
                    yield from ((self.tried[number], words) for number in numbers)

    def _try(self, tried: _Tried, words: tuple[Word, ...], cwd: str) -> None:
        request, _ = requested(words, cwd)
        after = self.both[1].judge(request)
        if Decision.ALLOW in decisions(after):
            before = self.both[0].judge(request)
            pairs = zip(decisions(before), decisions(after), strict=True)
            for field in (n for n, (old, new) in enumerate(pairs) if new < old):
                tried.lift(field, before)
        if not any(isinstance(word, Dynamic) or word in MADE_UP for word in words):
            tried.keep(after)


def _asking(verdict: Verdict, confined: bool = False) -> list[Match]:
    found = ((m.in_sandbox if confined else m.decision, m) for m in verdict.matches)
    decision = verdict.confined if confined else verdict.decision
    return [match for said, match in found if said is decision is not Decision.ALLOW]
