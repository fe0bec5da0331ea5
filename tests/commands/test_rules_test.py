"""`execpolicy test`: cases, tables, coverage, updates and reports."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.support.resources import rules_directory

RULES = """
prefix_rule(["git", ["push", "fetch"]], "prompt", justification = "talks to a remote")
prefix_rule(["tofu"], "prompt", unless = [["tofu", "fmt"]])
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "a.rules").write_text(RULES)
    return tmp_path


def test(*arguments: str) -> int:
    return run(dispatch, ["test", *arguments])


test.__test__ = False  # type: ignore[attr-defined]


def cases(place: Path, text: str) -> str:
    path = place / "a.rules_test"
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ('case("git push", "prompt")', ExitCode.ALLOW),
        ('case(["git", "push"], decision = "prompt", because = "remote")', ExitCode.ALLOW),
        ('case("ls && git fetch", "prompt")', ExitCode.ALLOW),
        ('[case("git " + c, "prompt") for c in ["push", "fetch"]]', ExitCode.ALLOW),
        ('case("git push", "allow")', ExitCode.ERROR),
        ('case("git push", "prompt", because = "other")', ExitCode.ERROR),
        ('case("git push", "deny")', ExitCode.ERROR),
        ('case("", "allow")', ExitCode.ERROR),
        ('case("ls")', ExitCode.ERROR),
        ("case(1, 2", ExitCode.ERROR),
        ('path_rule(["/x"], decision = "prompt")', ExitCode.ERROR),
        ('policy(rules = ["missing.rules"])', ExitCode.ERROR),
        ('table("missing.csv")', ExitCode.ERROR),
    ],
)
def test_a_case_is_as_expected_or_not(case: str, code: int, place: Path) -> None:
    assert test(cases(place, case)) == code


def test_a_failure_is_explained(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cases(place, '\ncase("git push", "allow")\n')
    assert test(path) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert f"{path}:2: failed: git push\n  expected allow, got prompt" in out
    assert "`git push` matched" in out


def test_a_problem_has_its_place(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cases(place, '\ncase("ls", "deny")\ncase("ls", wrong = 1)\n')
    assert test(path) == ExitCode.ERROR
    err = capsys.readouterr().err
    assert f"{path}:2:13: error[decision]" in err
    assert f"{path}:3:12: error[signature]" in err


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("t.csv", 'command,decision,because\ngit push,prompt,remote\n"git push, x",prompt,\n'),
        (
            "t.jsonl",
            '{"argv": ["git", "push"], "decision": "prompt"}\n\n'
            '{"command": "ls", "decision": "allow"}\n',
        ),
    ],
)
def test_tables(name: str, table: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / name).write_text(table)
    assert test(cases(place, f'table("{name}")')) == ExitCode.ALLOW
    assert capsys.readouterr().out == "2 cases, 0 failed\n"


def test_update_rewrites_what_it_shows(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "t.csv").write_text("command,decision\ngit push,allow\nls,allow\n")
    path = cases(place, 'case("git push", "allow")  # why\ntable("t.csv")\n')
    assert test("--update", path) == ExitCode.ALLOW
    assert "git push\n  - allow\n  + prompt\n" in capsys.readouterr().out
    assert Path(path).read_text() == 'case("git push", "prompt")  # why\ntable("t.csv")\n'
    assert (place / "t.csv").read_text() == "command,decision\ngit push,prompt\nls,allow\n"
    assert test(path) == ExitCode.ALLOW


def test_update_leaves_computed_cases_to_a_person(place: Path) -> None:
    text = '[case(c, "allow") for c in ["git push", "git fetch"]]\n'
    path = cases(place, text)
    assert test("--update", path) == ExitCode.ERROR
    assert Path(path).read_text() == text


def test_coverage_names_what_no_case_reaches(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cases(place, 'case("git push", "prompt")\ncase("tofu x", "prompt")\n')
    assert test("--coverage", path) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert f"{place}/a.rules:2: no case reaches the alternative `fetch`\n" in out
    assert f"{place}/a.rules:3: no case reaches the exception `tofu fmt`\n" in out
    assert "coverage: 3 of 5 parts of the rules, 60 %\n" in out


def test_what_no_case_can_reach_is_named_apart(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "a.rules").write_text(
        'prefix_rule(["git", ["fetch", "pull"]], "forbidden")\n'
        'prefix_rule(["git", ["fetch", "pull"]], effects = ["network"])\n'
        'prefix_rule(["git", "push"], "prompt", unless = [["git", "push"]])\n'
        'prefix_rule(["tofu", "fmt"], "prompt")\n'
    )
    path = cases(place, 'case("git fetch && git pull", "forbidden")\n')
    assert test("--coverage", path) == ExitCode.ERROR
    said = capsys.readouterr().out.replace(f"{place}/", "").splitlines()
    assert said == [
        "1 case, 0 failed",
        "a.rules:4: no case reaches the rule `tofu fmt` (prompt)",
        "a.rules:3: no case can reach the rule `git push` (prompt): its exceptions take all",
        "a.rules:2: no case can reach the rule `git fetch|pull` (allow): "
        "a stricter rule decides, which says forbidden (a.rules:1)",
        "coverage: 3 of 4 parts of the rules, 75 %",
    ]


def test_junit(place: Path) -> None:
    path = cases(place, 'case("git push", "prompt")\ncase("a <&\\x01", "forbidden")\n')
    assert test("--junit", str(place / "out.xml"), path) == ExitCode.ERROR
    suite = ElementTree.parse(place / "out.xml").getroot()[0]  # noqa: S314 — just written
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_the_shipped_rules_are_covered(capsys: pytest.CaptureFixture[str]) -> None:
    assert test("--coverage", rules_directory() + "/tests") == ExitCode.ALLOW
    assert "100 %" in capsys.readouterr().out


def test_no_cases_are_an_error(tmp_path: Path) -> None:
    assert test("--cwd", str(tmp_path)) == ExitCode.ERROR
    assert test("--bogus") == ExitCode.USAGE
