"""`execpolicy import`: each host's list becomes a rules file that people can read."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.decision import Decision
from execpolicy.exit import ExitCode, run
from tests.store.support import decision, write

CLAUDE = {
    "permissions": {
        "allow": [
            "Bash(npm run test:*)",
            "Bash(make lint)",
            "Bash(mytool*)",
            "Bash(git * main)",
            "Bash(python3:*)",
            "Bash",
            "Read(src/**)",
            "Bash(command:rm *)",
        ],
        "ask": ["Bash(npm run test:e2e *)"],
        "deny": ["Bash(git push --force *)", "Bash(docker run * --privileged)"],
    }
}
GEMINI = """
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["mytool", "npm run test"]
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "mytool drop"
decision = "deny"
priority = 200

[[rule]]
toolName = "run_shell_command"
commandRegex = "x.*"
decision = "deny"
priority = 50

[[rule]]
toolName = "write_file"
decision = "allow"
"""
OPENCODE = """{
  // mine
  "permission": {
    "*": "ask",
    "bash": {"*": "ask", "mytool *": "allow", "mytool drop *": "deny", "npm run tes? *": "allow"},
    "edit": "allow",
  },
}"""


def files(home: Path) -> None:
    write(home / ".claude/settings.json", json.dumps(CLAUDE))
    write(home / ".gemini/policies/auto-saved.toml", GEMINI)
    write(home / ".config/opencode/opencode.jsonc", OPENCODE)
    permissions = {"allow": ["Shell(mytool)", "Shell(git)", "Read(x)"], "deny": ["Shell(npm)"]}
    write(home / ".cursor/cli-config.json", json.dumps({"permissions": permissions}))


def imported(*arguments: str) -> int:
    return run(dispatch, ["import", *arguments])


A, P, F = Decision


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        (
            "claude",
            {
                "npm run test": A,
                "npm run test --watch": A,
                "npm run build": P,
                "make lint": A,
                "make lint all": P,
                "mytool x": A,
                "mytools x": P,
                "git log main": A,  # by the catalogue
                "git push main": P,
                "git push --force x": F,
                "docker run -it x --privileged": P,
                "python3 x.py": P,
            },
        ),
        ("gemini", {"mytool x": A, "mytool drop x": F, "npm run test": A, "mytoolx": P}),
        ("opencode", {"mytool x": A, "mytool drop": F, "npm run test": P}),
        ("cursor", {"mytool x": A, "npm test": F, "git push": P}),
    ],
)
def test_what_the_rules_say(host: str, expected: dict[str, Decision], home: Path) -> None:
    files(home)
    assert imported(host) == ExitCode.ALLOW
    assert {c: decision(home, c) for c in expected} == expected


def test_the_file_names_each_source(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files(home)
    assert imported("claude", "--dry-run") == ExitCode.ALLOW
    out = capsys.readouterr().out
    settings = home / ".claude/settings.json"
    assert f"# {settings}: permissions.allow[0] `Bash(npm run test:*)`\nprefix_rule(" in out
    assert 'prefix_rule(["make", "lint"], decision = "allow", exact = True)' in out
    assert "stricter: all of `docker run` is asked about" in out
    assert "permissions.allow[4] `Bash(python3:*)`: left out: " in out
    assert "permissions.allow[3] `Bash(git * main)`: left out: no rule can say it" in out
    assert "permissions.allow[6] `Read(src/**)`: it is about no command" in out
    assert not (home / ".config/execpolicy").exists()


def test_a_refusal_that_no_rule_can_say_takes_what_it_meets_along(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = {"allow": ["Bash(mytool *)", "Bash(make lint)"], "deny": ["Bash(*secret*)"]}
    write(home / ".claude/settings.json", json.dumps({"permissions": lists}))
    assert imported("claude") == ExitCode.ALLOW
    assert "`*secret*` refuses some of it" in capsys.readouterr().out
    assert decision(home, "mytool x") is P
    assert decision(home, "make lint") is A


def test_an_approval_for_a_directory_holds_there_only(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    approval = {"kind": "commands", "commandIdentifiers": ["mytool run"]}
    locations = {str(tmp_path): {"tool_approvals": [approval]}}
    write(home / ".copilot/permissions-config.json", json.dumps({"locations": locations}))
    monkeypatch.chdir(tmp_path)
    assert imported("copilot") == ExitCode.ALLOW
    assert "nothing to import" in capsys.readouterr().out
    assert imported("copilot", "--scope", "project") == ExitCode.ALLOW
    assert decision(tmp_path, "mytool run") is P  # nobody trusted the project's rules yet
    assert run(dispatch, ["trust", "--yes"]) == ExitCode.ALLOW
    assert decision(tmp_path, "mytool run x") is A


@pytest.mark.parametrize("text", ["{", "[]", '{"permissions": '])
def test_a_list_that_is_not_understood_is_refused(
    text: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home / ".claude/settings.json", text)
    assert imported("claude") == ExitCode.ERROR
    assert "settings.json" in capsys.readouterr().err


def test_without_a_list_there_is_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("claude", "gemini", "opencode", "cursor", "copilot"):
        assert imported(host) == ExitCode.ALLOW
        assert capsys.readouterr().out == "nothing to import\n"


@pytest.mark.parametrize("arguments", [[], ["claude", "gemini"], ["windsurf"], ["x"]])
def test_usage_errors_are_64(arguments: list[str]) -> None:
    assert imported(*arguments) == ExitCode.USAGE
