"""Which rules make no difference: by their words alone, or with their conditions."""

from collections.abc import Iterator

from execpolicy.lint.subject import Context, Whole
from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import HostExecutable, PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.policy.policy import Policy
from execpolicy.prove.inclusion.acceptors import TooHardError
from execpolicy.prove.inclusion.overlap import Overlap, Setting, overlaps
from execpolicy.prove.inclusion.rule_table import groups_of
from execpolicy.prove.questions.idle import Tries, idle
from execpolicy.prove.side import Side
from execpolicy.store.effect_defaults import EffectDefaults

ALLOW, PROMPT = Decision.ALLOW, Decision.PROMPT


def idle_rules(context: Context) -> list[Overlap]:
    """All rules of the files that make no difference, and why."""
    rules = [rule for s in context.subjects for site in s.sites for rule in site.rules]
    below = [rule for rule in context.below if is_plain(rule)]
    found = overlaps([rule for rule in rules if is_plain(rule)], below, _setting(context))
    wanted = [rule for rule in rules if rule.conditions and not rule.confined]
    if context.whole is not None and wanted:
        found += _Search(context.whole).run(wanted)
    return found


def is_plain(rule: PrefixRule) -> bool:
    """Whether the words alone decide if a rule applies."""
    return rule.conditions is None and not rule.confined


def _setting(context: Context) -> Setting:
    """What else decides. Paths that a project lists count once it is trusted, so they do not."""
    subjects = context.subjects
    listed = [*context.hosts, *(s.rule for x in subjects if x.layer != "project" for s in x.sites)]
    paths = {rule.name: rule.paths for rule in listed if isinstance(rule, HostExecutable)}
    forbidding = any(
        stated.decision is Decision.FORBIDDEN
        and stated.effect in ("execute", "privilege", "unknown")
        and not stated.confined
        for subject in subjects
        for posture in subject.compiled.postures
        for stated in posture.decisions
    )
    return Setting(context.catalogue, paths, forbidding)


class _Search:
    """The rules with conditions, each beside the whole policy without those found before."""

    def __init__(self, whole: Whole) -> None:
        self.side = whole.side
        self.snapshot = whole.load()
        rules = [*self.snapshot.policy.rules]
        self.bare = self.snapshot.policy.without({*rules})
        self.groups: dict[str, dict[PrefixRule, None]] = {}
        for rule in rules:
            for name in groups_of(rule):
                self.groups.setdefault(name, {})[rule] = None
        # a project's file may not be trusted, or not tomorrow
        untrusted = {r for r in rules if r.origin.layer == "project" and r.decision is ALLOW}
        self.gone = {True: set[PrefixRule](), False: untrusted}
        self.left = {n: self.snapshot.policy.without(gone) for n, gone in self.gone.items()}

    def run(self, rules: list[PrefixRule]) -> Iterator[Overlap]:
        """Each that makes no difference; none where the policy is broken, so that all asks."""
        tries = Tries()
        for rule in reversed(rules) if not self.snapshot.floor else ():
            try:
                found = self._idle(rule, tries)
            except TooHardError:
                found = Overlap("undecided", rule)
            if found is not None:
                yield found
            if found is not None and found.kind != "undecided":
                for name, policy in self.left.items():
                    self.gone[name].add(rule)
                    self.left[name] = policy.without((rule,))

    def _idle(self, rule: PrefixRule, tries: Tries) -> Overlap | None:
        """The rule beside those about its program alone, and beside all of them where it counts
        most and as it is."""
        of_project = rule.origin.layer == "project"
        group = {r: None for name in groups_of(rule) for r in self.groups[name]}
        kept = [r for r in group if r not in self.gone[of_project] and r != rule]
        twins = [r for r in kept if _is_twin(r, rule)]
        # a shipped file under lint stands below itself, too
        shipped = [r for r in twins if r.origin.layer == "builtin"]
        beside = [r for r in kept if r not in shipped and r.origin != rule.origin]
        different = [r for r in kept if r not in twins]
        near = (PackedRules.of(each) for each in (different, [*different, rule]))
        within = self.left[of_project].without(shipped) if shipped else self.left[of_project]
        there, here = _favourable(rule), self.snapshot.defaults
        pair = within.without((rule,)), within
        policies = (tuple(self.bare.beside(each) for each in near), pair, pair)
        pairs = (
            (self._side(without, defaults), self._side(whole, defaults))
            for (without, whole), defaults in zip(policies, (there, there, here), strict=True)
        )
        alone = self._side(self.bare.beside(PackedRules.of([rule])), there)
        return idle(rule, tries, beside, alone, *pairs)

    def _side(self, policy: Policy, defaults: EffectDefaults) -> Side:
        return self.side(self.snapshot.replace(policy=policy, defaults=defaults))


def _is_twin(one: PrefixRule, other: PrefixRule) -> bool:
    """Whether two rules say the same."""
    return one.replace(origin=other.origin, justification=other.justification) == other


def _favourable(rule: PrefixRule) -> EffectDefaults:
    """The posture in which a rule counts most: all else is allowed, what it lifts asks."""
    lifted: tuple[str, ...] = ()
    if rule.decision is ALLOW and rule.conditions is not None:
        lifted = rule.conditions.effects or EFFECTS
    stated = [
        Stated(effect, PROMPT if effect in lifted else ALLOW, confined=confined)
        for effect in EFFECTS
        for confined in (False, True)
    ]
    return EffectDefaults((Posture(tuple(stated), rule.origin),))
