"""What is shipped works: pre-commit clones the project and builds an environment of nothing else.

What the hooks then say is told in `test_pre_commit.py`, without building anything, and what a
wheel holds in `test_wheel.py`, without compiling anything.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.building import ROOT, copied, missing, once

pytestmark = pytest.mark.slow

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
HOOK = (sys.executable, "-m", "pre_commit", "run")

FIRST = """
import sys
from execpolicy.engine.engine import Engine
(match,) = Engine.load(rules=[]).check("ls").matches
assert match.origin.file.startswith(sys.prefix), match.origin.file
print("read" if open(match.origin.file).read() else "")
print("compiled" if "starlark" in sys.modules else "not compiled")
"""


WORDS = "from execpolicy.hosts.install.start_words import command; print(*command())"
"""The words of a hook, as `install` writes them."""


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


class Shop(NamedTuple):
    """A repository whose hooks are those of the project, after their first run."""

    repository: Path
    store: Path
    first: subprocess.CompletedProcess[str]

    def hook(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the hooks on what is staged."""
        cache = self.store / "cache"
        return run(
            self.repository,
            *HOOK,
            *words,
            PRE_COMMIT_HOME=str(self.store),
            XDG_CACHE_HOME=str(cache),
            PIP_NO_COMPILE="1",  # of the dependencies, little is ever imported
        )

    @property
    def environment(self) -> Path:
        """The virtual environment that pre-commit made."""
        (found,) = self.store.glob("repo*/py_env-*")
        return found


def committed(project: Path) -> str:
    """Make a repository of one commit; the commit."""
    run(project, "git", "init", "-q")
    run(project, "git", "add", ".")
    assert run(project, "git", "commit", "-qm", "all").returncode == 0
    return run(project, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """The repository, made once for all processes of a run: to build a package takes long."""
    pytest.importorskip("pre_commit")
    base = once(tmp_path_factory, "shipped", opened)
    code, stdout, stderr = json.loads((base / "first.json").read_text())
    if "No matching distribution" in stdout or "NewConnectionError" in stdout:
        pytest.skip("pip finds no package index here")
    first = subprocess.CompletedProcess[str]((), code, stdout, stderr)
    return Shop(base / "repo", base / "store", first)


def opened(base: Path) -> Path:
    """A repository with its configuration, rules and cases, and the first run of its hooks."""
    project, repository = copied(base / "project"), base / "repo"
    config = CONFIG.format(project=project, revision=committed(project))
    rules = repository / ".execpolicy" / "rules"
    rules.mkdir(parents=True)
    run(repository, "git", "init", "-q")
    (repository / ".pre-commit-config.yaml").write_text(config)
    (rules / "a.rules").write_text(GOOD)
    (rules / "a.rules_test").write_text(CASES)
    run(repository, "git", "add", ".")
    shop = Shop(repository, base / "store", subprocess.CompletedProcess((), 0, "", ""))
    done = shop.hook()
    (base / "first.json").write_text(json.dumps((done.returncode, done.stdout, done.stderr)))
    return base


def test_the_shipped_hooks_are_built_and_run(shop: Shop) -> None:
    assert shop.first.returncode == 0, shop.first.stdout + shop.first.stderr
    assert shop.first.stdout.count("Passed") == 3
    path = shop.repository / ".execpolicy/rules/a.rules"
    path.write_text(GOOD.replace('"deploy"]', '"deploy now"]'))
    run(shop.repository, "git", "add", ".")
    done = shop.hook("execpolicy-lint")
    assert done.returncode == 1, done.stdout
    assert "token-space" in done.stdout


def test_what_is_installed_holds_all_that_a_wheel_holds_and_what_was_compiled(shop: Shop) -> None:
    (record,) = shop.environment.glob("lib/python*/site-packages/execpolicy-*/RECORD")
    names = {line.split(",")[0] for line in record.read_text().splitlines()}
    assert missing(names) == []
    compiled = {f"execpolicy/data/compiled/{name}" for name in ("builtin", "bashlex", "syntax")}
    assert compiled <= names


def test_it_runs_in_an_environment_of_nothing_else(shop: Shop, tmp_path: Path) -> None:
    program, python = (str(shop.environment / "bin" / name) for name in ("execpolicy", "python"))
    fresh = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = run(tmp_path, python, "-c", FIRST, **fresh)
    assert done.stdout.split() == ["read", "not", "compiled"], done.stderr
    check = [program, "check", "--format", "json", "--"]
    for words, code, decision in ((["ls", "-la"], 0, "allow"), (["git", "push"], 3, "prompt")):
        done = run(tmp_path, *check, *words)
        assert (done.returncode, json.loads(done.stdout)["decision"]) == (code, decision), done
    isolated = run(tmp_path, python, "-c", WORDS).stdout.split()
    assert isolated[1:4] == [python, "-I", "-S"]
    of_package = [Path(isolated[at]) for at in (0, 4)]
    assert [path.name for path in of_package] == ["hook", "__main__.py"]
    assert all(path.is_relative_to(shop.environment) for path in of_package)
    assert run(tmp_path, *isolated, "check", "--", "ls").returncode == 0
    page = run(tmp_path, program, "lint", "--explain", "dead")
    assert page.stdout == (ROOT / "docs/lint/dead.md").read_text()
