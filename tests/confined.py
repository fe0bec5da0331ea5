"""Hostile texts in a sandbox: they see this machine, and write below one directory alone."""

import shutil
import subprocess
from functools import cache
from pathlib import Path

from tests.waiting import HANG_SECONDS

_WALLS = (
    *(shutil.which("bwrap") or "bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL"),
    *("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
)


@cache
def missing() -> str:
    """Why there is no sandbox here; empty where there is one."""
    try:
        done = subprocess.run([*_WALLS, "true"], capture_output=True, timeout=HANG_SECONDS)
    except OSError as error:
        return f"no bubblewrap: {error}"
    return "" if done.returncode == 0 else f"no namespaces: {done.stderr.decode()}"


def words(directory: Path) -> list[str]:
    """What comes before a command, which then writes below this directory and nowhere else.

    Nothing where no sandbox can be made: then only a user who may write nothing of the machine
    should run it.
    """
    inside = ["--bind", str(directory), str(directory), "--chdir", str(directory)]
    return [] if missing() else [*_WALLS, *inside, "--"]
