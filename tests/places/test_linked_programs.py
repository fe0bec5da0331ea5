"""A program of an environment that is a link to the one of the system, on a disk."""

import os
import shutil
from pathlib import Path

import pytest

from execpolicy import Decision, Engine

ASK, ALLOW = Decision.PROMPT, Decision.ALLOW
BIN = ".venv/bin/"


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load(rules=[])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / BIN).mkdir(parents=True)
    for name in ("git", "sh"):
        os.symlink(shutil.which("sh") or "", root / BIN / name)
    os.symlink("/usr/bin/env", root / BIN / "python3.11")
    os.symlink("evil", root / BIN / "node")
    (root / BIN / "evil").write_text("#!/bin/sh\n")
    for name in ("env", "ls"):
        os.symlink(f"/usr/bin/{name}", root / BIN / name)
    return root


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ls --version", ALLOW),
        ("env --help", ALLOW),
        ("ls -a", ALLOW),
        ("ls ..", ASK),
        ("ls $x", ASK),
        ("env ./x", ASK),
        ("git --version", ASK),
        ("node --version", ASK),
        ("evil --version", ASK),
        ("python3.11 --version", ASK),
        ("missing --version", ASK),
    ],
)
def test_a_link_to_the_program_itself_shows_its_version(
    engine: Engine, project: Path, text: str, expected: Decision
) -> None:
    assert engine.check(BIN + text, cwd=str(project)).decision is expected


@pytest.mark.parametrize(
    "before", ["ln -sf evil .venv/bin/ls;", "cp x .venv/bin/ls &&", "LD_PRELOAD=./x", "make;"]
)
def test_what_changes_it_first(engine: Engine, project: Path, before: str) -> None:
    assert engine.check(f"{before} {BIN}ls --version", cwd=str(project)).decision is ASK
