"""Rules with conditions that make no difference: named by kind, and left out without a change."""

import random

import pytest

from execpolicy.commands.proving import side
from execpolicy.lint.checks.idle_rules import idle_rules
from execpolicy.lint.run import context_of, lint
from execpolicy.store.sources.files import RulesFile
from tests.examples import seeds
from tests.prove import test_conditions
from tests.prove.oracle import Memory

DEPLOY = """
program("deploy", "-f/--force!destroy --log=out", "text*", effect = "remote")
program("show", "", "file*")
"""
SAID = [
    # words that a stricter rule decides
    (
        'prefix_rule(["deploy"], "forbidden")\nprefix_rule(["deploy", "x"], effects = ["remote"])',
        {"dead"},
    ),
    (
        'prefix_rule(["deploy"], "prompt", effects = ["destroy"])\n'
        'prefix_rule(["deploy"], "forbidden", effects = ["destroy"])',
        {"contradiction"},
    ),
    (
        'prefix_rule(["deploy"], effects = ["remote"])\n'
        'prefix_rule(["deploy", "x"], effects = ["remote"])',
        {"redundant"},
    ),
    (
        'prefix_rule(["deploy"], effects = ["write"], places = ["temporary"])\n'
        'prefix_rule(["deploy"], effects = ["write"], places = ["temporary", "project"])',
        {"redundant"},
    ),
    (
        'prefix_rule(["deploy"], "forbidden", options = ["-f"])\n'
        'prefix_rule(["deploy"], "forbidden", options = ["-f"], justification = "no")',
        {"redundant"},
    ),
    # what only looks so
    (
        'prefix_rule(["deploy"], effects = ["remote"])\n'
        'prefix_rule(["deploy", "-f"], effects = ["remote", "destroy"])',
        set(),
    ),
    (
        'prefix_rule(["deploy"], "prompt", effects = ["destroy"])\n'
        'prefix_rule(["deploy"], effects = ["remote"])',
        set(),
    ),
    ('prefix_rule(["show"], effects = ["read"])', set()),  # whatever the posture says
]
SHIPPED = """
prefix_rule(["execpolicy", "undo"], "forbidden", options = ["--prune"])
"""
KINDS = {"dead", "contradiction", "redundant", "never", "condition-never", "undecided"}


def test_a_rule_that_is_shipped_is_compared_with_what_else_is_shipped() -> None:
    found = lint([RulesFile("user", "/a.rules", SHIPPED.encode())], side=side)
    assert {each.code for each in found} & KINDS == set(), found


@pytest.mark.parametrize(("text", "said"), SAID)
def test_what_is_said(text: str, said: set[str]) -> None:
    file = RulesFile("user", "/a.rules", (DEPLOY + text).encode())
    found = lint([file], builtin=False, side=side)
    assert {each.code for each in found} & KINDS == said, found


def test_nothing_is_said_without_the_engine() -> None:
    file = RulesFile("user", "/a.rules", (DEPLOY + SAID[0][0]).encode())
    assert {each.code for each in lint([file], builtin=False)} & KINDS == set()


def left_out(draw: random.Random, memory: Memory) -> int:
    """How many rules of a random policy make no difference, as the engine agrees."""
    rules = [test_conditions.rule(draw) for _ in range(draw.choice((2, 3, 4)))]
    before = test_conditions.load(rules, memory)
    if before is None:
        return 0
    text = test_conditions.CATALOGUE + "\n".join(rules)
    file = RulesFile("user", "/a.rules", text.encode())
    found = idle_rules(context_of([file], False, side, []))
    first = test_conditions.CATALOGUE.count("\n") + 1
    gone = {each.rule.origin.line - first for each in found if each.kind != "undecided"}
    kept = [rule for number, rule in enumerate(rules) if number not in gone]
    after = test_conditions.load(kept, memory) if gone else before
    assert after is not None
    same = test_conditions.KIND.decided(before) == test_conditions.KIND.decided(after)
    assert same, (rules, sorted(gone))
    return len(gone)


@seeds(5, 60)
def test_leaving_them_out_changes_no_decision(seed: int) -> None:
    left_out(random.Random(seed), {})  # noqa: S311
