"""A rule that was learned: what it says, for whom, and the snapshot with it."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from execpolicy.catalogue.banned import banned
from execpolicy.catalogue.conditions.granted import REACHING
from execpolicy.engine.offers.offers import ORIGIN
from execpolicy.engine.offers.own_tool import beside
from execpolicy.model.decision import Decision
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import IN_PLACE, REPOSITORIES, Conditions, PathRule, PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.replay.learn.candidates import Candidate, Family
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value


class LearnedRule(Value):
    """One rule. `words` are the last words of the commands that it names, `entries` the paths of
    the user's own tools that it rests on. `confined`: it holds in the sandbox alone. `examples` are
    commands that were seen, one for each of the words; `seen` the effects that asked, of each."""

    family: Family
    words: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    entries: tuple[str, ...] = ()
    confined: bool = False
    examples: tuple[tuple[str, ...], ...] = ()
    seen: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def of(family: Family, of: Sequence[Candidate], confined: bool) -> "LearnedRule":
        """The rule for all of these, which are of one family."""
        each = [(set(c.effects), set(c.places), set(c.hosts)) for c in of]
        effects, places, hosts = (set().union(*sets) for sets in zip(*each, strict=True))
        if places:
            places |= IN_PLACE if REPOSITORIES not in places else IN_PLACE | {REPOSITORIES}
        ordered = tuple(effect for effect in EFFECTS if effect in effects)
        conditions = Conditions(ordered, (), tuple(sorted(places)), tuple(sorted(hosts)))
        words = tuple(sorted({c.words[-1] for c in of if c.words}))
        entries = tuple(sorted({path for c in of for path in c.entries}))
        rule = LearnedRule(family, words, conditions, entries, confined)
        seen = {(c.words[-1], effect) for c in of if c.words for effect in c.effects}
        return rule.replace(examples=tuple(_shortest(of)), seen=tuple(sorted(seen)))

    @property
    def pattern(self) -> tuple[tuple[str, ...], ...]:
        """One entry a position, each with its alternatives."""
        family = self.family
        if family.size == 1:
            return (self.words,)
        return (*((word,) for word in family.head), self.words)

    def without(self, words: Collection[str]) -> "LearnedRule":
        """The rule with fewer words."""
        kept = tuple(word for word in self.words if word not in words)
        at = self.family.size - 1
        examples = tuple(each for each in self.examples if not each[at:] or each[at] not in words)
        return self.replace(words=kept, examples=examples)

    def parts(self) -> tuple["LearnedRule", ...]:
        """The rule as several, of which each lifts only what was seen of all its words."""
        groups: dict[tuple[str, ...], list[str]] = {}
        for word in self.words:
            effects = tuple(e for e in self.conditions.effects if (word, e) in self.seen)
            groups.setdefault(effects, []).append(word)
        if not groups:
            return (self,)
        return tuple(
            self.without(set(self.words).difference(words)).replace(
                conditions=_narrowed(self.conditions, effects)
            )
            for effects, words in groups.items()
        )

    def is_banned(self, snapshot: Snapshot) -> bool:
        """Whether some of its commands leave open what would run."""
        if self.family.tree or self.family.exact:
            return False
        catalogue = beside(snapshot.catalogue, self.entries)
        head = self.family.head if self.family.size > 1 else ()
        return any(banned((*head, word), catalogue) is not None for word in self.words)

    def may_concern(self, text: str) -> bool:
        """Whether a command of this text may be one that the rule, or an entry of it, is about."""
        family = self.family
        program = (family.head or self.words or ("",))[0]
        return bool(family.tree) or program in text or "\\" in text or "$" in text

    def made(self) -> PrefixRule | PathRule:
        """The rule as it is compiled."""
        if self.family.tree:
            return PathRule((self.family.tree,), ("read",), Decision.ALLOW, None, ORIGIN)
        return PrefixRule(
            self.pattern,
            Decision.ALLOW,
            None,
            ORIGIN,
            exact=self.family.exact,
            below=True,
            conditions=self.conditions,
            confined=self.confined,
        )


def _narrowed(conditions: Conditions, effects: tuple[str, ...]) -> Conditions:
    """The conditions for fewer effects, without those that say nothing of them."""
    reaching = REACHING.intersection(effects)
    places = conditions.places if reaching != set(effects) else ()
    return Conditions(effects, (), places, conditions.hosts if reaching else ())


def _shortest(of: Iterable[Candidate]) -> Iterator[tuple[str, ...]]:
    """For each word that a rule names the shortest command that was seen."""
    found: dict[str, tuple[str, ...]] = {}
    for candidate in sorted(of, key=lambda c: (sum(map(len, c.example)), c.example)):
        if candidate.example and candidate.words:
            found.setdefault(candidate.words[-1], candidate.example)
    yield from (found[word] for word in sorted(found))


def with_rules(snapshot: Snapshot, rules: Iterable[LearnedRule]) -> Snapshot:
    """The snapshot as it would be with these rules, and the entries that they rest on."""
    every = tuple(rules)
    made = [rule.made() for rule in every]
    commands = [rule for rule in made if isinstance(rule, PrefixRule)]
    paths = [rule for rule in made if isinstance(rule, PathRule)]
    policy = snapshot.policy.beside(PackedRules.of(commands), paths, [])
    entries = tuple(dict.fromkeys(path for rule in every for path in rule.entries))
    catalogue = beside(snapshot.catalogue, entries)
    return snapshot.replace(policy=policy, catalogue=catalogue)
