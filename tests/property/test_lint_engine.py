"""Properties of finding rules without effect, against the engine itself and a catalogue.

A rule can be left out if no verdict changes, whatever the posture says: commands are judged where
it allows everything, and where it asks about everything.
"""

from functools import cache
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.engine.decide import decide
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Posture, Stated
from execpolicy.model.operation import Dynamic, Exec, Request, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import Origin, Pattern, PrefixRule
from execpolicy.policy.policy import Policy
from execpolicy.prove.inclusion.overlap import Setting, overlaps
from execpolicy.store.effect_defaults import EffectDefaults
from execpolicy.store.snapshot import EnvironmentTable, Snapshot
from tests.examples import examples
from tests.lint.policies import without

ORIGIN = Origin("user", "test.rules", 1)
PROGRAMS = """
program("tool", options = "-C=dir -q --run=program", operands = "text*", effect = "read")
program("deep", options = "-C=dir -q")
program("deep go", options = "-q --run=program", operands = "text*", effect = "read")
program("wrap", operands = "command", effect = "read")
"""
CATALOGUE = Catalogue(compile_programs(compile_text(PROGRAMS).programs)[0])
WORDS = ("go", "-C", "-q", "--run")
OTHERS: tuple[Word, ...] = ("zz", "tool", Dynamic("$x", single=True), Dynamic("$@"))
POSTURES = [
    EffectDefaults([Posture(tuple(Stated(effect, decision) for effect in EFFECTS), ORIGIN)])
    for decision in (Decision.ALLOW, Decision.PROMPT)
]

alternatives = st.lists(st.sampled_from(WORDS), min_size=1, max_size=2, unique=True).map(tuple)


@cache
def commands(*heads: str) -> list[tuple[Word, ...]]:
    """All commands of up to four words that begin with one of the heads."""
    words = (*WORDS, *OTHERS)
    tails = [tail for length in range(4) for tail in product(words, repeat=length)]
    return [(head, *tail) for head in heads for tail in tails]


@st.composite
def rules(draw: st.DrawFn, *heads: str) -> PrefixRule:
    head = (draw(st.sampled_from(heads)),)
    pattern: Pattern = (head, *draw(st.lists(alternatives, max_size=2)))
    tails = draw(st.lists(st.lists(alternatives, min_size=1, max_size=2).map(tuple), max_size=1))
    decision = draw(st.sampled_from((Decision.ALLOW, Decision.ALLOW, *Decision)))
    exact = draw(st.sampled_from((False, False, True)))
    unless = tuple((*pattern, *tail)[:4] for tail in tails)
    return PrefixRule(pattern, decision, None, ORIGIN, unless=unless, exact=exact)


def verdicts(policy: list[PrefixRule], heads: tuple[str, ...]) -> list[Decision]:
    """The strictest of what is said about each command, under each posture."""
    found = []
    for defaults in POSTURES:
        # With a floor no amendment is sought, and what the rules say is in the matches.
        snapshot = Snapshot(Policy(policy), CATALOGUE, defaults, EnvironmentTable(), floor="a test")
        for argv in commands(*heads):
            judged = decide(Request(operations=(Exec(argv),)), snapshot).judged
            found.append(max(one.decision for one in judged))
    return found


def reported(policy: list[PrefixRule]) -> list[PrefixRule]:
    found = overlaps(policy, (), Setting(CATALOGUE))
    assert "undecided" not in {overlap.kind for overlap in found}
    return [overlap.rule for overlap in found if overlap.kind != "never"]


@examples(12)
@given(st.lists(rules("tool", "deep", "wrap"), min_size=2, max_size=4))
def test_leaving_out_what_is_reported_changes_no_verdict(policy: list[PrefixRule]) -> None:
    gone = reported(policy)
    heads = tuple(sorted({rule.pattern[0][0] for rule in gone}))
    assert verdicts(without(policy, gone), heads) == verdicts(policy, heads)


def opens(rule: PrefixRule) -> bool:
    """Whether an exception names what an open tail does not cover anyway: lint does not tell."""
    return any("--run" in tokens for unless in rule.unless for tokens in unless)


@examples(12)
@given(st.lists(rules("tool").filter(lambda rule: not opens(rule)), min_size=2, max_size=4))
def test_nothing_that_can_be_left_out_is_left(policy: list[PrefixRule]) -> None:
    kept = without(policy, [overlap.rule for overlap in overlaps(policy, (), Setting(CATALOGUE))])
    whole = verdicts(kept, ("tool",))
    for rule in kept:
        assert verdicts(without(kept, [rule]), ("tool",)) != whole, rule
