"""A command of a wrapped session that uses a key of the user runs alone with it and its host."""

import subprocess
from pathlib import Path

import pytest

from tests.sandbox.keys.conftest import PASSWORD, refs
from tests.sandbox.keys.home import allow
from tests.sandbox.keys.servers import Server
from tests.wrap.support import wrapped


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
