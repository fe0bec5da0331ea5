"""Keys outside the project: in other repositories of the home, beside the project, in `/etc`."""

import os
from pathlib import Path

import pytest

from execpolicy import Engine
from execpolicy.sandbox import Sandbox
from tests.repositories import new_repository
from tests.sandbox.test_run import run

KEPT = [
    "home/other/.env",
    "home/code/third/.env",
    "home/code/third/deploy/id_ed25519",
    "home/.config/app/server.key",
    "home/.m2/settings.xml",
    "home/.cargo/credentials.toml",
    "beside/.env",
    "beside/service/.env.local",
]
SHOWN = [
    "home/other/README.md",
    "home/other/.env.example",
    "home/code/third/deploy/id_ed25519.pub",
    "beside/notes.txt",
]


@pytest.fixture
def machine(base: Path, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two other repositories, and a directory beside the project."""
    monkeypatch.setenv("HOME", str(base / "home"))
    for name in ("home/other", "home/code/third"):
        new_repository(base / name)
    for name in (*KEPT, *SHOWN):
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("content")
    return base


@pytest.mark.parametrize("name", KEPT)
def test_keys_elsewhere_are_not_there(machine: Path, project: Path, name: str) -> None:
    done = run(project, "-c", f"f={machine}; cat $f/{name}")
    assert (done.stdout, done.returncode) == ("", 1), done.stderr


@pytest.mark.parametrize("name", SHOWN)
def test_all_else_is(machine: Path, project: Path, name: str) -> None:
    assert run(project, "-c", f"f={machine}; cat $f/{name}").stdout == "content"


@pytest.mark.skipif(not Path("/etc/shadow").exists(), reason="there is no such file")
def test_passwords_of_the_machine_are_not_there_for_root_either(project: Path) -> None:
    done = run(project, "-c", "f=/etc/sha; cat ${f}dow")
    assert (done.stdout, done.returncode) == ("", 1)
    assert "Permission denied" in done.stderr


@pytest.mark.skipif(not Path("/etc/shadow").exists(), reason="there is no such file")
@pytest.mark.parametrize("readable", [True, False])
def test_what_is_closed_to_the_user_needs_no_mount(
    project: Path, monkeypatch: pytest.MonkeyPatch, readable: bool
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: readable)
    plan = Sandbox(Engine.load([])).plan("true", cwd=str(project))
    assert ("/etc/shadow" in [mount.path for mount in plan.mounts]) is readable
