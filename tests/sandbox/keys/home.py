"""The home of a test: settings, keys, and programs of the user's own."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.test_run import run

ALLOWS = """
prefix_rule(["git"], decision = "allow", effects = ["network", "write", "remote"])
prefix_rule(["gh"], decision = "allow", effects = ["network", "remote"])
prefix_rule(["npm"], decision = "allow", effects = ["network", "remote"])
"""


class Home:
    """A directory that `HOME` names, and a directory of programs that `PATH` begins with."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.programs = path / "tools"
        self.programs.mkdir(parents=True)
        monkeypatch.setenv("HOME", str(path))
        monkeypatch.setenv("PATH", f"{self.programs}:{os.environ['PATH']}")

    def write(self, name: str, text: str, mode: int = 0o600) -> Path:
        """A file of the home."""
        made = self.path / name
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text)
        made.chmod(mode)
        return made

    def program(self, name: str, text: str) -> Path:
        """A program of the user's own, which PATH finds."""
        return self.write(f"tools/{name}", text, 0o755)

    def git(self, name: str, value: str) -> None:
        """A setting of the user's own configuration of git."""
        words = ["git", "config", "--file", str(self.path / ".gitconfig"), "--add", name, value]
        subprocess.run(words, check=True)


def allow(project: Path, *ports: int, more: str = "") -> None:
    """Rules that allow programs what they do, and these ports of this machine."""
    rules = project.parent / "a.rules"
    opened = f'network_rule("127.0.0.1", "http", "allow", ports = [{", ".join(map(str, ports))}])\n'
    rules.write_text(rules.read_text() + ALLOWS + (opened if ports else "") + more)


def outcome(project: Path, text: str) -> tuple[int, str]:
    """How a confined run of this text ends, and all that it says."""
    done = run(project, "-c", text)
    return done.returncode, done.stdout + done.stderr
