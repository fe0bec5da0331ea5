"""What commands receive from the text before them is looked at once, and told as before."""

import random
import tracemalloc

import pytest

from execpolicy.engine import assignments
from execpolicy.engine.engine import Engine
from execpolicy.engine.rules.received import Received
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Assignment, Dynamic, Exec, Word
from execpolicy.shell.analysis.collect import Exports

VALUES: tuple[Word | None, ...] = ("1", "/x", "a[$(b)]", "cat", Dynamic("$x"), None)
NAMES = ("CI", "PATH", "LANG", "PAGER", "MINE", "LD_PRELOAD", "AWS_PROFILE", "NO_COLOR")
EVERY = [Assignment(name, value, exported=True) for name in NAMES for value in VALUES]


def test_what_goes_on_is_sorted_as_what_is_new() -> None:
    variables = Engine.load(rules=[]).store.current.variables
    goes_on, steps = Received(variables), [EVERY[:end] for end in (3, 9, 9, 40, 48, 2, 20)]
    steps += [EVERY[5:20], EVERY[5:30], [], EVERY[:4]]
    for env in map(tuple, steps):
        goes_on.take(env)
        anew = Received(variables)
        anew.take(env)
        assert (goes_on.kinds, goes_on.leads_out) == (anew.kinds, anew.leads_out)
        for flags in ((True, True), (True, False), (False, True), (False, False)):
            for named in (frozenset[str](), frozenset(("AWS_PROFILE", "MINE"))):
                told = [each.telling(*flags, named, 5) for each in (goes_on, anew)]
                assert told[0] == told[1]


@pytest.mark.parametrize("count", [3, 63, 64, 65, 200])
def test_a_command_is_asked_about_so_many_by_name(count: int) -> None:
    text = "".join(f"export V{number}=a\n" for number in range(count)) + "make"
    verdict = Engine.load(rules=[]).check(text, cwd="/tmp")
    matches = [m for one in verdict.judged[-1:] for m in one.matches if m.variable]
    most = min(count, assignments.MAX_ASKED)
    assert [m.variable for m in matches] == [f"V{number}" for number in range(most)]
    all_of_them = [m for m in verdict.judged[-1].matches if "all variables" in m.reason]
    assert bool(all_of_them) is (count > assignments.MAX_ASKED)
    assert all(m.decision is m.in_sandbox is Decision.PROMPT for m in all_of_them)


@pytest.mark.parametrize(
    ("text", "received"),
    [
        ("export A=1; export B=2; make", [("A",), ("A", "B")]),
        ("export A=1; export A=2 B=3; export A=4; make", [("A",), ("A", "B"), ("A", "B")]),
        ("A=1 export B=2; (export C=1; make)", [("A",), ("B",), ("B", "C")]),
        ("f() { make; }; export A=1; f; export B=2", [("A", "B"), ("A",)]),
        ("export A=$(export B=2; make); C=3 make", [("A",), ("A", "B"), ("A", "B", "C")]),
    ],
)
def test_each_command_receives_what_was_exported_before(
    text: str, received: list[tuple[str, ...]]
) -> None:
    verdict = Engine.load(rules=[]).check(text, cwd="/tmp")
    every = [one.operation for one in verdict.judged if isinstance(one.operation, Exec)]
    found = [tuple(a.name for a in operation.env) for operation in every if operation.env]
    assert found == received


@pytest.mark.parametrize("seed", range(20))
def test_a_command_receives_the_last_value_of_each_before_it(seed: int) -> None:
    choose = random.Random(seed)  # noqa: S311
    places = sorted(choose.choices(range(100), k=30))
    if seed % 4 == 0:
        choose.shuffle(places)
    every = [(at, Assignment(choose.choice(NAMES), str(n))) for n, at in enumerate(places)]
    exports = Exports()
    for at, one in every:
        exports.add(at, one)
    asked: list[int | None] = [*range(0, 100, 3), None]
    if seed % 2:
        choose.shuffle(asked)
    for start in asked:
        before = [one for at, one in every if start is None or at < start]
        assert exports.before(start) == tuple({one.name: one for one in before}.values())


def test_many_exports_of_one_command_take_little_room() -> None:
    exports, count = Exports(), 5000
    tracemalloc.start()
    for number in range(count):
        exports.add(0, Assignment(f"A{number}", "a", exported=True))
    assert len(exports.before(1)) == count
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 10_000_000
