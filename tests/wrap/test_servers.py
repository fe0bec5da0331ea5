"""An MCP server of the user's own keeps its variables; one of the project is a command."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.home import Home
from tests.waiting import HANG_SECONDS
from tests.wrap.support import environment, words

# As agents do it: no shell, and the variables of its own file.
AGENT = """#!/usr/bin/python3
import os, subprocess, sys
given = {**os.environ, "TOKEN": "of-agent"}
for how in (["server", "--stdio"], ["server", "--other"], ["bash", "-c", "server --stdio"]):
    done = subprocess.run(how, env=given, capture_output=True, text=True)
    print(how[-1], "->", done.stdout.strip(), done.stderr.strip(), flush=True)
"""
ALLOWS = 'prefix_rule(["server"], "allow")\n'


class ServerField:
    """A user whose agent has a server with a key."""

    def __init__(self, base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.project = Home(base / "home", monkeypatch), project
        self.agent(AGENT)
        self.home.program("server", '#!/bin/sh\necho "token: $TOKEN"\n')
        server = {"command": "server", "args": ["--stdio"], "env": {"TOKEN": "secret-of-user"}}
        self.home.write(".claude.json", json.dumps({"mcpServers": {"s": server}}))
        rules = project.parent / "a.rules"
        rules.write_text(rules.read_text() + ALLOWS)

    def agent(self, text: str) -> None:
        """The agent, in a directory of its own, to which a link of PATH leads."""
        made, link = self.home.write("agent/claude.py", text, 0o755), self.home.programs / "claude"
        link.unlink(missing_ok=True)
        link.symlink_to(made)

    def said(self, path: str = "") -> dict[str, str]:
        """What each way of starting it says."""
        search = f"{path}{self.home.programs}:{environment()['PATH']}"
        done = subprocess.run(
            words(self.project, ["claude"]),
            cwd=self.project,
            env={**environment(), "HOME": str(self.home.path), "PATH": search},
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
        )
        rows = (line.split(" -> ", 1) for line in done.stdout.splitlines() if " -> " in line)
        found = {name: rest.strip() for name, rest in rows}
        assert len(found) == 3, done.stdout + done.stderr
        return found


@pytest.fixture
def field(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> ServerField:
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return ServerField(base, project, monkeypatch)


def test_a_server_of_the_user_keeps_its_variables(field: ServerField) -> None:
    said = field.said()
    assert said["--stdio"] == "token: secret-of-user"
    assert "secret-of-user" not in said["--other"] + said["server --stdio"]


def test_one_that_no_rule_allows_gets_none(field: ServerField) -> None:
    rules = field.project.parent / "a.rules"
    rules.write_text(rules.read_text().replace(ALLOWS, ""))
    assert "secret-of-user" not in str(field.said())


def test_a_program_of_the_project_gets_none(field: ServerField) -> None:
    own = field.project / "bin/server"
    own.parent.mkdir()
    own.write_text('#!/bin/sh\necho "token: $TOKEN"\n')
    own.chmod(0o755)
    assert "secret-of-user" not in str(field.said(f"{own.parent}:"))


def test_what_the_agent_changes_of_its_file_changes_nothing(field: ServerField) -> None:
    changes = "import pathlib\np = pathlib.Path.home() / '.claude.json'\n"
    changes += "p.write_text(p.read_text().replace('--stdio', '--other'))\n"
    field.agent(AGENT.replace("import os", f"{changes}import os", 1))
    said = field.said()
    assert (said["--stdio"], "secret" in said["--other"]) == ("token: secret-of-user", False)
