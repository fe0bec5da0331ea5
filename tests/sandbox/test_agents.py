"""Sockets of other programs: nothing connects to them, unless a rule names one."""

import os
import socket
import subprocess
import sys
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
        file.write(f"{rules.format(path=path, directory=directory)}\n")
    with socket.socket(socket.AF_UNIX) as agent:
        agent.bind(str(path))
        agent.listen()
        done = run(project, "-c", TALK)
    assert ("signed" in done.stdout, f"may use `{path}` by" in done.stderr) == (opened, opened), (
        done.stderr
    )


def _server(kind: str, project: Path) -> subprocess.Popen[bytes]:
    """A server that listens at `agent` in the project, which the kernel lists in another way."""
    text = (
        "import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); "
        "s.listen(); os.rename(sys.argv[1], 'agent'); os.chdir('/'); print(flush=True); input()"
    )
    bound = {"relative": "./agent", "renamed": str(project / "first"), "network": "agent"}[kind]
    words = [*(["unshare", "-rn"] if kind == "network" else []), sys.executable, "-c", text, bound]
    pipe = subprocess.PIPE
    server = subprocess.Popen(words, cwd=project, stdin=pipe, stdout=pipe)
    assert server.stdout is not None
    server.stdout.readline()
    return server


@pytest.mark.parametrize("kind", ["relative", "renamed", "network"])
def test_a_socket_is_found_whatever_the_kernel_calls_it(project: Path, kind: str) -> None:
    talk = "import socket; socket.socket(socket.AF_UNIX).connect('agent'); print('reached')"
    with _server(kind, project) as server:
        done = run(project, "--", "/usr/bin/python3", "-c", talk)
        server.communicate(b"\n")
    assert ("reached" in done.stdout, "Error" in done.stderr) == (False, True), done.stderr


def test_a_socket_without_a_server_may_be_replaced(project: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(project / "old"))
    bind = "import os, socket; os.unlink('old'); socket.socket(socket.AF_UNIX).bind('old')"
    done = run(project, "--", "/usr/bin/python3", "-c", bind)
    assert done.returncode == 0, done.stderr
