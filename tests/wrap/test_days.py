"""Calls that lean on what a host keeps end under `wrap` as without it, in the hosts' programs.

The days of real calls are replayed by `python -m tests.replay wrapped_days FILE`.
"""

import pytest

from tests.agents import real
from tests.replay import wrapped_days
from tests.wrap.days import approved, same, state


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("host", "lasting"),
    [("claude", True), ("opencode", True), ("codex", False)],  # ends with a call what that left
)
def test_calls_end_as_without(
    host: str,
    lasting: bool,
    sandboxes: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real.program(host)
    monkeypatch.setattr(wrapped_days, "HOSTS", (host,))
    found = dict(wrapped_days.problems(same.rows(lasting=lasting)))
    assert len(found) >= (200 if lasting else 150)
    assert {name: problem for name, problem in found.items() if problem} == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("host", ["claude", "codex"])
def test_what_was_approved_is_done(
    host: str, sandboxes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    real.program(host)
    monkeypatch.setattr(wrapped_days, "HOSTS", (host,))
    found = dict(wrapped_days.problems(approved.rows()))
    assert found == dict.fromkeys(found)


SAID = [
    ('"execpolicy: 1 file was removed: `execpolicy undo 2` brings it back\\n\\nx"', '"x"'),
    ('"not found\\nexecpolicy: no key of yours was opened: x"', '"not found"'),
    ('"took 0.31 seconds at 12:30"', '"took 12.4 seconds at 01:02"'),
    ('"Wall time: 0.01"', '"Wall time: 7.2"'),
    ('"\\nb\\na\\n"', '"\\na\\nb\\n"'),
    ('"commit 0a1b2c3d4e"', '"commit ff1b2c3d4e"'),
]


@pytest.mark.parametrize(("one", "other"), SAID)
def test_what_differs_from_run_to_run_is_left_out(one: str, other: str) -> None:
    one, other = one.replace("\n", "\\n"), other.replace("\n", "\\n")
    assert state.same(one) == state.same(other)


def test_what_is_different_stays_so() -> None:
    for one, other in (("Exit code 1", "Exit code 2"), ("a", "b"), ("12", "13"), ("x\\ny", "x")):
        assert state.same(f'"{one}"') != state.same(f'"{other}"')


def test_a_change_is_seen() -> None:
    before, after = {"a": "1", "b": "1"}, {"a": "2", "c": "1"}
    assert state.changed(before, after) == {"a": "2", "b": "nothing", "c": "1"}
    assert state.difference(after, before).startswith("a: '2', not '1'; b: None, not '1'")
    assert state.difference(before, dict(before)) == ""
