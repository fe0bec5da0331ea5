"""A home with keys, a project, and the servers that want them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.keys import servers
from tests.sandbox.keys.home import Home
from tests.sandbox.keys.servers import Server

PASSWORD = "canary-7f3a9c"  # noqa: S105


@pytest.fixture
def home(base: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home beside the project, with programs of the user's own."""
    for name in os.environ:
        if name.startswith(("GIT_", "XDG_", "SSH_", "npm_", "GH_")):
            monkeypatch.delenv(name)
    made = Home(base / "home", monkeypatch)
    made.git("user.name", "a")
    made.git("user.email", "a@b")
    made.git("protocol.version", "2")
    return made


@pytest.fixture
def remote(base: Path, project: Path) -> Iterator[Server]:
    """A server of git that wants a password; the project's `origin` is there, and has one commit
    more."""
    bare = base / "served" / "a.git"
    subprocess.run(["git", "clone", "-q", "--bare", str(project), str(bare)], check=True)
    subprocess.run(["git", "-C", str(bare), "config", "http.receivepack", "true"], check=True)
    commit(bare, "two")
    backend = servers.git_backend(base / "served")
    with servers.serving(servers.wants(servers.basic("user", PASSWORD), backend)) as server:
        git = ["git", "-C", str(project)]
        subprocess.run([*git, "remote", "add", "origin", f"{server.url}/a.git"], check=True)
        yield server
    shutil.rmtree(base / "served")


def commit(bare: Path, name: str) -> str:
    """Add a commit to a bare repository; what it is called by."""
    git = ["git", "-C", str(bare), "-c", "user.name=a", "-c", "user.email=a@b"]
    words = ["commit-tree", "-p", "HEAD", "-m", name, "HEAD^{tree}"]
    made = subprocess.run([*git, *words], check=True, capture_output=True, text=True).stdout.strip()
    branch = subprocess.run([*git, "symbolic-ref", "HEAD"], check=True, capture_output=True,
                            text=True).stdout.strip()  # fmt: skip
    subprocess.run([*git, "update-ref", branch, made], check=True)
    return made


def refs(project: Path) -> str:
    """The subjects of all that was fetched, newest first."""
    words = ["git", "-C", str(project), "log", "--format=%s", "--remotes"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout
