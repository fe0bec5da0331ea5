"""The hooks as they are shipped: pre-commit clones the project and builds their environment.

What the hooks then say is told in `test_pre_commit.py`, without building anything.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIG = """repos:
  - repo: {project}
    rev: {revision}
    hooks:
      - id: execpolicy-lint
      - id: execpolicy-fmt
      - id: execpolicy-test
"""
GOOD = 'prefix_rule(["deploy"], "prompt", justification = "customers see it", match = ["deploy"])\n'
CASES = 'policy(rules = ["a.rules"])\n\ncase("deploy now", "prompt")\n'
# What a build needs, and the manifest itself: the rest of the project is not part of the hooks.
SHIPPED = (
    "bin",
    "execpolicy",
    "rules",
    "grammar",
    "docs",
    "plugins",
    "hatch_build.py",
    "pyproject.toml",
    "README.md",
    "LICENSE",
)


def run(directory: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    names = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PRE_COMMIT"))}
    person = {
        f"GIT_{who}_{what}": "a@example.com"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    return subprocess.run(
        command,
        cwd=directory,
        env={**names, **person, "GIT_CONFIG_GLOBAL": os.devnull, **more},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project as it stands, manifest and all, as a git repository of one commit."""
    target = tmp_path / "project"
    target.mkdir()
    for name in SHIPPED:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__", "data")
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=ignored)
        else:
            shutil.copy(source, target / name)
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", target)
    run(target, "git", "init", "-q")
    run(target, "git", "add", ".")
    assert run(target, "git", "commit", "-qm", "all").returncode == 0
    return target


def test_the_shipped_hooks_are_built_and_run(project: Path, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    repository = tmp_path / "repo"
    rules = repository / ".execpolicy" / "rules"
    rules.mkdir(parents=True)
    run(repository, "git", "init", "-q")
    revision = run(project, "git", "rev-parse", "HEAD").stdout.strip()
    config = CONFIG.format(project=project, revision=revision)
    (repository / ".pre-commit-config.yaml").write_text(config)
    (rules / "a.rules").write_text(GOOD)
    (rules / "a.rules_test").write_text(CASES)
    run(repository, "git", "add", ".")
    hook = (sys.executable, "-m", "pre_commit", "run")
    store = {"PRE_COMMIT_HOME": str(tmp_path / "store"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run(repository, *hook, **store)
    if "No matching distribution" in done.stdout or "NewConnectionError" in done.stdout:
        pytest.skip("pip finds no package index here")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("Passed") == 3
    assert list((tmp_path / "store").glob("repo*/py_env-*/bin/execpolicy"))
    (rules / "a.rules").write_text(GOOD.replace('"deploy"]', '"deploy now"]'))
    run(repository, "git", "add", ".")
    done = run(repository, *hook, "execpolicy-lint", **store)
    assert done.returncode == 1, done.stdout
    assert "token-space" in done.stdout
