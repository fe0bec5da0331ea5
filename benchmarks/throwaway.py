"""A home and a project that no other program works in, to measure whole runs in.

A run that is given again depends on what lies in the homes and along `PATH`: where other processes
write there meanwhile, it is decided anew. So the home is none of a user's, and `PATH` is the
system's own.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

PLACE = "/var/tmp"  # noqa: S108 — no home is above it, and no session mounts anything below it
PATH = "/usr/local/bin:/usr/bin:/bin"
PRESETS = Path(__file__).parents[1] / "rules/presets"


class Home(NamedTuple):
    """A home, a repository in it, and the variables of what is run there."""

    path: Path
    project: Path
    variables: dict[str, str]

    @property
    def kept(self) -> dict[str, int]:
        """The runs that were kept, each by its file and that file's number on the disk."""
        found = self.path.glob(".cache/execpolicy/*/run-*")
        return {str(path): path.stat().st_ino for path in found}

    def write_as_an_agent(self, turn: int) -> None:
        """Leave in the home what an agent leaves there before each of its calls."""
        (self.path / ".claude.json.new").write_text(f'{{"turns": {turn}}}')
        (self.path / ".claude.json.new").replace(self.path / ".claude.json")
        with (self.path / ".bash_history").open("a") as file:
            file.write("true\n")
        session = self.path / ".claude/projects/a"
        session.mkdir(parents=True, exist_ok=True)
        (session / f"{turn}.jsonl").write_text("{}\n")

    def choose(self, preset: str) -> None:
        """Make a preset the user's rules."""
        rules = self.path / ".config/execpolicy/rules"
        rules.mkdir(parents=True, exist_ok=True)
        shutil.copy(PRESETS / f"{preset}.rules", rules / "preset.rules")


@contextmanager
def throwaway_home() -> Iterator[Home]:
    """A home with an ordinary repository, removed at the end."""
    with tempfile.TemporaryDirectory(prefix="execpolicy-bench-", dir=PLACE) as made:
        home = Path(os.path.realpath(made)) / "home"
        project = home / "project"
        for name in ("src", "tests", "docs"):
            (project / name).mkdir(parents=True)
            (project / name / "a.txt").write_text("hello\n")
        (home / ".bashrc").write_text("# nothing\n")
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        yield Home(home, project, {"HOME": str(home), "PATH": PATH, "LANG": "C.UTF-8"})
