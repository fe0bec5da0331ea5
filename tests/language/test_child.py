"""The evaluator as its process runs it, called here directly. It must stay free of policy."""

import io
import json
import resource
import sys

import pytest

from execpolicy.language.builtins.table import BUILTINS
from execpolicy.language.evaluate import child


def evaluate(text: str) -> tuple[list[object], list[str]]:
    result = child.evaluate(text, [*BUILTINS])
    return [json.loads(call) for call in result["calls"]], result["errors"]


def test_a_call_is_its_name_its_arguments_and_its_line() -> None:
    calls, errors = evaluate('\nprefix_rule(["a"], decision = "allow")')
    assert (calls, errors) == ([["prefix_rule", [["a"]], {"decision": "allow"}, 2]], [])


def test_a_list_is_copied_when_the_call_is_made() -> None:
    calls, _ = evaluate('x = ["a"]\nprefix_rule(x)\nx.append("b")')
    assert calls == [["prefix_rule", [["a"]], {}, 2]]


def test_a_file_may_redefine_a_builtin() -> None:
    assert evaluate("def prefix_rule(x): pass\nprefix_rule(1)") == ([], [])


def test_what_only_the_prelude_needs_is_gone() -> None:
    for name in ("_record", "call_stack", "json", "_builtins", "_make"):
        assert evaluate(f"{name}(1)")[1] != []


def test_unknown_names_are_all_told() -> None:
    _, errors = evaluate("a(1)\nb(2)\nprefix_rule([])")
    assert ["`a`" in errors[0], "`b`" in errors[1], len(errors)] == [True, True, 2]


def test_there_is_an_end_to_that() -> None:
    _, errors = evaluate("\n".join(f"name{n}(1)" for n in range(50)))
    assert len(errors) == child.MAX_ERRORS


def test_the_value_of_the_last_line_is_nobody_s_business() -> None:
    assert evaluate("len") == ([], [])


@pytest.mark.parametrize("builtin", ["form"])
def test_a_form_is_a_dict(builtin: str) -> None:
    calls, _ = evaluate(f'program("x", forms = [{builtin}("read", needs = "-a")])')
    assert '"needs"' in json.dumps(calls)


def test_frames_in_and_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole loop, with the limits only noted."""
    limits: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda what, to: limits.append((what, to)))
    body = json.dumps({"text": 'prefix_rule(["a"])', "cpu": 2}).encode()
    frames = b"%d\n%b" % (len(body), body) * 2
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(frames)))
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written))
    monkeypatch.setattr(sys, "argv", ["child.py", "", "1000000", "prefix_rule"])
    monkeypatch.setattr("gc.disable", lambda: None)
    child.main()
    out = io.BytesIO(written.getvalue())
    answers = [json.loads(out.read(int(out.readline()))) for _ in range(2)]
    assert answers == [{"calls": [["prefix_rule", [["a"]], {}, 1]], "errors": []}] * 2
    assert (resource.RLIMIT_AS, (1000000, 1000000)) in limits
    assert [what for what, _ in limits].count(resource.RLIMIT_CPU) == 2
