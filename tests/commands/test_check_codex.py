"""`check --format codex` prints what `codex execpolicy check` prints."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run

GIT = 'prefix_rule(["git", "push"], "prompt")\n'
CASELESS = 'prefix_rule(["git"], "forbidden", canonical_matching = True)\n'


def match(*prefix: str, decision: str = "allow", **more: str) -> dict[str, object]:
    return {"prefixRuleMatch": {"matchedPrefix": list(prefix), "decision": decision, **more}}


ROWS = [
    # rules, arguments, what is printed
    (GIT, ["git", "push", "x"], [match("git", "push", decision="prompt")]),
    (GIT, ["git", "pull"], []),
    (GIT, ["git push"], []),
    (GIT, ["git", "-C", ".", "push"], []),
    (GIT, ["bash", "-lc", "git push"], []),
    (GIT, ["/usr/bin/git", "push"], []),
    (GIT, ["", "git"], []),
    # Alternatives of the first token are rules of their own, later ones are not.
    ('prefix_rule([["a", "a"]])', ["a"], [match("a"), match("a")]),
    ('prefix_rule(["a", ["b", "b"]])', ["a", "b"], [match("a", "b")]),
    # All rules speak; the strictest decides.
    (
        'prefix_rule(["a"], "forbidden", justification = " why ")\nprefix_rule(["a"])',
        ["a"],
        [match("a", decision="forbidden", justification=" why "), match("a")],
    ),
    # Rules under the very first word come before caseless ones under other spellings.
    (
        'prefix_rule(["git"], canonical_matching = True)\nprefix_rule(["GIT"], "prompt")',
        ["GIT"],
        [match("GIT", decision="prompt"), match("GIT")],
    ),
    (CASELESS, ["GIT", "x"], [match("GIT", decision="forbidden")]),
    ('prefix_rule(["\u00e9"], canonical_matching = True)', ["E\u0301"], [match("E\u0301")]),
    ('prefix_rule(["stra\u00dfe"], canonical_matching = True)', ["STRASSE"], [match("STRASSE")]),
]


@pytest.mark.parametrize(("rules", "argv", "expected"), ROWS)
def test_rows(
    rules: str,
    argv: list[str],
    expected: list[dict[str, object]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "policy.rules"
    path.write_text(rules)
    assert run(dispatch, ["check", "--format", "codex", "--rules", str(path), "--", *argv]) == 0
    reply = json.loads(capsys.readouterr().out)
    assert reply["matchedRules"] == expected
    order = ["allow", "prompt", "forbidden"]
    decisions = [m["prefixRuleMatch"]["decision"] for m in reply["matchedRules"]]
    assert reply.get("decision") == max(decisions, key=order.index, default=None)


LISTED = 'host_executable("git", ["/usr/bin/git"])\n'
RESOLVED = [
    (GIT, "/usr/bin/git", "/usr/bin/git"),
    (GIT, "/usr//lib/../bin/git", "/usr/bin/git"),
    (GIT, "./git", "$CWD/git"),
    (GIT, "bin/git", "$CWD/bin/git"),
    (GIT, "git/", "$CWD/git"),
    (GIT, "~/git", "$HOME/git"),
    (LISTED + GIT, "/usr/bin/git", "/usr/bin/git"),
    (LISTED + GIT, "/opt/git", None),
    (LISTED + GIT, "./git", None),
    (GIT + 'host_executable("git", [])', "/usr/bin/git", None),
    (GIT, "/usr/bin/hg", None),
]


@pytest.mark.parametrize(("rules", "program", "path"), RESOLVED)
def test_paths_stand_for_names_where_asked(
    rules: str,
    program: str,
    path: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/home/somebody")
    (tmp_path / "policy.rules").write_text(rules)
    options = ["--format", "codex", "--resolve-host-executables", "-r", "policy.rules"]
    assert run(dispatch, ["check", *options, "--", program, "push"]) == 0
    reply = json.loads(capsys.readouterr().out)
    resolved = [m["prefixRuleMatch"]["resolvedProgram"] for m in reply["matchedRules"]]
    wanted = path and path.replace("$CWD", str(tmp_path)).replace("$HOME", "/home/somebody")
    assert resolved == ([wanted] if wanted else [])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["-r", "policy.rules", "--bogus", "git"], 0),
        (["-r", "policy.rules", "--cwd", "git"], 0),
        (["-r", "policy.rules", "git", "push", "--pretty"], 0),
        (["git", "--rules", "policy.rules", "push"], 2),
        (["-r", "policy.rules"], 2),
        (["-r", "policy.rules", "--pretty", "--pretty", "git"], 2),
        (["-r", "missing.rules", "git"], 1),
        (["-r", ".", "git"], 1),
    ],
)
def test_the_command_line_is_codex_s_own(
    arguments: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.rules").write_text(GIT)
    assert run(dispatch, ["check", "--format", "codex", *arguments]) == code


def test_pretty_is_indented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "policy.rules"
    path.write_text(GIT)
    run(dispatch, ["check", "--format", "codex", "--pretty", "-r", str(path), "git"])
    assert capsys.readouterr().out == '{\n  "matchedRules": []\n}\n'


def test_options_that_codex_does_not_have_are_the_command_or_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "policy.rules"
    path.write_text('prefix_rule(["--cwd"], "prompt")')
    assert run(dispatch, ["check", "--format", "codex", "-r", str(path), "--cwd", "git"]) == 0
    assert json.loads(capsys.readouterr().out)["decision"] == "prompt"
    assert run(dispatch, ["check", "--cwd", ".", "--format", "codex", "-r", str(path), "git"]) == 2
    assert "`--cwd` cannot be used with `--format codex`" in capsys.readouterr().err
