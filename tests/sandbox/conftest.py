"""A project to confine, and a loud skip where the kernel gives no namespaces."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import confined

RULES = """
sandbox(auto_allow = True)
path_rule(["./*"], modes = ["write", "remove"], decision = "allow")
"""


@pytest.fixture(scope="session")
def sandboxes() -> None:
    """Skip where no sandbox can be made."""
    if why := confined.missing():
        pytest.skip(f"NOT TESTED, no sandbox here: {why}")


@pytest.fixture
def base(sandboxes: None) -> Iterator[Path]:
    """A directory that is not a temporary one, which a sandbox has of its own."""
    cache = Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".cache"
    cache.mkdir(exist_ok=True)
    # What a test killed may still write for a moment.
    with tempfile.TemporaryDirectory(
        prefix="execpolicy-test-", dir=cache, ignore_cleanup_errors=True
    ) as made:
        yield Path(os.path.realpath(made))


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit, to be copied."""
    root = tmp_path_factory.mktemp("repository")
    git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    (root / "a.txt").write_text("hello\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    return root


@pytest.fixture
def project(base: Path, repository: Path) -> Path:
    """A repository with one commit, and beside it a rules file that opens it."""
    root = base / "project"
    shutil.copytree(repository, root, symlinks=True)
    root.chmod(0o777 & ~_umask())
    (base / "a.rules").write_text(RULES)
    return root


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
