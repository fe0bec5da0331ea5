"""The engine agrees with the model about rules with conditions, for a program of every effect."""

from hypothesis import given
from hypothesis import strategies as st

from execpolicy.engine.decide import decide
from execpolicy.language.compile import compile_text
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.rule import Conditions, Origin, PrefixRule
from execpolicy.policy.policy import Policy
from execpolicy.store.compiled.compiler import compile_part
from execpolicy.store.compiled.parts import assemble
from execpolicy.store.sources.files import RulesFile
from execpolicy.support.record import Value
from tests import model_conditions as model
from tests.model_conditions import MAYBE, YES, Fact
from tests.places.machine import Machine

CATALOGUE = """
program("tool", "-q/--quiet -f/--force!destroy -o/--out=out --get=url --[no-]check --level=",
        "file*", effect = "remote", abbreviations = True)
posture(read = "allow", write = "prompt", network = "prompt", remote = "prompt",
        execute = "prompt", destroy = "prompt", unknown = "prompt")
"""
SNAPSHOT = assemble([compile_part([RulesFile("user", "t.rules", CATALOGUE.encode())])], ("user",))
POSTURE = {
    effect: Decision.ALLOW if effect == "read" else Decision.PROMPT
    for effect in ("read", "write", "network", "remote", "execute", "destroy", "unknown")
}
HERE, AWAY = frozenset(["project"]), frozenset(["elsewhere"])


class Words(Value):
    """Words of a command, what they do, the options they give, and where they may lead."""

    text: str
    facts: tuple[Fact, ...] = ()
    given: tuple[tuple[str, int], ...] = ()
    leads: frozenset[str] = frozenset()


def option(text: str, *facts: Fact, leads: frozenset[str] = frozenset(), **given: int) -> Words:
    """Words that give options, each under its long name."""
    named = tuple((f"--{name.replace('_', '-')}", holds) for name, holds in given.items())
    return Words(text, facts, named, leads)


WORDS = [
    option("-q", quiet=YES),
    option("--qui", quiet=YES),
    option("-f", Fact("destroy"), force=YES),
    option("-qf", Fact("destroy"), quiet=YES, force=YES),
    option("--forc", Fact("destroy"), force=YES),
    option("--check", check=YES),
    option("--no-check", no_check=YES),
    option("--level --force", level=YES),
    option("-o out", Fact("write", places=HERE), out=YES, leads=HERE),
    option("-o/etc/x", Fact("write", places=AWAY), out=YES, leads=AWAY),
    option("--out=/etc/x", Fact("write", places=AWAY), out=YES, leads=AWAY),
    option("--get https://a.org/x", Fact("network", "a.org"), get=YES),
    option("--get=http://B.org./x", Fact("network", "b.org"), get=YES),
    option("a.txt", Fact("read", places=HERE), leads=HERE),
    option("../a.txt", Fact("read", places=AWAY), leads=AWAY),
    Words("--zzz", (Fact("unknown"),), tuple((f"--{n}", MAYBE) for n in ("quiet", "force", "out"))),
]
OPTIONS = ("--quiet", "--force", "--out", "--check", "--no-check", "--level", "--get")
EFFECTS = ("read", "write", "network", "remote", "execute", "destroy")


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    """Some of the values, perhaps none."""
    return st.lists(st.sampled_from(values), max_size=3, unique=True).map(tuple)


@st.composite
def rules(draw: st.DrawFn) -> PrefixRule:
    """A rule as it passes compiling."""
    decision = draw(st.sampled_from(list(Decision)))
    tightens, conditions = bool(decision), Conditions(draw(some(EFFECTS)))
    if tightens:
        conditions = conditions.replace(options=draw(some(OPTIONS)))
    else:
        conditions = conditions.replace(
            places=draw(some(("project", "elsewhere"))),
            hosts=draw(some(("a.org", "b.org", "@configured"))),
        )
    kept = conditions if conditions != Conditions() else None
    return PrefixRule((("tool",),), decision, None, Origin("user", "t", 1), conditions=kept)


def facts_of(words: list[Words]) -> list[Fact]:
    """All that a command does. What names no place happens here and where its words lead."""
    led = HERE.union(*(each.leads for each in words))
    found = [Fact("remote"), *(fact for each in words for fact in each.facts)]
    return [f if f.places or f.effect == "unknown" else f.replace(places=led) for f in found]


def given_by(words: list[Words]) -> dict[str, int]:
    """How surely each option is given."""
    unclear = any(each.text == "--zzz" for each in words)
    found = dict.fromkeys(OPTIONS, MAYBE if unclear else 0)
    for name, holds in (pair for each in words for pair in each.given):
        found[name] = max(found[name], holds)
    return found


@given(st.lists(rules(), max_size=4), st.lists(st.sampled_from(WORDS), max_size=4))
def test_engine_and_model_agree(rules: list[PrefixRule], words: list[Words]) -> None:
    text = " ".join(["tool", *(each.text for each in words)])
    snapshot = SNAPSHOT.replace(policy=Policy(rules), home="/home/me")
    verdict = decide(Request(text=text, cwd="/p"), snapshot, Machine(["/p/a.txt"]))
    wanted = model.decide(rules, facts_of(words), given_by(words), POSTURE)
    assert verdict.decision is wanted, (text, verdict.reason)


@given(st.lists(rules(), max_size=4), st.lists(st.sampled_from(WORDS), max_size=4))
def test_a_condition_never_makes_an_allow_rule_wider(
    rules: list[PrefixRule], words: list[Words]
) -> None:
    """What passes with conditions passes without them, where no rule tightens."""
    text = " ".join(["tool", *(each.text for each in words)])
    request, machine = Request(text=text, cwd="/p"), Machine(["/p/a.txt"])
    allow = [rule for rule in rules if not rule.decision]
    wide = [rule.replace(conditions=None) for rule in allow]
    narrow = decide(request, SNAPSHOT.replace(policy=Policy(allow)), machine)
    if narrow.allowed and allow:
        assert decide(request, SNAPSHOT.replace(policy=Policy(wide)), machine).allowed


@given(st.lists(rules(), min_size=1, max_size=3))
def test_rules_come_back_from_the_packed_form(rules: list[PrefixRule]) -> None:
    from execpolicy.policy.packed_rules import PackedRules

    packed = PackedRules(PackedRules.of(rules).data)
    assert [packed.rule(n) for n in range(len(packed))] == rules


def test_a_file_means_the_same_rule() -> None:
    text = 'prefix_rule(["tool"], effects = ["write"], places = ["project"], hosts = ["A.org:80"])'
    (rule,) = compile_text(text).rules
    assert isinstance(rule, PrefixRule)
    assert rule.conditions == Conditions(("write",), (), ("project",), ("a.org",))
