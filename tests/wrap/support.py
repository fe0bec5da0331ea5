"""A wrapped session of a shell in a project."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.waiting import HANG_SECONDS

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """Variables with which the program is found from another directory, and the system's own."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PATH": "/usr/local/bin:/usr/bin:/bin"}


def words(project: Path, agent: Sequence[str], *options: str) -> list[str]:
    """The command line that wraps an agent by the rules beside its project."""
    rules = str(project.parent / "a.rules")
    return [sys.executable, "-m", "execpolicy", "wrap", "-r", rules, *options, "--", *agent]


def wrapped(
    project: Path,
    text: str,
    *options: str,
    given: bytes = b"",
    agent: Sequence[str] = (),
    close_fds: bool = True,
) -> "subprocess.CompletedProcess[bytes]":
    """Run a script in a shell that is wrapped, or another agent."""
    return subprocess.run(
        words(project, agent or ["bash", "-c", text], *options),
        close_fds=close_fds,
        input=given,
        capture_output=True,
        cwd=project,
        env=environment(),
        timeout=HANG_SECONDS,
    )
