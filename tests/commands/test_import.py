"""`execpolicy import`: each host's list becomes a rules file that people can read."""

import json
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.model.decision import Decision
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
priority = 1
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


@pytest.mark.parametrize("line", ["", "priority = 1000", "priority = -1", "priority = true"])
def test_a_file_that_gemini_drops_allows_nothing(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    odd = f'\n[[rule]]\ntoolName = "glob"\ndecision = "allow"\n{line}\n'
    write(tmp_path / ".gemini/policies/a.toml", GEMINI + odd)
    assert imported("gemini", "--dry-run") == 0
    text = "".join(capsys.readouterr())
    assert "Gemini drops this file for its rule 5" in text
    assert 'decision = "allow"' not in text
    assert '["mytool", "drop"]' in text


def test_what_is_no_rule_of_gemini_is_passed_over(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refusal = '{toolName = "run_shell_command", commandPrefix = "mytool", decision = "deny"}'
    odd = '{toolName = "run_shell_command", commandPrefix = "other", decision = ["deny"]}'
    write(home / ".gemini/policies/a.toml", f'rule = ["x", {refusal}, {odd}]\n')
    assert imported("gemini", "--dry-run") == 0
    text = capsys.readouterr().out
    assert 'prefix_rule(["mytool"], decision = "forbidden"' in text
    assert 'prefix_rule(["other"], decision = "prompt"' in text


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
    assert "permissions.allow[3] `Bash(git * main)`: left out: no rule can express it" in out
    assert 'path_rule(["./src/*"], modes = ["read"], decision = "allow")' in out
    assert out.splitlines()[1:4] == [
        "  commands: 3 allow, 2 ask, 1 refuse",
        "  paths and hosts: 1 allow, 0 ask, 0 refuse",
        "  left out: 4",
    ]
    assert not (home / ".config/execpolicy").exists()


def test_a_refusal_that_no_rule_can_say_takes_what_it_meets_along(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lists = {"allow": ["Bash(mytool *)", "Bash(make lint)"], "deny": ["Bash(*secret*)"]}
    write(home / ".claude/settings.json", json.dumps({"permissions": lists}))
    assert imported("claude") == ExitCode.ALLOW
    assert "narrower: nothing may follow, as `*secret*` refuses some" in capsys.readouterr().out
    assert decision(home, "mytool x") is P
    assert decision(home, "make lint") is A


@pytest.mark.parametrize(("named", "more"), [("mytool run", P), ("mytool run:*", A)])
def test_an_approval_for_a_directory_holds_there_only(
    named: str,
    more: Decision,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    approval = {"kind": "commands", "commandIdentifiers": [named]}
    locations = {str(tmp_path): {"tool_approvals": [approval]}}
    write(home / ".copilot/permissions-config.json", json.dumps({"locations": locations}))
    monkeypatch.chdir(tmp_path)
    assert imported("copilot") == ExitCode.ALLOW
    assert "nothing to import" in capsys.readouterr().out
    assert imported("copilot", "--scope", "project") == ExitCode.ALLOW
    assert decision(tmp_path, "mytool run") is P  # nobody trusted the project's rules yet
    assert run(dispatch, ["trust", "--yes"]) == ExitCode.ALLOW
    assert decision(tmp_path, "mytool run") is A
    assert decision(tmp_path, "mytool run x") is more


def test_copilot_fetches_from_where_its_settings_say(home: Path) -> None:
    urls = {"allowedUrls": ["https://docs.example"], "deniedUrls": ["*.evil.example"]}
    write(home / ".copilot/settings.json", json.dumps(urls))
    assert imported("copilot") == ExitCode.ALLOW
    assert decision(home, "curl https://docs.example/x") is A
    assert decision(home, "curl https://x.evil.example/y") is F


FOR_ALL = "mytool *", "make lint", "other run *"
AGENTS = {
    "another command is refused": ('{"rm *": "deny"}', FOR_ALL),
    "one is asked about": ('{"mytool *": "ask"}', FOR_ALL[1:]),
    "a part of one is refused": ('{"other run it": "deny"}', FOR_ALL[:2]),
    "all is asked about": ('"ask"', ()),
    "all but some is asked about": (
        '{"*": "ask", "mytool *": "allow", "make *": "allow"}',
        FOR_ALL[:2],
    ),
    "what is given back is less": ('{"*": "ask", "mytool x": "allow"}', ()),
    "the bare name is given back": ('{"*": "ask", "mytool": "allow"}', ()),
    "it runs no commands": ('"deny"', FOR_ALL),
    "it runs one command": ('{"*": "deny", "make lint": "allow"}', FOR_ALL[1:2]),
    "what it may more": ('{"third *": "allow"}', FOR_ALL),
    "no decision": ('{"*": "sometimes"}', ()),
}


def opencode(home: Path, agent: str, more: str = "") -> None:
    bash = json.dumps({"*": "ask", **dict.fromkeys(FOR_ALL, "allow")})
    text = f'{{"permission": {{"bash": {bash}}}, "agent": {{"plan": {agent}}}{more}}}'
    write(home / ".config/opencode/opencode.json", text)


def allowed(home: Path) -> tuple[str, ...]:
    commands = {"mytool *": "mytool x", "make lint": "make lint", "other run *": "other run x"}
    return tuple(c for c in FOR_ALL if decision(home, commands[c]) is A)


@pytest.mark.parametrize(("bash", "left"), AGENTS.values(), ids=AGENTS)
def test_what_an_agent_may_not_do_is_allowed_to_none(
    bash: str, left: tuple[str, ...], home: Path
) -> None:
    opencode(home, f'{{"permission": {{"bash": {bash}}}}}')
    assert imported("opencode") == ExitCode.ALLOW
    assert allowed(home) == left
    assert decision(home, "third x") is P


MARKDOWN = {
    "permission": ("permission:\n  bash:\n    'other *': deny\n", FOR_ALL[:2]),
    "a word": ("permission: ask\n", ()),
    "no tool": ("tools:\n  bash: false\n", FOR_ALL),
    "a tool with limits": ("tools:\n  bash: false\npermission:\n  bash:\n    '*': ask\n", ()),
    "turned off": ("disable: true\npermission: ask\n", FOR_ALL),
    "nothing": ("description: x\n", FOR_ALL),
    "not understood": ("permission: {bash: deny}\n", ()),
}


@pytest.mark.parametrize(("text", "left"), MARKDOWN.values(), ids=MARKDOWN)
def test_agents_in_markdown_are_read_too(text: str, left: tuple[str, ...], home: Path) -> None:
    opencode(home, "{}")
    write(home / ".config/opencode/agents/deep/plan.md", f"---\n{text}---\nDo it.\n")
    assert imported("opencode") == ExitCode.ALLOW
    assert allowed(home) == left


def test_an_agent_of_two_places_is_read_as_strictly_as_either(home: Path) -> None:
    opencode(home, '{"permission": {"bash": {"*": "ask"}}}')
    page = "---\npermission:\n  bash:\n    '*': allow\n---\n"
    write(home / ".config/opencode/agents/plan.md", page)
    assert imported("opencode") == ExitCode.ALLOW
    assert allowed(home) == ()


def test_the_rules_for_all_agents_are_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bash = '{"mytool drop *": "deny", "make *": "ask", "rg *": "allow", "git *": "allow"}'
    opencode(home, f'{{"permission": {{"bash": {bash}}}}}')
    assert imported("opencode") == ExitCode.ALLOW
    out = capsys.readouterr().out
    file = home / ".config/opencode/opencode.json"
    for line in (
        "permission.bash `mytool *`: left out: `mytool drop *` of agent `plan` refuses some of it; "
        'for all of them write: prefix_rule(["mytool"], decision = "allow")',
        f"{file}: agent.plan: permission.bash `mytool drop *`: holds for agent `plan` only; for "
        'all of them write: prefix_rule(["mytool", "drop"], decision = "forbidden")',
        'only; for all of them write: prefix_rule(["make"], decision = "prompt")',
        'only; for all of them write: prefix_rule(["rg"], decision = "allow")',
        "permission.bash `git *`: holds for agent `plan` only, and for all of them: ",
    ):
        assert line in out


def test_the_order_of_tools_is_read_as_strictly_as_any_version_does(home: Path) -> None:
    lists = {"bash": {"mytool *": "allow"}, "*": "ask"}
    write(home / ".config/opencode/opencode.json", json.dumps({"permission": lists}))
    assert imported("opencode") == ExitCode.ALLOW
    assert decision(home, "mytool x") is P
    lists = {"b*": {"mytool *": "deny"}, "bash": "allow"}
    write(home / ".config/opencode/opencode.json", json.dumps({"permission": lists}))
    assert imported("opencode") == ExitCode.ALLOW
    assert decision(home, "mytool x") is F


def test_what_commands_skills_and_agents_of_claude_allow_holds_for_them_only(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(home / ".claude/settings.json", '{"permissions": {"allow": ["Bash(make lint)"]}}')
    page = "---\nallowed-tools: Bash(mytool add:*), Read, Bash(mytool run (x))\n---\n"
    write(home / ".claude/commands/git/commit.md", page)
    write(home / ".claude/skills/pdf/SKILL.md", "---\nallowed-tools: Read Bash(pdf:*)\n---\n")
    write(home / ".claude/skills/pdf/notes.md", "---\nallowed-tools: Bash(no:*)\n---\n")
    write(home / ".claude/agents/quiet.md", "---\ndisallowedTools:\n- Bash\n---\n")
    assert imported("claude") == ExitCode.ALLOW
    out = capsys.readouterr().out
    commit = home / ".claude/commands/git/commit.md"
    assert (
        f"{commit}: allowed-tools `Bash(mytool add:*)`: holds for command `commit` only; for all "
        'of them write: prefix_rule(["mytool", "add"], decision = "allow")' in out
    )
    assert "allowed-tools `Bash(mytool run (x))`: holds for command `commit` only, and" in out
    assert 'holds for skill `pdf` only; for all of them write: prefix_rule(["pdf"]' in out
    assert "agent `quiet` runs no commands" in out
    assert "no:*" not in out
    assert {c: decision(home, c) for c in ("mytool add", "pdf x", "make lint")} == {
        "mytool add": P,
        "pdf x": P,
        "make lint": A,
    }


@pytest.mark.parametrize("tools", ["disallowedTools: Bash(make *)", "disallowedTools: {}"])
def test_what_an_agent_of_claude_may_not_do_is_allowed_to_none(tools: str, home: Path) -> None:
    write(home / ".claude/settings.json", '{"permissions": {"allow": ["Bash(make lint)"]}}')
    write(home / ".claude/agents/quiet.md", f"---\n{tools}\n---\n")
    assert imported("claude") == ExitCode.ALLOW
    assert decision(home, "make lint") is P


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
        assert capsys.readouterr().out.startswith("nothing to import: no permission list of ")


@pytest.mark.parametrize("arguments", [[], ["claude", "gemini"], ["windsurf"], ["x"]])
def test_usage_errors_are_64(arguments: list[str]) -> None:
    assert imported(*arguments) == ExitCode.USAGE
