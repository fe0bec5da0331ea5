"""A command of a wrapped session that uses a key of the user runs alone with it and its host."""

import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.commands.wrap_keys import key_of_call
from execpolicy.model.operation import Request
from execpolicy.sandbox.api import Sandbox
from tests.sandbox.keys import servers
from tests.sandbox.keys.conftest import PASSWORD, refs
from tests.sandbox.keys.home import Home, allow
from tests.sandbox.keys.servers import Server
from tests.sandbox.keys.test_more_programs import SENDS
from tests.sandbox.keys.test_stand_ins import FILES, STAND_IN, install
from tests.terminal import Terminal
from tests.waiting import HANG_SECONDS, Process, until
from tests.wrap.support import environment, words, wrapped

GCLOUD = f"#!/bin/sh\necho . >> ~/FILE\n{STAND_IN}{SENDS}".replace("FILE", FILES["gcloud"][0])


def test_what_uses_no_key_is_prepared_once(project: Path) -> None:
    attempt = Sandbox(Engine.load()).requested(Request(text="git status", cwd=str(project)))
    make = partial(pytest.fail, "it was prepared for a key")
    assert key_of_call(attempt, make, {}, (), approved=True, begun=False) is None


def said(done: "subprocess.CompletedProcess[bytes]") -> str:
    return (done.stdout + done.stderr).decode()


ALLOWED = [
    "git fetch",
    "bash -c 'git fetch -q 2>&1 | cat'",
    "cd sub && timeout 60 git fetch",
    "bash -c 'cd sub && git fetch && touch ../after'",
    "bash -c 'touch a && git fetch -q >/dev/null 2>&1; test -e a'",
]


@pytest.mark.parametrize("text", ALLOWED)
def test_a_private_repository_is_fetched(project: Path, login: Server, text: str) -> None:
    (project / "sub").mkdir()
    allow(project, login.port)
    done = wrapped(project, text)
    assert (done.returncode, refs(project)) == (0, "two\none\n"), said(done)
    assert (project / "after").exists() == ("after" in text)
    assert PASSWORD not in said(done)


@pytest.mark.rest
def test_a_program_that_writes_beside_its_key_gets_a_copy(project: Path, home: Home) -> None:
    with servers.serving(servers.wants(f"Bearer {PASSWORD}", servers.says(b"a bucket"))) as server:
        install(home, project, server.port)
        home.program("gcloud", GCLOUD)
        path = f"export PATH={home.programs}:$PATH"
        done = wrapped(project, f"{path}; bash -c 'gcloud storage ls'; bash -c 'az login'")
    assert "a bucket" in said(done)
    assert "a terminal of your own" in said(done)
    assert PASSWORD not in said(done)
    assert (home.path / ".config/gcloud/credentials.db").read_text().endswith(PASSWORD)


HOOK = "#!/bin/sh\n{ cat; cat ~/.git-credentials; } >> seen 2>&1; true\n"
PUSHES = """
bash -c 'git push -q origin HEAD:new' 2>asked; echo $?
until test -e go; do read -t 0.05 <> <(:); done
bash -c 'git push -q origin HEAD:new'; echo $?
"""


@pytest.mark.rest
def test_a_push_that_was_approved_by_its_code_is_done(
    base: Path, project: Path, login: Server
) -> None:
    """Its hook runs before it, and sees no key."""
    hook = project / ".git/hooks/pre-push"
    hook.write_text(HOOK)
    hook.chmod(0o755)
    rules = project.parent / "a.rules"
    opens = f'network_rule("127.0.0.1", "http", "allow", ports = [{login.port}])\n'
    rules.write_text(rules.read_text().replace("sandbox(auto_allow = True)", opens))
    asked = project / "asked"
    with Process(words(project, ["bash", "-c", PUSHES]), cwd=project, env=environment(),
                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as session:  # fmt: skip
        until(lambda: asked.exists() and "execpolicy approve " in asked.read_text())
        code = re.findall("execpolicy approve ([A-Z0-9]+)", asked.read_text())[0]
        approve = [sys.executable, "-m", "execpolicy", "approve", code]
        with Terminal(approve, project.parent, environment()) as terminal:
            terminal.until("approved: ")
        (project / "go").touch()
        told = session.communicate(timeout=HANG_SECONDS)[0].decode()
    assert told.split() == ["123", "0"]
    assert (base / "served/a.git/refs/heads/new").exists(), told
    seen = (project / "seen").read_text()
    assert (" refs/heads/new 000" in seen, PASSWORD in seen) == (True, False), seen
