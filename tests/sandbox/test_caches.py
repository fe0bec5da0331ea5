"""Caches of tools: read, written in a copy, or written; programs among them never."""

import os
import subprocess
from pathlib import Path

import pytest

import execpolicy
from execpolicy.sandbox import Sandbox
from execpolicy.sandbox.backends import bubblewrap
from execpolicy.sandbox.backends.start import prepared
from execpolicy.sandbox.scan.caches import CACHES, TOOLCHAINS
from tests.waiting import HANG_SECONDS
from tests.warm import warm

NEW = ".cache/pip"
PROGRAMS = (".cargo/bin", ".npm/_npx", ".cache/pre-commit", ".cache/uv/environments-v2")


@pytest.fixture
def home(base: Path, common_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = base / "home"
    warm(common_cache, made / ".cache")
    for name in (*CACHES, *TOOLCHAINS, *PROGRAMS):
        (made / name).mkdir(parents=True, exist_ok=True)
        (made / name / "old").write_text("old")
    monkeypatch.setenv("HOME", str(made))
    monkeypatch.setenv("XDG_STATE_HOME", str(made / ".local/state"))
    return made


def execute(project: Path, caches: str, text: str) -> int:
    """The exit code of a text."""
    rules = project.parent / "c.rules"
    rules.write_text(f"sandbox(auto_allow = True, caches = {caches})\n")
    sandbox = Sandbox(execpolicy.Engine.load(rules=[rules], cwd=project))
    return sandbox.execute(text, cwd=str(project)).code


def wrote(project: Path, home: Path, caches: str, name: str) -> tuple[bool, bool]:
    """Whether a command could write in a directory, and whether it is written after the run."""
    at = home / name
    text = f"echo new > {at}/old && mkdir {at}/dir && mv {at}/old {at}/dir && cat {at}/dir/old"
    return execute(project, caches, text) == 0, (at / "dir").exists()


def with_overlays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a bubblewrap that makes overlays, and skip where none does."""
    for directory in (*prepared.DIRECTORIES, os.path.dirname(prepared.packaged())):
        words = [f"{directory}/bwrap", "--unshare-user", "--dev-bind", "/", "/"]
        words += ["--overlay-src", "/etc", "--tmp-overlay", "/etc", "touch", "/etc/new"]
        try:
            done = subprocess.run(words, capture_output=True, check=False, timeout=HANG_SECONDS)
        except OSError:
            continue
        if done.returncode == 0:
            monkeypatch.setattr(prepared, "DIRECTORIES", (directory,))
            return
    pytest.skip("NOT TESTED: no bubblewrap 0.11, or no overlays in this kernel")


@pytest.mark.parametrize("name", [NEW, ".cargo/registry", "go/pkg/mod"])
@pytest.mark.parametrize(
    ("caches", "wanted"),
    [('"read"', (False, False)), ("False", (False, False)), ('"write"', (True, True))],
)
def test_a_cache(
    project: Path, home: Path, caches: str, wanted: tuple[bool, bool], name: str
) -> None:
    assert wrote(project, home, caches, name) == wanted


def test_a_copy_is_gone_after_the_run(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_overlays(monkeypatch)
    assert wrote(project, home, '"overlay"', NEW) == (True, False)
    assert (home / NEW / "old").read_text() == "old"


def test_without_overlays_a_cache_is_only_read(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "_overlays", lambda: False)
    assert wrote(project, home, '"overlay"', NEW) == (False, False)


@pytest.mark.parametrize("name", [*PROGRAMS, *TOOLCHAINS])
def test_programs_are_only_read(project: Path, home: Path, name: str) -> None:
    assert wrote(project, home, '"write"', name) == (False, False)


@pytest.mark.parametrize("name", [*PROGRAMS, *TOOLCHAINS, ".cache"])
def test_a_copy_of_programs_is_gone_after_the_run(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with_overlays(monkeypatch)
    (home / ".cache/old").write_text("old")
    assert wrote(project, home, '"overlay"', name)[1] is False


@pytest.mark.parametrize(("tool", "made"), [("golangci-lint", True), ("other", False)])
def test_the_first_cache_of_a_tool_is_made(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch, tool: str, made: bool
) -> None:
    programs = project.parent / "bin"
    programs.mkdir()
    (programs / tool).touch()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    (home / ".cache/golangci-lint/old").unlink()
    (home / ".cache/golangci-lint").rmdir()
    text = f"echo new > {home}/.cache/golangci-lint/new"
    assert (execute(project, '"read"', text), (home / ".cache/golangci-lint").exists()) == (
        1,
        False,
    )
    assert execute(project, '"write"', text) == (0 if made else 1)
    assert (home / ".cache/golangci-lint/new").exists() is made


def test_a_link_in_the_place_of_a_cache_opens_nothing(project: Path, home: Path) -> None:
    other = home / "other"
    other.mkdir()
    (other / "old").write_text("old")
    (home / NEW / "old").unlink()
    os.rmdir(home / NEW)
    (home / NEW).symlink_to(other)
    assert wrote(project, home, '"write"', NEW) == (False, False)
