"""`execpolicy explain`: the way to a verdict, at 80 columns and without colour."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run

RULES = """
prefix_rule(["git", "push"], "prompt", justification = "talks to a remote")
prefix_rule(["git", "push", "--force"], "forbidden", justification = "rewrites")
prefix_rule(["tofu"], "prompt", unless = [["tofu", "fmt"]])
prefix_rule(["pwd"], "prompt", exact = True)
"""


def explain(path: Path, *arguments: str) -> int:
    rules = path / "a.rules"
    rules.write_text(RULES)
    return run(dispatch, ["explain", "--rules", str(rules), "--width", "80", *arguments])


def test_the_text_is_underlined_and_wrappers_peeled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explain(tmp_path, "-c", "ls; timeout 5 git -C x push $y") == ExitCode.PROMPT
    out = capsys.readouterr().out
    assert "          ls; timeout 5 git -C x push $y\n          ~~ 1\n" in out
    assert "  3         prompt: git -C x push $y  (via timeout 5)\n" in out
    assert "    read as   git push $y\n" in out
    assert "`$y`: the shell computes this" in out
    assert "option    -C x: its value is the directory to work in" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["git", "push", "-n"], "word 3 is `-n`, the rule wants `--force`"),
        (["git", "push"], "the command ends there, the rule wants `--force`"),
        (["tofu", "fmt"], "its exception `tofu fmt` applies"),
        (["pwd", "-P"], "the rule is exact: nothing may follow"),
    ],
)
def test_the_nearest_rule_tells_what_differs(
    argv: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(tmp_path, "--", *argv)
    out = " ".join(capsys.readouterr().out.split())
    assert says in out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(tmp_path, "--json", "-c", "git -C x push") == ExitCode.PROMPT
    explanation = json.loads(capsys.readouterr().out)["operations"][0]["explanation"]
    assert explanation["span"] == [0, 13]
    assert explanation["read_as"] == ["git", "push"]
    assert explanation["near"][0]["wanted"] == ["--force"]


@pytest.mark.parametrize("arguments", [[], ["-c", "a", "b"], ["--width", "x", "ls"], ["--jsonl"]])
def test_usage(arguments: list[str], tmp_path: Path) -> None:
    assert explain(tmp_path, *arguments) == ExitCode.USAGE
