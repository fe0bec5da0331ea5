"""Every test has a home of its own. The compiled shipped rules are shared."""

import gc
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from execpolicy.commands import doctor_sandbox
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


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of homes. `mktemp` would list all that there are, for each of 30,000 tests."""
    directory = tmp_path_factory.mktemp("homes")
    return (directory / f"home{number}" for number in count())


@pytest.fixture(autouse=True)
def home(_homes: Iterator[Path], common_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, with no settings and no rules."""
    directory = next(_homes)
    directory.mkdir()
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
    """`doctor` finds the sandbox of this machine in order: to try it runs six commands in one."""
    holds = doctor_sandbox.Wall(True, "sandbox: every wall holds")
    monkeypatch.setattr(doctor_sandbox, "walls", lambda: [holds])


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
