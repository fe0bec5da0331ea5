"""Rules text may be an attacker's: what it contains never harms the process that loads it."""

import os
import re
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from execpolicy.language import limits
from execpolicy.language.calls import BuiltinCall
from execpolicy.language.compile import compile_text
from execpolicy.language.evaluate.evaluate import Source, evaluate
from tests.waiting import HANG_SECONDS

pytestmark = pytest.mark.usefixtures("no_evaluator")

GOOD = Source("good.rules", 'prefix_rule(["git"])')

HOSTILE = {
    "a huge list": ("x = [0] * 1000000000", "memory"),
    "a huge string": ('x = "a" * 1000000000\ny = x + x', "memory"),
    "a huge integer by squaring": ("x = 2\n" + "x = x * x\n" * 40, "memory"),
    "deep brackets": ("x = " + "[" * 3000, "nest deeper than 200"),
    "deep brackets, closed": ("x = " + "[" * 3000 + "]" * 3000, "nest deeper than 200"),
    "a native call without end": ("x = sorted(range(100000000))", "memory|processor time"),
    "a loop without end": ("for i in range(2000000000): pass", "processor"),
    "a doubled list": ('x = ["a"]\n' + "x = [x, x]\n" * 26 + "prefix_rule(x)", "processor|memory"),
    "a chain of operators": ("x = " + "1+" * 30000 + "1", "nested or chained too deeply"),
    "a chain of signs": ("x = " + "-" * 5000 + "1", "nested or chained too deeply"),
}


@pytest.mark.parametrize(("text", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_a_diagnostic_of_its_file(text: str, reason: str) -> None:
    started = time.process_time()
    bad, good = evaluate([Source("bad.rules", text), GOOD])
    assert time.process_time() - started < 1.0, "the work is the child's, not this process's"
    assert [d.span.file for d in bad.problems] == ["bad.rules"]
    assert re.search(reason, bad.problems[0].message), bad.problems[0].message
    assert (good.problems, len(good.calls)) == ((), 1)


def test_a_million_digits_neither_hang_nor_crash() -> None:
    (result,) = evaluate([Source("n.rules", "x = " + "9" * 1_000_000 + "\nprefix_rule(x)")])
    assert len(result.problems) == 1


def test_every_file_gets_its_result_in_order() -> None:
    killer = Source("killer.rules", "x = [0] * 1000000000")
    results = evaluate([GOOD, killer, GOOD, killer, GOOD])
    assert [len(r.calls) for r in results] == [1, 0, 1, 0, 1]


def test_the_limits_leave_room_for_large_honest_files() -> None:
    text = "".join(f'prefix_rule(["tool{n}"], match = ["tool{n} x"])\n' for n in range(3000))
    assert len(compile_text(text).rules) == 3000


def test_brackets_in_strings_and_comments_do_not_nest() -> None:
    text = f'# {"[" * 500}\nx = "{"[" * 500}"\ny = """{"(" * 500}"""\n'
    assert evaluate([Source("x", text)])[0].problems == ()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('prefix_rule(["a"])', [1]),
        ('\n\ndef f(x):\n    prefix_rule([x])\nf("a")\nf("b")', [4, 4]),
        ('for x in ["a", "b"]:\n    prefix_rule([x])', [2, 2]),
        ('[prefix_rule([x])\n for x in ["a"]]', [1]),
        ('(lambda x: prefix_rule([x]))("a")', [1]),
        ('prefix_rule(\n    pattern = ["a"],\n)\nprefix_rule(["b"])', [1, 4]),
        ('if True:\n    prefix_rule(["a"])\nelse:\n    prefix_rule(["b"])', [2]),
        ('p = prefix_rule\n\np(["a"])', [3]),
    ],
)
def test_every_call_knows_its_line(text: str, lines: list[int]) -> None:
    assert [c.line for c in evaluate([Source("x", text)])[0].calls] == lines


@pytest.mark.parametrize(
    ("argument", "recorded"),
    [
        ('["a", ["b"]]', ["a", ["b"]]),
        ('("a",)', {"@": "tuple", "v": ["a"]}),
        ('{"a": ("b",)}', {"@": "dict", "v": [["a", {"@": "tuple", "v": ["b"]}]]}),
        ("None", None),
        ("True", True),
        ("range(3)", {"@": "range"}),
        ('"(<{"', "(<{"),
        ('b"x"', {"@": "tuple", "v": ["x"]}),
    ],
)
def test_arguments_keep_their_types(argument: str, recorded: object) -> None:
    (result,) = evaluate([Source("x", f"prefix_rule({argument})")])
    assert result.calls == (BuiltinCall("prefix_rule", (recorded,), {}, 1),)  # type: ignore[arg-type]


def test_all_unknown_names_are_reported_in_one_go() -> None:
    text = 'prefx_rule(["a"])\nx = undefned\nprefix_rule(["a"])\nhost_exec(1)'
    problems = evaluate([Source("x", text)])[0].problems
    assert [(d.span.line, d.message) for d in problems] == [
        (1, "variable `prefx_rule` not found"),
        (2, "variable `undefned` not found"),
        (4, "variable `host_exec` not found"),
    ]


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("x = = 1", "x:1:5", "unexpected symbol '=' here"),
        ('fail("no")', "x:1:1", "fail: no"),
        ("prefix_rule([len])", "x:1", "a function cannot be an argument here"),
        ('load("a.star", "b")', "x:1:1", "no imports are available"),
        ('fail("a\\n --> rules:99:1\\n")', "x:1:1", "fail: a"),
    ],
)
def test_a_problem_knows_its_place(text: str, place: str, message: str) -> None:
    (problem,) = evaluate([Source("x", text)])[0].problems
    assert str(problem.span) == place
    assert problem.message.startswith(message)


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"a = 1\nb = '\xff'", "x:2:6", "byte 0xff is not UTF-8"),
        (b"#" * (limits.MAX_BYTES + 1), "x", "the limit is 8388608"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, place: str, message: str) -> None:
    _, problem = limits.decode(data, "x")
    assert problem is not None
    assert str(problem.span) == place
    assert message in problem.message


def test_line_ends_of_other_systems_are_line_ends() -> None:
    assert limits.decode(b"a\r\nb\r\n", "x") == ("a\nb\n", None)


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="not in a virtual environment")
def test_the_child_finds_starlark_where_its_parent_did() -> None:
    """As with `pip install --target`, and in the isolated environment of a build."""
    program = (
        "from execpolicy.language.evaluate.evaluate import Source, evaluate\n"
        "print(evaluate([Source('x', 'prefix_rule([\"ls\"])')])[0].calls[0].name)\n"
    )
    places = [str(Path(__file__).parents[2]), *map(sysconfig.get_path, ("purelib", "platlib"))]
    done = subprocess.run(
        [os.path.realpath(sys.executable), "-c", program],
        env={"PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        timeout=HANG_SECONDS,
    )
    assert done.stdout == b"prefix_rule\n", done.stderr.decode()
