"""What each host itself would do with a call, by its own files: tables of files and operations."""

import json
import os
from pathlib import Path

import pytest

from execpolicy.hosts.payloads.protocol import ASKS, EDITS, STRICT, UNATTENDED, UNSURE
from execpolicy.hosts.permissions import answers
from execpolicy.hosts.permissions.base import Tool
from execpolicy.model.operation import Access, Connect, Dynamic, Exec, Operation
from tests.repositories import new_repository
from tests.store.support import write

ROOT = "ROOT"


def settings(**permissions: list[str]) -> str:
    return json.dumps({"permissions": permissions})


def approved(where: str, approval: object) -> str:
    return json.dumps({"locations": {where: {"tool_approvals": [approval]}}})


COMMANDS = {"kind": "commands", "commandIdentifiers": ["npm test"]}


def run(text: str) -> Exec:
    return Exec(tuple(text.split()))


EDIT, READ = Access(f"{ROOT}/a", "write"), Access("/x/a", "read")
MINE, THEIRS = ".claude/settings.json", f"{ROOT}/.claude/settings.json"
LOCAL = f"{ROOT}/.claude/settings.local.json"
NPM = run("npm test")
GEMINI, RULE = ".gemini/policies/a.toml", "[[rule]]\npriority = 5\n"
SHELL = f'{RULE}toolName = "run_shell_command"\n'
CODEX, RULES = ".codex/config.toml", ".codex/rules/default.rules"
COPILOT = ".copilot/permissions-config.json"
WINDSURF = ".config/Windsurf/User/settings.json"
OPENCODE = ".config/opencode/opencode.json"

# host, mode, files, operation, what the host does, and whether its list names the program
ROWS: list[tuple[str, str, dict[str, str], Operation, str]] = [
    ("claude", ASKS, {}, NPM, "asks"),
    ("claude", UNSURE, {}, NPM, "unknown"),
    ("claude", ASKS, {}, run("git commit -m x"), "asks"),
    ("claude", ASKS, {}, run("git diff"), "unknown"),
    ("claude", ASKS, {}, run("xargs rm"), "unknown"),
    ("claude", ASKS, {MINE: settings(allow=["Bash"])}, NPM, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(*)"])}, NPM, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test:*)"])}, NPM, "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test *)"])}, NPM, "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test)"])}, NPM, "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm*)"])}, NPM, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(* test)"])}, NPM, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm run:*)"])}, NPM, "asks"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test)"])}, run("npm test -u"), "asks"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test:*)"])}, run("npm testing"), "asks"),
    ("claude", UNATTENDED, {MINE: settings(allow=["Bash(npm test:*)"])}, NPM, "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Bash"], ask=["Bash(npm:*)"])}, NPM, "asks"),
    ("claude", ASKS, {MINE: settings(allow=["Bash"], deny=["Bash(npm:*)"])}, NPM, "refuses"),
    ("claude", ASKS, {THEIRS: settings(allow=["Bash"])}, NPM, "unknown"),
    ("claude", ASKS, {THEIRS: settings(ask=["Bash"])}, NPM, "asks"),
    ("claude", ASKS, {LOCAL: settings(allow=["Bash(npm test:*)"])}, NPM, "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Edit"])}, NPM, "asks"),
    ("claude", ASKS, {MINE: '{"sandbox": {"enabled": true}}'}, NPM, "unknown"),
    ("claude", ASKS, {MINE: "{"}, NPM, "unknown"),
    ("claude", ASKS, {MINE: "[]"}, NPM, "unknown"),
    ("claude", ASKS, {MINE: "[" * 200_000}, NPM, "unknown"),
    ("claude", ASKS, {MINE: " " * (1024 * 1024 + 1)}, NPM, "unknown"),
    ("claude", ASKS, {}, Exec(("npm", Dynamic("$x"))), "asks"),
    ("claude", ASKS, {}, Exec((Dynamic("$x"),)), "unknown"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm:*)"])},
     Exec(("npm", Dynamic("$x"))), "own named"),
    ("claude", ASKS, {MINE: settings(allow=["Bash(npm test)"])},
     Exec(("npm", Dynamic("$x"))), "unknown"),
    ("claude", ASKS, {}, EDIT, "asks"),
    ("claude", EDITS, {}, EDIT, "own"),
    ("claude", EDITS, {}, run("mkdir a"), "own"),
    ("claude", EDITS, {}, NPM, "asks"),
    ("claude", UNATTENDED, {}, EDIT, "unknown"),
    ("claude", ASKS, {MINE: settings(allow=["Edit"])}, EDIT, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Edit(*)"])}, EDIT, "own"),
    ("claude", ASKS, {MINE: settings(allow=["Edit(src/**)"])}, EDIT, "asks"),
    ("claude", ASKS, {MINE: settings(allow=["Edit(src/**)"])},
     Access(f"{ROOT}/src/b/c", "write"), "own"),
    ("claude", ASKS, {}, READ, "asks"),
    ("claude", ASKS, {}, Access(f"{ROOT}/a", "read"), "unknown"),
    ("claude", ASKS, {MINE: settings(allow=["Read(//x/**)"])}, READ, "own"),
    ("claude", ASKS, {MINE: settings(additionalDirectories=["/x"])}, READ, "unknown"),
    ("claude", ASKS, {MINE: settings(allow=["WebFetch"])}, Connect("a.example", "https"), "own"),
    ("claude", ASKS, {MINE: settings(allow=["WebFetch(domain:a.example)"])},
     Connect("a.example", "https"), "own named"),
    ("claude", ASKS, {MINE: settings(allow=["mcp__db__query"])},
     run("mcp__db__query"), "own named"),
    ("claude", ASKS, {MINE: settings(allow=["mcp__db"])}, run("mcp__db__query"), "own named"),
    ("claude", ASKS, {MINE: settings(allow=["mcp__db__*"])}, run("mcp__db__query"), "own named"),
    ("claude", ASKS, {MINE: settings(allow=["mcp__*"])}, run("mcp__db__query"), "own"),
    ("claude", ASKS, {MINE: settings(allow=["mcp__db"])}, run("mcp__dbx__query"), "unknown"),
    ("codex", ASKS, {}, NPM, "own"),
    ("codex", STRICT, {}, NPM, "asks"),
    ("codex", STRICT, {}, run("cat a"), "own"),
    ("codex", ASKS, {CODEX: 'approval_policy = "untrusted"'}, NPM, "asks"),
    ("codex", ASKS, {CODEX: 'approval_policy = "untrusted"'}, run("rg --pre x y"), "own"),
    ("codex", UNATTENDED, {CODEX: 'approval_policy = "untrusted"'}, NPM, "own"),
    ("codex", ASKS, {CODEX: 'approval_policy = "untrusted"'}, EDIT, "asks"),
    ("codex", ASKS, {CODEX: 'profile = "p"\n[profiles.p]\napproval_policy = "untrusted"'},
     NPM, "asks"),
    ("codex", ASKS,
     {CODEX: 'approval_policy = "untrusted"', f"{ROOT}/{CODEX}": 'approval_policy = "never"'},
     NPM, "own"),
    ("codex", ASKS, {f"{ROOT}/{CODEX}": 'approval_policy = "untrusted"'}, NPM, "own"),
    ("codex", ASKS, {CODEX: 'sandbox_mode = "workspace-write"'}, NPM, "own"),
    ("codex", ASKS, {f"{ROOT}/{CODEX}": 'sandbox_mode = "workspace-write"'}, NPM, "own"),
    # Without its sandbox it runs all that no rule matches, and nothing holds it.
    ("codex", ASKS, {CODEX: 'sandbox_mode = "danger-full-access"'}, NPM, "default"),
    ("codex", ASKS, {f"{ROOT}/{CODEX}": 'sandbox_mode = "danger-full-access"'}, NPM, "default"),
    ("codex", ASKS,
     {CODEX: 'profile = "p"\n[profiles.p]\nsandbox_mode = "danger-full-access"'},
     NPM, "default"),
    ("codex", ASKS, {CODEX: 'sandbox_mode = "read-only"'}, NPM, "own"),
    ("codex", ASKS, {CODEX: "approval_policy ="}, NPM, "unknown"),
    ("codex", ASKS, {RULES: 'prefix_rule(pattern=["npm", ["test", "t"]], decision="allow")'},
     NPM, "own named"),
    ("codex", ASKS, {RULES: 'prefix_rule(pattern=["npm"], decision="prompt")'}, NPM, "asks"),
    ("codex", UNATTENDED, {RULES: 'prefix_rule(pattern=["npm"], decision="prompt")'},
     NPM, "own"),
    ("codex", ASKS, {RULES: 'prefix_rule(pattern=["npm"], decision="forbidden")'}, NPM, "refuses"),
    ("codex", ASKS, {RULES: 'x = ["npm"]\nprefix_rule(pattern=x)'}, NPM, "unknown"),
    ("codex", ASKS, {RULES: "def f():\n  pass"}, NPM, "unknown"),
    ("codex", ASKS, {f"{ROOT}/{RULES}": 'prefix_rule(pattern=["npm"])'}, NPM, "own"),
    ("codex", ASKS, {CODEX: '[mcp_servers.db.tools.query]\napproval_mode = "approve"'},
     run("mcp__db__query"), "own named"),
    ("gemini", ASKS, {}, NPM, "asks"),
    ("gemini", UNSURE, {}, NPM, "unknown"),
    ("gemini", EDITS, {}, EDIT, "own"),
    ("gemini", ASKS, {}, EDIT, "asks"),
    ("gemini", UNSURE,
     {".gemini/settings.json": '{"general": {"defaultApprovalMode": "auto_edit"}}'},
     EDIT, "own"),
    ("gemini", UNSURE,
     {f"{ROOT}/.gemini/settings.json": '{"general": {"defaultApprovalMode": "auto_edit"}}'},
     EDIT, "unknown"),
    ("gemini", UNSURE, {GEMINI: f'{SHELL}commandPrefix = "npm test"\ndecision = "allow"'},
     NPM, "own named"),
    ("gemini", UNSURE, {GEMINI: f'{SHELL}decision = "allow"'}, NPM, "own"),
    ("gemini", UNSURE, {GEMINI: f'{SHELL}decision = "allow"\nmodes = ["plan"]'}, NPM, "unknown"),
    ("gemini", UNSURE,
     {GEMINI: f'{SHELL}decision = "allow"\n[[rule]]\npriority = 1000\ntoolName = "glob"'},
     NPM, "unknown"),
    ("gemini", UNSURE,
     {GEMINI: f'{SHELL}decision = "allow"\n{SHELL}decision = "ask_user"'.replace("5", "9", 1)},
     NPM, "own"),
    ("gemini", UNSURE,
     {GEMINI: f'{SHELL}decision = "deny"\n{SHELL}decision = "allow"'.replace("5", "9", 1)},
     NPM, "refuses"),
    ("gemini", UNSURE, {GEMINI: f'{RULE}mcpName = "db"\ndecision = "allow"'},
     run("mcp__db__query"), "own named"),
    ("gemini", UNSURE,
     {".gemini/settings.json": '{"tools": {"allowed": ["run_shell_command(npm)"]}}'},
     NPM, "own named"),
    ("gemini", UNSURE,
     {f"{ROOT}/.gemini/settings.json": '{"tools": {"allowed": ["run_shell_command(npm)"]}}'},
     NPM, "unknown"),
    ("opencode", ASKS, {}, NPM, "asks"),
    ("opencode", ASKS, {}, READ, "default"),
    ("opencode", ASKS, {OPENCODE: '{"permission": "allow"}'}, NPM, "own"),
    ("opencode", ASKS, {OPENCODE: '{"permission": {"bash": {"npm *": "allow"}}}'},
     NPM, "own named"),
    ("opencode", ASKS, {OPENCODE: '{"permission": {"bash": {"npm *": "allow", "*": "ask"}}}'},
     NPM, "asks"),
    ("opencode", ASKS, {OPENCODE: '{"permission": {"bash": {"*": "allow", "npm *": "deny"}}}'},
     NPM, "refuses"),
    ("opencode", ASKS, {f"{ROOT}/opencode.json": '{"permission": {"bash": "allow"}}'},
     NPM, "default"),
    ("opencode", ASKS, {f"{ROOT}/opencode.json": '{"permission": {"bash": {"* x": "allow"}}}'},
     Exec(("npm", Dynamic("$x"))), "unknown"),
    ("copilot", UNSURE, {}, NPM, "unknown"),
    ("copilot", UNSURE, {COPILOT: approved(ROOT, COMMANDS)}, NPM, "own named"),
    ("copilot", UNSURE, {COPILOT: approved("/", COMMANDS)}, NPM, "unknown"),
    ("copilot", UNSURE, {COPILOT: approved(ROOT, {"kind": "write"})}, EDIT, "own"),
    ("qwen", ASKS, {}, NPM, "asks"),
    ("qwen", ASKS, {}, run("git push"), "asks"),
    ("qwen", ASKS, {}, run("env x"), "unknown"),
    ("qwen", ASKS, {}, READ, "unknown"),
    ("qwen", ASKS, {".qwen/settings.json": settings(allow=["run_shell_command(npm *)"])},
     NPM, "own named"),
    ("qwen", ASKS, {".qwen/settings.json": '{"tools": {"allowed": ["ShellTool(npm)"]}}'},
     NPM, "own named"),
    ("qwen", ASKS, {f"{ROOT}/.qwen/settings.json": settings(allow=["Bash(npm *)"])},
     NPM, "unknown"),
    ("qwen", UNATTENDED, {}, NPM, "unknown"),
    ("cursor", UNSURE, {".cursor/cli-config.json": settings(allow=["Shell(npm)"])},
     NPM, "own named"),
    *(
        ("cursor", UNSURE, {".cursor/cli-config.json": settings(allow=[entry])}, NPM, answer)
        for entry, answer in (
            ("Shell(npm:*)", "own named"),
            ("Shell(npm:test *)", "own named"),
            ("Shell(npm:run *)", "unknown"),
            ("Shell(npm test)", "unknown"),
        )
    ),
    ("cursor", UNSURE, {f"{ROOT}/.cursor/cli.json": settings(allow=["Shell(npm)"])},
     NPM, "unknown"),
    ("droid", UNSURE, {".factory/settings.json": '{"commandAllowlist": ["npm test"]}'},
     NPM, "own named"),
    ("windsurf", UNSURE, {WINDSURF: '{"windsurf.cascadeCommandsAllowList": ["npm"]}'},
     NPM, "own named"),
    ("windsurf", UNSURE, {WINDSURF: '{"windsurf.cascadeCommandsDenyList": ["npm"]}'}, NPM, "asks"),
    ("antigravity", UNSURE, {}, NPM, "unknown"),
]  # fmt: skip


def kind(operation: Operation) -> str:
    if isinstance(operation, Exec):
        return "mcp" if str(operation.argv[0]).startswith("mcp__") else "shell"
    return operation.mode if isinstance(operation, Access) else "fetch"


def told(host: str, mode: str, operation: Operation, root: Path) -> str:
    if isinstance(operation, Access):
        operation = operation.replace(path=str(operation.path).replace(ROOT, str(root)))
    tool = Tool("t", kind(operation), mode, str(root), str(root))
    (answer,) = answers(host, tool, ((operation, ()),))
    return answer.does + " named" * answer.names


@pytest.mark.parametrize(("host", "mode", "files", "operation", "expected"), ROWS)
def test_what_the_host_itself_would_do(
    host: str,
    mode: str,
    files: dict[str, str],
    operation: Operation,
    expected: str,
    home: Path,
    tmp_path: Path,
) -> None:
    for name, text in files.items():
        path = tmp_path / name[5:] if name.startswith(ROOT) else home / name
        write(path, text.replace(ROOT, str(tmp_path)))
    assert told(host, mode, operation, tmp_path) == expected


def test_a_command_inside_another_is_under_the_entries_for_that_one(
    home: Path, tmp_path: Path
) -> None:
    """`bash -c "npm i"` runs unasked where `bash` does, so that the host asks is not certain."""
    write(home / MINE, settings(allow=["Bash(bash:*)"]))
    outer, inner = Exec(("bash", "-c", "npm i")), Exec(("npm", "i"), via=("bash -c",))
    tool = Tool("Bash", "shell", ASKS, str(tmp_path), str(tmp_path))
    (answer,) = answers("claude", tool, ((inner, (outer,)),))
    assert answer.does == "unknown"


INDEX = b"DIRC\0\0\0\2\0\0\0\1" + b"x" * 62


def test_a_list_that_git_brought_is_not_the_persons(home: Path, tmp_path: Path) -> None:
    write(tmp_path / ".claude/settings.local.json", settings(allow=["Bash(npm test:*)"]))
    new_repository(tmp_path)
    assert told("claude", ASKS, NPM, tmp_path) == "own named"
    index = tmp_path / ".git/index"
    index.write_bytes(INDEX + b"src/a\0\0\0")
    assert told("claude", ASKS, NPM, tmp_path) == "own named"
    index.write_bytes(INDEX + b".claude/settings.local.json\0\0\0")
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    index.write_bytes(b"DIRC\0\0\0\4" + b"x" * 62)  # its names are packed
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    index.unlink()
    os.mkfifo(index)
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"


def test_files_that_wait_or_lead_away_say_nothing(home: Path, tmp_path: Path) -> None:
    path = home / MINE
    path.parent.mkdir()
    os.mkfifo(path)
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    path.unlink()
    path.mkdir()
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    path.rmdir()
    elsewhere = write(tmp_path / "evil.json", settings(allow=["Bash(npm test:*)"]))
    path.symlink_to(elsewhere)
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    path.unlink()
    path.symlink_to(write(home / "dotfiles/claude.json", settings(allow=["Bash(npm test:*)"])))
    assert told("claude", ASKS, NPM, tmp_path) == "own named"
    path.unlink()
    write(path, settings(allow=["Bash(npm test:*)"])).chmod(0o666)
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"


def test_a_directory_of_settings_inside_the_project_is_not_believed(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "c/settings.json", settings(allow=["Bash(npm test:*)"]))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    assert told("claude", ASKS, NPM, tmp_path) == "unknown"
    write(home / "c/settings.json", settings(allow=["Bash(npm test:*)"]))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "c"))
    assert told("claude", ASKS, NPM, tmp_path) == "own named"


def test_opencodes_own_list_is_the_one_in_force(home: Path, tmp_path: Path) -> None:
    """The list that is sent has what agents and answers add; files only tell whose it is."""
    write(home / OPENCODE, '{"permission": {"bash": {"npm *": "allow"}}}')
    shipped = [["*", "*", "allow"], ["bash", "*", "ask"]]
    table: list[tuple[list[object], str]] = [
        ([], "asks"),
        ([["bash", "npm *", "allow"]], "own named"),
        ([["bash", "npm t*", "allow"]], "default"),
        ([["bash", "n*", "allow", "always"]], "own"),
        ([["bash", "npm test *", "allow", "always"]], "own named"),
        ([["bash", "npm *", "allow"], ["bash", "*", "deny"]], "refuses"),
        ([["bash", "npm *", "?"]], "refuses"),
        (["odd"], "asks"),
    ]
    for more, expected in table:
        tool = Tool("bash", "shell", ASKS, None, str(tmp_path), (*shipped, *more))
        (answer,) = answers("opencode", tool, ((NPM, ()),))
        assert answer.does + " named" * answer.names == expected, more
