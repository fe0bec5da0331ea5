"""What wraps a command does not hide it.

`wrappers.txt` has a line for each way to run `git push`. A line that begins with `=` is a wrapper
that adds nothing: with a command inside that only reads it runs unasked, and no other does.
"""

from pathlib import Path

import pytest

from execpolicy import Decision, Engine

RULE = 'prefix_rule(["git", "push"], decision = "forbidden")\n'
MARKED = Path(__file__).with_name("wrappers.txt").read_text().splitlines()
LINES = [(line.removeprefix("= "), line.startswith("= ")) for line in MARKED]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    rules = tmp_path_factory.mktemp("rules") / "push.rules"
    rules.write_text(RULE)
    return Engine.load(rules=[str(rules)])


def test_there_are_enough_of_them() -> None:
    assert len(dict(LINES)) == len(LINES) > 700
    assert all("git push" in line for line, _ in LINES)


def test_a_rule_sees_the_command_inside(engine: Engine) -> None:
    seen = {line for line, _ in LINES if engine.check(line).decision is Decision.FORBIDDEN}
    assert sorted({line for line, _ in LINES} - seen) == []


def test_a_wrapper_keeps_its_own_effect(engine: Engine) -> None:
    wrong = []
    for line, adds_nothing in LINES:
        reads = line.replace("/usr/bin/git push", "git push").replace("git push", "ls -l")
        expected = Decision.ALLOW if adds_nothing else Decision.PROMPT
        if engine.check(reads).decision is not expected:
            wrong.append((reads, expected))
    assert wrong == []
