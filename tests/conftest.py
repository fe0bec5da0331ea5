"""Every test has a home of its own. Only the compiled shipped rules are shared."""

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says nothing on a busy machine.
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def _cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def home(
    tmp_path_factory: pytest.TempPathFactory, _cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty home directory, with no settings and no rules."""
    directory = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(directory / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(_cache))
    for name in ("AUDIT", "AUDIT_COMMANDS", "CODEX", "UNDECIDED"):
        monkeypatch.delenv(f"EXECPOLICY_{name}", raising=False)
    for name in ("CODEX_HOME", "CI", "GITHUB_ACTIONS", "GITHUB_ENV"):
        monkeypatch.delenv(name, raising=False)
    return directory
