"""That rules which were learned let nothing pass that is never learned, over all commands.

The policy with the rules is compared with the same in which each pattern of them asks for what
destroys, needs other rights or changes the system (`prove/compare.py`).
"""

from collections.abc import Callable, Sequence

from execpolicy.engine.offers.offers import ORIGIN
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Conditions, PrefixRule
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.prove.compare import compare
from execpolicy.prove.side import Side, decisions
from execpolicy.replay.judge import FIELDS
from execpolicy.replay.learn.rules import LearnedRule, with_rules
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

NEVER = ("privilege", "destroy", "system")


class LearnedProof(Value):
    """What is let through that should ask, and which patterns could not be told."""

    loosened: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def without(self, rules: Sequence[LearnedRule]) -> tuple[LearnedRule, ...] | None:
        """The rules without the words that it is not proved of; None where something is left that
        none of them is about. A rule less lets nothing more pass, so that these are proved."""
        left = [set(each.replace("`", " ").split()) for each in (*self.loosened, *self.unknown)]
        kept = []
        for rule in rules:
            spoiled = {w for w in rule.words if any(_is_about(rule, w, text) for text in left)}
            words = tuple(word for word in rule.words if word not in spoiled)
            if words or rule.family.tree:
                kept.append(rule.without(spoiled))
        dropped = [
            text for text in left if any(_is_about(r, w, text) for r in rules for w in r.words)
        ]
        return tuple(kept) if len(dropped) == len(left) else None


def _is_about(rule: LearnedRule, word: str, text: set[str]) -> bool:
    """Whether a command that was shown begins with the words of a rule, whatever is between."""
    head = rule.family.head if rule.family.size > 1 else ()
    first, *others = (*head, word)
    by_path = any(shown.rpartition("/")[2] == first for shown in text)
    return (first in text or by_path) and text.issuperset(others)


def prove(
    snapshot: Snapshot,
    rules: Sequence[LearnedRule],
    side: Callable[[Snapshot], Side],
    field: str,
) -> LearnedProof:
    """The proof for rules beside a policy. What the policy itself allows is not part of it."""
    new = with_rules(snapshot, rules)
    wanted = Conditions(NEVER)
    tight = [
        PrefixRule(rule.pattern, Decision.PROMPT, None, ORIGIN, conditions=wanted)
        for rule in rules
        if not rule.family.tree and not rule.family.exact  # which is one command and its effects
    ]
    if not tight:
        return LearnedProof()
    old = new.replace(policy=new.policy.beside(PackedRules.of(tight)))
    found = compare(side(old), side(new), (field,))
    before = side(snapshot)
    loosened = [
        witness.shown
        for witness in found.witnesses
        if decisions(before.judge(witness.request))[FIELDS.index(field)]
    ]
    return LearnedProof(tuple(loosened), tuple(found.unknown))
