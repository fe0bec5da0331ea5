"""What an agent and its servers leave for a later start outside of every session: none of it runs.

A file tool is the agent's own process, an MCP server of the project a command.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.home import Home
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words

# What git, shells, editors, package managers and agents run or obey when they are started here.
PROJECT = [
    ".envrc", ".mcp.json", ".vscode/tasks.json", ".vscode/settings.json", ".idea/workspace.xml",
    ".husky/pre-commit", ".git/hooks/pre-commit", ".git/hooks/post-checkout", ".git/config",
    ".git/info/attributes", ".git/commondir", ".gitmodules", ".claude/settings.json",
    ".claude/settings.local.json", ".cursor/mcp.json", ".cursor/hooks.json", ".codex/config.toml",
    ".gemini/settings.json", ".qwen/settings.json", "opencode.json", ".opencode/plugin/x.js",
    ".devcontainer/devcontainer.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs",
    ".pre-commit-config.yaml", "lefthook.yml", ".mise.toml", "sub/.envrc",
    "sub/.git/hooks/pre-commit", "sub/.claude/settings.json",
]  # fmt: skip
HOME = [
    ".bashrc", ".bash_profile", ".profile", ".gitconfig", ".config/git/config", ".ssh/config",
    ".ssh/authorized_keys", ".npmrc", ".vimrc", ".config/fish/config.fish", ".local/bin/git",
    "bin/git", "tools/git", "agent/claude.py", ".config/autostart/x.desktop",
    ".claude/settings.json",
    ".config/systemd/user/x.service", ".claude/hooks/x.sh", ".claude/skills/x/SKILL.md",
    ".claude/agents/x.md", ".claude/commands/x.md", ".claude/plugins/x/plugin.json", ".a.rules",
    ".config/execpolicy/config.toml", ".local/state/execpolicy/trust",
]  # fmt: skip
AGENT = """#!/usr/bin/python3
import os, subprocess, sys
WRITES = '''
import os, sys
text, *paths = sys.argv[1:]
def written(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path
def linked(path, link):
    made = written(path + ".part")
    os.path.lexists(path) and os.unlink(path)
    link(made, path)
def moved(path):
    directory, name = os.path.split(path)
    written(directory + ".part/" + name)
    os.path.isdir(directory) and os.rename(directory, directory + ".old")
    os.rename(directory + ".part", directory)
WAYS = (written, lambda p: os.rename(written(p + ".part"), p), lambda p: linked(p, os.link),
        lambda p: linked(p, os.symlink), moved)
for way in WAYS:
    for path in map(os.path.expanduser, paths):
        try:
            if way is not moved or os.path.dirname(path) not in (os.getcwd(), os.environ["HOME"]):
                way(path)
        except OSError:
            pass
'''
paths = open("paths").read().split()
sys.argv[1:] = [open("text").read(), *paths]
exec(WRITES)
subprocess.run(["python3", "-c", WRITES, *sys.argv[1:]])
"""
TEXT = "\n# PLANTED\n[core]\n\tfsmonitor = touch CANARY\n\thooksPath = sub\n"
STARTS = [
    ["bash", "-lic", "true"],
    ["git", "status"],
    ["git", "-C", "sub", "status"],
    ["git", "commit", "-q", "--allow-empty", "-m", "x"],
    ["git", "checkout", "-q", "-b", "x"],
    ["npm", "config", "list"],
    ["claude"],
]


@pytest.mark.parametrize(
    "server", [False, pytest.param(True, marks=pytest.mark.rest)], ids=["file tools", "a server"]
)
def test_nothing_that_was_planted_runs_later(
    base: Path, project: Path, monkeypatch: pytest.MonkeyPatch, server: bool
) -> None:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    home, canary = Home(base / "home", monkeypatch), base / "canary"
    only = "exec(WRITES)" if server else "subprocess.run(["
    agent = "\n".join(line for line in AGENT.splitlines() if not line.startswith(only))
    made = home.write("agent/claude.py", agent, 0o755)
    (home.programs / "claude").symlink_to(made)
    for name in (".bashrc", ".gitconfig", ".claude/settings.json", ".claude/plugins/known.json"):
        home.write(name, "")
    paths = [*(str(project / one) for one in (*PROJECT, "plain")), *(f"~/{one}" for one in HOME)]
    (project / "paths").write_text("\n".join(paths))
    (project / "text").write_text(
        f"#!/bin/sh\ntouch {canary}\n{TEXT.replace('CANARY', str(canary))}"
    )
    path = f"{home.programs}:{environment()['PATH']}"
    given = {**environment(), "HOME": str(home.path), "PATH": path}
    done = subprocess.run(words(project, ["claude"]), cwd=project, env=given, capture_output=True,
                          text=True, timeout=HANG_SECONDS)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert planted([*PROJECT, "plain"], project) == ["plain"]
    assert planted([*HOME], home.path) == []
    made.write_text("#!/bin/sh\n")
    for start in STARTS:
        subprocess.run(start, cwd=project, env=given, capture_output=True, timeout=HANG_SECONDS)
    assert not canary.exists()


def planted(names: list[str], at: Path) -> list[str]:
    """Which of these files has the text."""
    return [
        one for one in names if os.path.isfile(at / one) and "PLANTED" in (at / one).read_text()
    ]
