"""A short text cannot keep the process that loads it busy: what it makes is bounded or linear.

The limits are counts, so that the same text gives the same answer on every machine.
"""

import time

import pytest

from execpolicy.language.compile import Compiled, compile_sources
from execpolicy.language.evaluate.evaluate import Source
from execpolicy.language.limits import MAX_PROBLEMS
from execpolicy.model.errors import Diagnostic
from execpolicy.model.rule import PrefixRule

SECONDS = 5.0
"""Processor time of this process, far more than any of these needs, far less than the worst."""


def compiled(text: str) -> Compiled:
    began = time.process_time()
    (found,) = compile_sources([("user", Source("a.rules", text))])
    assert time.process_time() - began < SECONDS
    return found


def many(names: str, count: int, more: str = "") -> str:
    return f'["{names}" % i for i in range({count})]{more}'


REFUSED = {
    "paths of a program": (
        f'\nhost_executable("a", {many("/%x/a", 200000)})',
        2,
        "a list holds 200000 values, the limit is 10000",
    ),
    "alternatives": (
        f"\n\nprefix_rule([{many('a' * 90 + '%d', 100000)}])",
        3,
        "the calls of this file hold more than 8388608 bytes",
    ),
    "alternatives further on": (
        f'prefix_rule(["a", {many("a%d", 100000)}])',
        1,
        "a list holds 100000 values",
    ),
    "exceptions": ('prefix_rule(["a"], unless = [["a", "b"]] * 20000)', 1, "a list holds 20000"),
    "calls": (
        '[prefix_rule(["a"] * 1000)\n for i in range(600)]',
        1,
        "the calls of this file hold more than 500000 values",
    ),
    "a long word": ('prefix_rule(["a" * 9000000])', 1, "hold more than 8388608 bytes"),
    "depth": (
        'x = ["a"]\nfor i in range(60):\n    x = [x]\nprefix_rule(x)',
        4,
        "an argument is nested deeper than 50",
    ),
    "values of a dict": (
        'program("p", examples = {"k%d" % i: [] for i in range(20000)})',
        1,
        "a list holds 20000 values",
    ),
    "words of a name": ('program(" ".join(["p"] * 1000))', 1, "a name has more than 12 words"),
    "operands": ('program("p", "", "file? " * 300)', 1, "there are more than 256 operands"),
    "a long path": (
        'path_rule(["/" + "a*" * 1000], decision = "prompt")',
        1,
        "a path has more than 1024 characters",
    ),
    "many paths": (
        f'\n[path_rule({many("/%d/*", 1000)}, decision = "prompt") for j in range(6)]',
        2,
        "this file has more than 5000 patterns of `path_rule`",
    ),
    "tokens without case": (
        f'[prefix_rule(["a", {many("%d", 9000)}], canonical_matching = True) for j in range(3)]',
        1,
        "this file has more than 20000 patterns of `canonical_matching`",
    ),
    "alternatives and examples": (
        f"prefix_rule([{many('a%d', 5000)}], match = {many('a%d x', 5000)})",
        1,
        "the examples of this file would take too long to run",
    ),
    "exceptions and examples": (
        'prefix_rule(["a"], unless = [["a", "x%d" % i] for i in range(5000)],'
        ' match = ["a y%d" % i for i in range(5000)])',
        1,
        "the examples of this file would take too long to run",
    ),
    "paths and examples": (
        f'host_executable("a", {many("/%d/a", 9000)})\n'
        f'prefix_rule(["a"], match = {many("/%d/a x", 9000)})',
        2,
        "the examples of this file would take too long to run",
    ),
}


@pytest.mark.parametrize(("text", "line", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_too_much_is_told_with_its_place(text: str, line: int, message: str) -> None:
    problems = compiled(text).diagnostics
    assert [d.span.line for d in problems] == [line]
    assert message in problems[0].message


QUICK = {
    "paths": f'host_executable("a", {many("/%x/a", 9000)})',
    "alternatives and exceptions": (
        f'prefix_rule([{many("a%d", 9000)}], unless = [["a%d" % i, "x"] for i in range(9000)])'
    ),
    "alternatives twice": f"a = {many('a%d', 9000)}\nprefix_rule([a, a], unless = [[a, a]] * 20)",
    "a long example": 'prefix_rule(["a"], match = ["a " * 1000000])',
    "many rules": "\n".join(f'prefix_rule(["a", "b{n:x}"])' for n in range(20000)),
}


@pytest.mark.parametrize("text", QUICK.values(), ids=QUICK)
def test_what_is_large_is_still_read(text: str) -> None:
    assert compiled(text).diagnostics == ()


PROBLEMS = {
    "calls": '[prefix_rule(["a"], "x") for i in range(30000)]',
    "one call": f"host_executable('a', {many('b%d', 9000)})",
    "one long line": '[prefix_rule(["a"], "x%d" % i) for i in range(20000)]  # ' + "y" * 900_000,
    "lines": "\n".join('prefix_rule(["a"], "x")' for _ in range(20000)),
    "arguments": 'prefix_rule(["a"], **{"z%d" % i: 1 for i in range(9000)})',
}


@pytest.mark.parametrize("text", PROBLEMS.values(), ids=PROBLEMS)
def test_not_all_of_very_many_problems_are_told(text: str) -> None:
    found = compiled(text)
    assert len(found.diagnostics) == MAX_PROBLEMS + 1
    assert sum(d.code == "limit" for d in found.diagnostics) == 1
    assert not any(isinstance(rule, PrefixRule) for rule in found.rules)
    assert sum(map(_size, found.diagnostics)) < 1_000_000


def _size(problem: Diagnostic) -> int:
    return len(problem.render())


def test_literals_that_only_the_grammar_knows_are_few() -> None:
    """The grammar runs in this process. What is too long for it, the evaluator refuses."""
    assert compiled('x = b"a"\n' * 1000).diagnostics == ()
    assert compiled('x = b"a"\n' * 120_000).diagnostics
    assert compiled('a = 1\nx = f"' + "{a + 1}" * 100_000 + '"').diagnostics


def test_rules_that_would_slow_each_decision_are_left_out() -> None:
    text = f'[path_rule({many("/%d/*", 1000)}, decision = "prompt") for j in range(9)]'
    assert sum(len(r.paths) for r in compiled(text).rules if hasattr(r, "paths")) == 5000
