"""`execpolicy lint`: what is reported, how, and what is repaired."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.lint.registry import CHECKS

GOOD = 'prefix_rule(["deploy"], "prompt", justification = "why", match = ["deploy"])\n'
BAD = 'prefix_rule(["deploy now"], "prompt", justification = "why", match = [["deploy now"]])\n'


def lint(*arguments: str) -> int:
    return run(dispatch, ["lint", *arguments])


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_a_finding_has_place_line_caret_and_advice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "a.rules", BAD)
    assert lint(path) == ExitCode.ERROR
    assert capsys.readouterr().out == (
        f"{path}:1:14: warning[token-space]: the token `deploy now` has a blank, and a token is "
        "compared with one word\n"
        f"    {BAD}"
        "                 ^~~~~~~~~~~~\n"
        '  hint: write the words one by one: "deploy", "now"\n'
        "1 warning\n"
    )


def test_notes_do_not_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "a.rules", 'prefix_rule(["deploy"], "prompt")\n')
    assert lint(path) == ExitCode.ALLOW
    assert capsys.readouterr().out.endswith("2 notes\n")


def test_layers_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = write(tmp_path / "a.rules", GOOD.replace('"prompt"', '"forbidden"'))
    second = write(tmp_path / "b.rules", GOOD)
    assert lint(first, second) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert f"{second}:1:1: warning[contradiction]" in out
    assert f"see: {first}:1" in out


def test_a_project_makes_no_rule_of_its_user_redundant(tmp_path: Path) -> None:
    (tmp_path / ".execpolicy" / "rules").mkdir(parents=True)
    mine = write(tmp_path / "a.rules", 'prefix_rule(["deploy", "now"])\n')
    theirs = write(tmp_path / ".execpolicy" / "rules" / "b.rules", 'prefix_rule(["deploy"])\n')
    assert lint(mine, theirs) == ExitCode.ALLOW
    assert lint(write(tmp_path / "c.rules", 'prefix_rule(["deploy"])\n'), mine) == ExitCode.ERROR


def test_rules_of_the_home_are_the_default(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / ".config/execpolicy/rules").mkdir(parents=True)
    write(home / ".config/execpolicy/rules/a.rules", BAD)
    assert lint("--cwd", str(tmp_path)) == ExitCode.ERROR
    assert "token-space" in capsys.readouterr().out


def test_a_comment_ignores_a_code(tmp_path: Path) -> None:
    ignored = BAD.replace("\n", "  # execpolicy: ignore[token-space]\n")
    assert lint(write(tmp_path / "a.rules", ignored)) == ExitCode.ALLOW
    above = "# execpolicy: ignore[token-space]\n" + BAD
    assert lint(write(tmp_path / "b.rules", above)) == ExitCode.ALLOW
    other = BAD.replace("\n", "  # execpolicy: ignore[dead]\n")
    assert lint(write(tmp_path / "c.rules", other)) == ExitCode.ERROR


def test_an_error_cannot_be_ignored(tmp_path: Path) -> None:
    text = 'prefix_rule(["a"], "deny")  # execpolicy: ignore[decision]\n'
    assert lint(write(tmp_path / "a.rules", text)) == ExitCode.ERROR


FIXES = [
    ('prefix_rule(["a", ["b", "c", "b"]], "prompt")\n', '["b", "c"]'),
    ('prefix_rule(["a", ["b"]], "prompt")\n', '["a", "b"]'),
    ('prefix_rule(["a"], "prompt", match = ["a b", "a b"])\n', 'match = ["a b"])'),
    ('prefix_rule(["a"], "prompt")  # execpolicy: ignore[dead]\n', '"prompt")\n'),
]


@pytest.mark.parametrize(("before", "after"), FIXES)
def test_fix_repairs(before: str, after: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.rules", before)
    assert lint("--fix", path) == ExitCode.ALLOW
    assert after in Path(path).read_text()
    once = Path(path).read_text()
    lint("--fix", path)
    assert Path(path).read_text() == once


def test_fix_takes_redundant_rules_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.rules", GOOD + 'prefix_rule(["deploy", "now"], "prompt")\n')
    assert lint("--fix", path) == ExitCode.ALLOW
    assert Path(path).read_text() == GOOD


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lint("--format", "json", write(tmp_path / "a.rules", BAD))
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["code"], finding["line"], finding["column"]) == ("token-space", 1, 14)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--format", "xml"], "unknown format `xml`: use text, json, sarif or github"),
        (["--portable", "x"], "unknown engine `x`"),
        (["--bogus"], "unknown option `--bogus`"),
        (["--format"], "option `--format` needs a value"),
    ],
)
def test_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(*arguments) == ExitCode.USAGE
    assert says in capsys.readouterr().err


@pytest.mark.rest  # `.ci/run` calls the command itself
def test_the_shipped_rules_have_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    from execpolicy.support.resources import rules_directory

    assert lint(rules_directory()) == ExitCode.ALLOW, capsys.readouterr().out


@pytest.mark.parametrize("code", sorted(CHECKS))
def test_every_page_is_shown(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["lint", "--explain", code]) == ExitCode.ALLOW
    assert capsys.readouterr().out.startswith(f"# {code}\n")


def test_the_list_names_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["lint", "--explain", "codes"]) == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert [code for code in sorted(CHECKS) if f"| [`{code}`]({code}.md) |" not in out] == []


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("ded", "unknown code `ded`; did you mean `dead`?"),
        ("zzzz", "unknown code `zzzz` (`execpolicy lint --explain codes` lists them)"),
        ("../../LICENSE", "unknown code `../../LICENSE`"),
        ("README", "unknown code `README`"),
        ("", "unknown code ``"),
    ],
)
def test_an_unknown_code(code: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(dispatch, ["lint", "--explain", code]) == ExitCode.USAGE
    assert says in capsys.readouterr().err
