"""A project to confine, and a loud skip where the kernel gives no namespaces."""

import os
import subprocess
from pathlib import Path

import pytest

PROBE = [
    "bwrap",
    "--unshare-user",
    "--unshare-pid",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "true",
]
RULES = """
sandbox(auto_allow = True)
path_rule(["./*"], modes = ["write", "remove"], decision = "allow")
"""


def _why_not() -> str:
    try:
        done = subprocess.run(PROBE, capture_output=True, timeout=60)
    except OSError as error:
        return f"no bubblewrap: {error}"
    return "" if done.returncode == 0 else f"no namespaces: {done.stderr.decode()}"


@pytest.fixture(scope="session")
def sandboxes() -> None:
    """Skip where no sandbox can be made."""
    if why := _why_not():
        pytest.skip(f"NOT TESTED, no sandbox here: {why}")


@pytest.fixture
def project(tmp_path: Path, sandboxes: None) -> Path:
    """A repository with one commit, and beside it a rules file that opens it."""
    root = tmp_path / "project"
    root.mkdir()
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    (root / "a.txt").write_text("hello\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    (tmp_path / "a.rules").write_text(RULES)
    return Path(os.path.realpath(root))
