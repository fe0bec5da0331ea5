"""What a proof costs: it grows like the rules that differ, and asks nothing about the others."""

import pytest

from execpolicy.model.decision import Decision
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.prove.catalogues import other_options
from execpolicy.prove.compare import compare
from execpolicy.prove.inclusion.rule_table import Table
from execpolicy.prove.inclusion.word_states import Steps
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.samples import Operands, Sampling, crossed
from execpolicy.prove.side import Side
from tests.prove.oracle import loaded


def policy(count: int, last: str = "b") -> Side:
    """Rules about a fifth as many programs; `last` is a word of each."""
    rules = (
        f'prefix_rule(["p{n % (count // 5)}", "w{n}", ["a", "{last}"]], "{decision}")'
        for n in range(count)
        for decision in ("allow" if n % 3 else "forbidden",)
    )
    found = loaded("\n".join(rules), {})
    assert found is not None
    return found


def steps(count: int) -> int:
    old, new = (policy(count, last).policy.rules for last in "bc")
    table = Table(old, new)
    taken = Steps()
    for group in table.changed():
        list(PolicyWalk(table, group, steps=taken).classes(lambda words: words))
    return taken.taken


def test_steps_grow_like_rules() -> None:
    assert steps(400) < 2.2 * steps(200)


@pytest.mark.parametrize("count", [100, 400])
def test_equal_rules_are_asked_nothing(count: int) -> None:
    asked: list[Request] = []

    def judge(request: Request) -> Verdict:
        asked.append(request)
        return Verdict()  # type: ignore[call-arg]

    sides = [policy(count).replace(judge=judge) for _ in range(2)]
    assert compare(sides[0], sides[1]).answer == "no looser"
    assert not asked


def test_one_rule_more_asks_about_its_program() -> None:
    asked: list[str] = []
    old, new = policy(200), loaded('prefix_rule(["p1", "new"], "prompt")', {})
    assert new is not None
    rules = [*old.policy.rules, *new.policy.rules]

    def judge(request: Request) -> Verdict:
        asked.append((request.argv or ("",))[0])
        return old.judge(request)

    more = old.policy.__class__([*rules])
    compare(old.replace(judge=judge), old.replace(policy=more, judge=judge))
    assert {each.rpartition("/")[2] for each in asked} <= {"p1", ""}


def asked_about_paths(added: int) -> int:
    """How much is asked where one pattern is gone, and so many others are new."""
    asked: list[Request] = []
    globs = [f"**/*{letter}*/x" for letter in "abcdefgh"[:added]]
    texts = 'place("control", ["**/gone"])', f'place("control", {globs})'
    old, new = (loaded(text, {}) for text in texts)
    assert old is not None
    assert new is not None

    def judge(request: Request) -> Verdict:
        asked.append(request)
        return Verdict(Decision.ALLOW, (), confined=Decision.ALLOW)

    compare(old.replace(judge=judge), new.replace(judge=judge))
    return len(asked)


def test_what_only_tightens_is_not_tried() -> None:
    assert asked_about_paths(6) == asked_about_paths(2)


def asked_about_entries(names: str, kinds: str) -> int:
    """How much is asked where options of an entry with these names now do what `kinds` says."""
    asked: list[Request] = []

    def judge(request: Request) -> Verdict:
        asked.append(request)
        return Verdict(Decision.PROMPT, (), confined=Decision.PROMPT)

    texts = (f'program({names}, "-a={kind} -b={kind} -c={kind}", "file*")' for kind in kinds)
    old, new = (loaded(text.replace("=1", "=text").replace("=2", "=out"), {}) for text in texts)
    assert old is not None
    assert new is not None
    compare(old.replace(judge=judge), new.replace(judge=judge))
    return len(asked)


def test_names_of_one_entry_are_tried_once() -> None:
    assert asked_about_entries('["p", "q", "r"]', "21") == asked_about_entries('"p"', "21") > 0


def test_what_only_adds_effects_is_not_tried() -> None:
    assert asked_about_entries('"p"', "12") < asked_about_entries('"p"', "21")


def crossed_with(below: str, before: str, after: str) -> int:
    """How many commands are made of an option of a program beside a subcommand and its options."""
    texts = (
        f'program("p", "{each}", "")\nprogram("p s", "{below}", "")' for each in (before, after)
    )
    old, new = (loaded(text, {}) for text in texts)
    assert old is not None
    assert new is not None
    both = [Sampling(side.catalogue, Operands(("x",), ())) for side in (old, new)]
    entries = [side.catalogue.entry("p") for side in (old, new)]
    assert entries[0] is not None
    assert entries[1] is not None
    only = other_options(entries[0], entries[1])
    return len({*crossed("p", (entries[0], entries[1]), both, lambda front: front, only)})


def test_options_in_front_that_take_the_same_words_need_no_others() -> None:
    few, many = "-b!read", "-b!read -c!write -d!destroy -e=out"
    same, another = ("-a=text", "-a=out"), ("-a=text", "-a!write")
    assert crossed_with(few, *same) == crossed_with(many, *same)
    assert crossed_with(few, *another) < crossed_with(many, *another)


@pytest.mark.parametrize(
    "rule",
    [
        'prefix_rule(["q"], "prompt")',
        'path_rule(["x"], modes = ["write"], decision = "allow", programs = ["q"])',
    ],
)
def test_a_name_with_a_rule_is_tried_for_itself(rule: str) -> None:
    """Of two names of one entry a rule may be about one."""
    texts = (f'program(["p", "q"], "", "{kind}*")\n{rule}' for kind in ("out", "file"))
    old, new = (loaded(text, {}) for text in texts)
    assert old is not None
    assert new is not None
    asked: set[str] = set()

    def judge(request: Request) -> Verdict:
        asked.add((request.argv or ("",))[0])
        return Verdict(Decision.ALLOW, (), confined=Decision.ALLOW)

    compare(old.replace(judge=judge), new.replace(judge=judge))
    assert {"p", "q"} <= asked
