"""Runs that are killed at any moment leave nothing: no plant, process, mount, journal or group."""

import os
import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.test_run import ROOT, TIMEOUT, command, run, running, wait_until

PLANT = "mkdir -p s; echo evil > .envrc; echo evil > s/.mcp.json; sleep 0.{}"


@pytest.mark.parametrize(
    ("runs", "killed"), [(10, 4), pytest.param(1000, 200, marks=pytest.mark.slow)]
)
def test_nothing_is_left(project: Path, home: Path, runs: int, killed: int) -> None:
    with (project.parent / "a.rules").open("a") as rules:
        rules.write("sandbox(processes = 500)\n")
    chance = random.Random(7)  # noqa: S311
    doomed = set(chance.sample(range(runs), killed))
    for number in range(runs):
        words = command(project, "-c", PLANT.format(number % 3))
        if number in doomed:
            _kill(words, chance.random() * 1.2)
        else:
            subprocess.run(words, cwd=ROOT, stderr=subprocess.DEVNULL, timeout=TIMEOUT)
            assert not _planted(project)
    wait_until(lambda: not running(project))
    run(project, "--", "true")
    assert not _planted(project)
    assert os.listdir(home / ".local/state/execpolicy/runs") == []
    assert str(project) not in Path("/proc/self/mountinfo").read_text()
    assert not _groups()
    assert sorted(os.listdir(project)) in ([".git", "a.txt", "s"], [".git", "a.txt"])


def _kill(words: list[str], after: float) -> None:
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)


def _planted(project: Path) -> list[Path]:
    return [p for p in (project / ".envrc", project / "s/.mcp.json") if os.path.lexists(p)]


def _groups() -> list[Path]:
    """Control groups of launchers that are gone."""
    found = [*Path("/sys/fs/cgroup").glob("*/execpolicy-*")]
    return [p for p in found if not Path(f"/proc/{p.name.partition('-')[2]}").exists()]
