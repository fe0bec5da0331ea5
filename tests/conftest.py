"""Every test has a home of its own. Only the compiled shipped rules are shared."""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")

# A shell starts what runs in the background with interrupts ignored, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of homes. `mktemp` would list all that there are, for each of 30,000 tests."""
    directory = tmp_path_factory.mktemp("homes")
    return (directory / f"home{number}" for number in count())


@pytest.fixture(autouse=True)
def home(_homes: Iterator[Path], _cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, with no settings and no rules."""
    directory = next(_homes)
    directory.mkdir()
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(directory / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(_cache))
    for name in ("AUDIT", "AUDIT_COMMANDS", "CODEX", "UNDECIDED"):
        monkeypatch.delenv(f"EXECPOLICY_{name}", raising=False)
    for name in ("CODEX_HOME", "CI", "GITHUB_ACTIONS", "GITHUB_ENV"):
        monkeypatch.delenv(name, raising=False)
    return directory
