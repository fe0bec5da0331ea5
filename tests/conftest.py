"""Every test has a home of its own. The compiled shipped rules are shared."""

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from execpolicy.commands import doctor_sandbox, doctor_wrap
from execpolicy.language.evaluate import worker
from execpolicy.language.evaluate.worker import kept
from tests.examples import QUICK

settings.load_profile(QUICK)
gc.enable()  # the command line, imported here, turned it off for a process that ends at once

# A shell starts what runs in the background with interrupts ignored, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.fixture(scope="session")
def common_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class Homes:
    """Home directories. One that a test left as it was is the next test's, too."""

    def __init__(self, directory: Path) -> None:
        self._names = (directory / f"home{number}" for number in count())
        self._last: tuple[Path, int] | None = None

    def empty(self) -> Path:
        """A home with nothing in it."""
        if self._last is None or not _is_untouched(*self._last):
            made = next(self._names)
            made.mkdir()
            self._last = made, made.stat().st_mode
        return self._last[0]


def _is_untouched(directory: Path, mode: int) -> bool:
    try:
        return directory.lstat().st_mode == mode and not os.listdir(directory)
    except OSError:
        return False


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Homes:
    return Homes(tmp_path_factory.mktemp("homes"))


@pytest.fixture(scope="session", autouse=True)
def _no_disk() -> Iterator[None]:
    """What a test writes is gone with the test: nobody waits until the disk has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        patch.setattr(os, "sync", lambda: None)
        yield


@pytest.fixture(autouse=True)
def home(_homes: Homes, common_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, with no settings and no rules."""
    directory = _homes.empty()
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(directory / ".config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(directory / ".local/state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(common_cache))
    for name in ("AUDIT", "AUDIT_COMMANDS", "CODEX", "UNDECIDED"):
        monkeypatch.delenv(f"EXECPOLICY_{name}", raising=False)
    for name in ("CODEX_HOME", "CI", "GITHUB_ACTIONS", "GITHUB_ENV"):
        monkeypatch.delenv(name, raising=False)
    return directory


@pytest.fixture(scope="session", autouse=True)
def _evaluator() -> Iterator[None]:
    """One process evaluates the rules texts of all tests: to start one takes 50 ms."""
    with kept():
        yield


@pytest.fixture
def walls_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """`doctor` finds the sandbox of this machine in order: to try it runs six commands in one, and
    sessions of `wrap`."""
    holds = doctor_sandbox.Finding(True, "sandbox: every wall holds")
    monkeypatch.setattr(doctor_sandbox, "walls", lambda: [holds])
    monkeypatch.setattr(doctor_wrap, "sessions", lambda: iter(()))


@pytest.fixture
def no_evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each evaluation starts a process of its own, as in a command that evaluates once."""
    monkeypatch.setattr(worker, "_kept", [])
    monkeypatch.setattr(worker, "_waiting", [])


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Of several processes each takes one half of the tests in order, as neighbours share fixtures,
    and the one that is done first takes over from the other."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


def pytest_collection_finish() -> None:
    """What was collected stays: the collector need not look at it again."""
    gc.collect()
    gc.freeze()
