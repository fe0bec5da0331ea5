"""Laws of finding rules without effect, against the model over all commands of a small alphabet."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from execpolicy.decision import Decision
from execpolicy.lint.algebra import covered, region
from execpolicy.lint.overlap import overlaps
from execpolicy.rule import Origin, Pattern, PrefixRule
from tests import model

ORIGIN = Origin("user", "test.rules", 1)
HEADS = ("ab", "AB", "/x/ab", "9")
TOKENS = ("pq", "PQ", "-1", "\u00e9", "e\u0301")
# What stands for all other words: spellings that no rule names, and a word like no other.
ALPHABET = (*TOKENS, "Pq", "E\u0301", "zz")
COMMANDS = [
    (head, *tail)
    for head in (*HEADS, "Ab", "/x/Ab", "/X/AB", "z")
    for length in range(4)
    for tail in product(ALPHABET, repeat=length)
]

heads = st.lists(st.sampled_from(HEADS), min_size=1, max_size=2, unique=True).map(tuple)
alternatives = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3, unique=True).map(tuple)
tails = st.lists(alternatives, max_size=2).map(tuple)
some_tails = st.lists(alternatives, min_size=1, max_size=2).map(tuple)


@st.composite
def rules(draw: st.DrawFn) -> PrefixRule:
    pattern: Pattern = (draw(heads), *draw(tails))
    unless = draw(st.lists(some_tails, max_size=2))
    longer = tuple((*pattern, *tail)[: 3 if len(pattern) < 3 else 4] for tail in unless)
    narrower = tuple((pattern[0], *tail) for tail in unless if len(pattern) == 2)
    return PrefixRule(
        pattern,
        draw(st.sampled_from(tuple(Decision))),
        None,
        ORIGIN,
        canonical=draw(st.sampled_from((False, False, True))),
        unless=longer or narrower,
        exact=draw(st.sampled_from((False, False, True))),
    )


policies = st.lists(rules(), min_size=1, max_size=5)


def decisions(policy: list[PrefixRule]) -> list[Decision | None]:
    return [model.decide(policy, {}, argv) for argv in COMMANDS]


def without(policy: list[PrefixRule], found: list[PrefixRule]) -> list[PrefixRule]:
    gone = {id(rule) for rule in found}
    return [rule for rule in policy if id(rule) not in gone]


def useless(policy: list[PrefixRule]) -> list[PrefixRule]:
    return [found.rule for found in overlaps(policy)]


@settings(max_examples=25, deadline=None)
@given(policies)
def test_leaving_out_what_is_reported_changes_no_decision(policy: list[PrefixRule]) -> None:
    assert decisions(without(policy, useless(policy))) == decisions(policy)


@settings(max_examples=25, deadline=None)
@given(policies)
def test_nothing_that_can_be_left_out_is_left(policy: list[PrefixRule]) -> None:
    kept = without(policy, useless(policy))
    whole = decisions(kept)
    for rule in kept:
        if rule.decision is not Decision.ALLOW or not any(r.unless for r in kept):
            assert decisions(without(kept, [rule])) != whole, rule


@settings(max_examples=25, deadline=None)
@given(rules(), st.lists(rules(), max_size=4))
def test_inclusion_is_that_of_the_sets(rule: PrefixRule, others: list[PrefixRule]) -> None:
    tight = [other.replace(decision=Decision.ALLOW) for other in others]
    inside = all(
        any(model.matches(other, argv) for other in tight)
        for argv in COMMANDS
        if model.matches(rule, argv)
    )
    assert covered(region(rule), [region(other) for other in tight]) == inside


@settings(max_examples=25, deadline=None)
@given(policies, rules(), st.data())
def test_planted_rules_are_found(
    policy: list[PrefixRule], rule: PrefixRule, data: st.DataObject
) -> None:
    tail = data.draw(tails)
    narrow = rule.replace(pattern=(*rule.pattern, *tail), unless=(), exact=rule.exact and not tail)
    stricter = [d for d in Decision if d > rule.decision]
    wide = rule.replace(unless=(), exact=narrow.exact and rule.exact)
    wide = wide.replace(decision=data.draw(st.sampled_from(stricter))) if stricter else wide
    planted = [*policy, wide, narrow]
    found = {id(r) for r in useless(planted)}
    assert id(narrow) in found or id(wide) in found


def test_kinds() -> None:
    def rule(words: str, decision: str, **given: object) -> PrefixRule:
        pattern = tuple(tuple(word.split("|")) for word in words.split())
        found = PrefixRule(pattern, Decision.parse(decision), None, ORIGIN)
        return found.replace(**given)

    def kinds(*given: PrefixRule) -> list[str]:
        return [
            f"{o.kind} {' '.join('|'.join(t) for t in o.rule.pattern)}" for o in overlaps(given)
        ]

    ask = rule("git push", "prompt")
    assert kinds(ask, rule("git", "forbidden")) == ["dead git push"]
    assert kinds(ask, rule("git push", "forbidden")) == ["contradiction git push"]
    assert kinds(ask, ask.replace()) == ["redundant git push"]
    assert kinds(ask, rule("git push|pull", "prompt")) == ["redundant git push"]
    assert kinds(rule("git push|pull", "allow"), ask, rule("git pull", "prompt")) == [
        "dead git push|pull"
    ]
    assert kinds(ask.replace(unless=((("git",),),))) == ["never git push"]
    assert kinds(ask.replace(unless=((("git",), ("push",), ("-n",)),))) == []
    assert kinds(ask, rule("git push", "prompt", exact=True)) == ["redundant git push"]
    assert kinds(rule("/usr/bin/git push", "prompt"), ask) == ["redundant /usr/bin/git push"]
    assert kinds(rule("/usr/bin/git push", "allow"), rule("git push", "allow")) == []
