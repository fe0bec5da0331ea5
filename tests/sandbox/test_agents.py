"""Sockets of other programs: hidden, unless a rule names one."""

import os
import socket
from pathlib import Path

import pytest

from tests.sandbox.test_run import run

TALK = (
    'python3 -c "import os, socket; s = socket.socket(socket.AF_UNIX); '
    "s.connect(os.environ['SSH_AUTH_SOCK']); print('signed')\""
)
RULES = [
    ("", False),
    ('path_rule(["{path}"], modes = ["write"], decision = "allow")', True),
    ('path_rule(["{directory}/*"], modes = ["write"], decision = "allow")', False),
    (
        'path_rule(["{path}"], modes = ["write"], decision = "allow")\n'
        'path_rule(["{directory}/*"], modes = ["write"], decision = "prompt")',
        False,
    ),
]


@pytest.mark.parametrize(("rules", "opened"), RULES)
def test_an_agent(project: Path, monkeypatch: pytest.MonkeyPatch, rules: str, opened: bool) -> None:
    directory = project.parent / "agents"
    directory.mkdir()
    path = directory / "ssh"
    monkeypatch.setenv("SSH_AUTH_SOCK", str(path))
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    with (project.parent / "a.rules").open("a") as file:
        file.write(f"sandbox(unix = True)\n{rules.format(path=path, directory=directory)}\n")
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(path))
        agent.listen()
        done = run(project, "-c", TALK)
    assert ("signed" in done.stdout, f"may use `{path}` by" in done.stderr) == (opened, opened), (
        done.stderr
    )
