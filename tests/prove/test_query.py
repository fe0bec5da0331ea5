"""Examples of what may run unasked: one of each form, as a stranger reads them."""

import pytest

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.proving import side
from execpolicy.commands.query import main
from execpolicy.prove.questions.query import passing
from tests.prove.test_answers import loaded

RULES = 'posture(write = {"temporary": "allow", "project": "allow"})'


def found(*words: str, effects: tuple[str, ...] = ()) -> list[tuple[str, tuple[str, ...]]]:
    policy = side(loaded("a", RULES))
    return [(each.shown, each.effects) for each in passing(policy, words, effects)]


def test_one_of_each_form() -> None:
    """By subcommand, effects and places; the plainest first."""
    both = ("read", "write")
    written = found("touch", effects=("write",))
    assert written[:2] == [("touch x", both), ("touch /tmp/d/x", both)]
    assert "touch /tmp/d/x x" not in dict(written)
    assert found("git", effects=("remote",)) == []


def test_none_is_a_whole_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--policy", "-", "--effect", "destroy", "--confined", "--", "git", "push"]
    assert main(words) == ExitCode.ALLOW
    assert capsys.readouterr().out == (
        "none: each command that begins with `git push` and removes what cannot be brought"
        " back asks"
        " or is refused in the sandbox\n"
    )


def test_what_it_does_stands_behind(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--policy", "-", "--effect", "read", "--most", "1", "--", "cat"])
    assert capsys.readouterr().out == "cat  # read\n"
