"""The hooks for pre-commit, run by the real pre-commit in a repository made on the spot."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[1]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
GOOD = 'prefix_rule(["deploy"], "prompt", justification = "customers see it", match = ["deploy"])\n'
CASES = 'policy(rules = ["a.rules"])\n\ncase("deploy now", "prompt")\n'


def environment(directory: Path) -> dict[str, str]:
    """This interpreter's programs first, and nothing of the user who runs the tests."""
    bin_directory = directory / "bin"
    bin_directory.mkdir(exist_ok=True)
    program = bin_directory / "execpolicy"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m execpolicy "$@"\n')
    program.chmod(0o755)
    names = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PRE_COMMIT"))}
    return names | {
        "PATH": f"{bin_directory}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PRE_COMMIT_HOME": str(directory / "store"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.com",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.com",
    }


def run(directory: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=directory / "repo",
        env=environment(directory),
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )


def pre_commit(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(directory, sys.executable, "-m", "pre_commit", *arguments)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose hooks are those of the manifest, run from this checkout."""
    pytest.importorskip("pre_commit")
    (tmp_path / "repo" / ".execpolicy" / "rules").mkdir(parents=True)
    run(tmp_path, "git", "init", "-q")
    manifest = re.sub(r"language: \w+", "language: system", MANIFEST.read_text())
    hooks = "".join(f"      {line}\n" for line in manifest.splitlines())
    config = f"repos:\n  - repo: local\n    hooks:\n{hooks}"
    (tmp_path / "repo" / ".pre-commit-config.yaml").write_text(config)
    return tmp_path


def add(directory: Path, rules: str, cases: str = CASES) -> None:
    place = directory / "repo" / ".execpolicy" / "rules"
    (place / "a.rules").write_text(rules)
    (place / "a.rules_test").write_text(cases)
    run(directory, "git", "add", ".")


def test_the_manifest_is_one(repository: Path) -> None:
    done = pre_commit(repository, "validate-manifest", str(MANIFEST))
    assert done.returncode == 0, done.stdout
    ids = re.findall(r"^- id: (.*)$", MANIFEST.read_text(), re.MULTILINE)
    assert ids == [
        "execpolicy-lint",
        "execpolicy-fmt",
        "execpolicy-test",
        "execpolicy-no-looser",
    ]


def test_good_rules_are_committed(repository: Path) -> None:
    add(repository, GOOD)
    assert pre_commit(repository, "install").returncode == 0
    done = run(repository, "git", "commit", "-qm", "rules")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count("Passed") + done.stdout.count("Passed") == 4


@pytest.mark.parametrize(
    ("rules", "cases", "failing", "says"),
    [
        (GOOD.replace('"deploy"]', '"deploy now"]'), CASES, "lint", "token-space"),
        (GOOD.replace("[", "[ ", 1), CASES, "fmt", "reformatted"),
        (GOOD, CASES.replace("prompt", "allow"), "test", "expected allow, got prompt"),
    ],
    ids=["lint", "fmt", "test"],
)
def test_a_bad_file_is_stopped_by_its_hook(
    rules: str, cases: str, failing: str, says: str, repository: Path
) -> None:
    add(repository, rules, cases)
    done = pre_commit(repository, "run", f"execpolicy-{failing}")
    assert done.returncode == 1, done.stdout
    assert says in done.stdout


def test_annotations_and_sarif_are_what_ci_reads(repository: Path) -> None:
    add(repository, 'prefix_rule(["deploy now"], "prompt")\n')
    lint = ["execpolicy", "lint", ".execpolicy/rules", "--format"]
    line = run(repository, *lint, "github").stdout.splitlines()[-1]
    assert line.startswith("::warning file=.execpolicy/rules/a.rules,line=1,col=14,title=token-sp")
    log = json.loads(run(repository, *lint, "sarif").stdout)
    places = [r["locations"][0]["physicalLocation"] for r in log["runs"][0]["results"]]
    assert {p["artifactLocation"]["uri"] for p in places} == {".execpolicy/rules/a.rules"}
