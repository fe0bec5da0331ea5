"""Calls that are allowed in the sandbox, run in it: they end as where no policy decides.

A row is a call of an agent: `command`, and perhaps `times`. Of those that the preset `developer`
allows in the sandbox up to `COUNT` are drawn, as many as can be of different reasons. Each runs
twice, in a copy of a small project of its own with stand-ins for gh, kubectl, psql and tmux: under
`execpolicy run --confined`, whose walls are what is tried, and as it is behind those of
`tests.confined`, for the texts are strangers'. A row holds if the exit codes are equal, or if a
line of `execpolicy:` says what stood in the way.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import show
from execpolicy.model.verdict import Verdict
from execpolicy.support.resources import presets_directory
from tests import confined
from tests.replay.sessions import make_project

Row = dict[str, Any]

COUNT = int(os.environ.get("REPLAY_COUNT", "300"))
SECONDS = 30.0
_HERE = re.compile(r"/home/user/projects?(?:/[\w.-]+/[\w.-]+)?(?=[/\s'\";:)&|]|$)")
_STANDS_IN = "#!/bin/sh\nexit 0\n"
_PROGRAMS = ("gh", "kubectl", "psql", "tmux", "mise", "bd", "workmux", "docker", "glab")
_PRESET = str(Path(presets_directory()) / "developer.rules")


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each call that was drawn, with both exit codes where they differ and nothing says why."""
    base = Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="runs-", dir=base) as name:
        first = _Place(Path(name) / "drawn")
        drawn = _drawn(rows, Engine.load(rules=[_PRESET]), first)
        seen: Counter[str] = Counter()
        for number, (text, reason) in enumerate(drawn):
            here, there = (_Place(Path(name) / f"{number}-{side}") for side in ("in", "as-it-is"))
            inside, said = here.run(text, policy=True)
            plain, _ = there.run(text, policy=False)
            told = [line for line in said.splitlines() if line.startswith("execpolicy:")]
            same = inside == plain
            seen["same" if same else "told" if told else "silent"] += 1
            problem = None if same or told else f"{inside} in the sandbox, {plain} as it is"
            yield f"{reason}: {text[:150]!r}", problem and f"{problem}; {said[-200:]!r}"
            shutil.rmtree(here.home)
            shutil.rmtree(there.home)
    print(dict(seen), file=sys.stderr)


def _drawn(rows: list[Row], engine: Engine, place: "_Place") -> list[tuple[str, str]]:
    """Texts that are allowed, and why: one of each reason in turn, the heaviest reasons first."""
    by_reason: dict[str, list[str]] = {}
    weight: Counter[str] = Counter()
    for row in rows:
        verdict = engine.check(place.text(row["command"]), cwd=str(place.root))
        if verdict.confined is Decision.ALLOW:
            reason = _reason(verdict)
            by_reason.setdefault(reason, []).append(row["command"])
            weight[reason] += row.get("times", 1)
    found: list[tuple[str, str]] = []
    turn = 0
    while len(found) < COUNT and any(len(texts) > turn for texts in by_reason.values()):
        found += [(by_reason[r][turn], r) for r, _ in weight.most_common() if by_reason[r][turn:]]
        turn += 1
    return found[:COUNT]


def _reason(verdict: Verdict) -> str:
    """The commands of a text by their programs and what was said about them."""
    names = (" ".join((*map(show, m.argv[:1]), *m.effects)) for m in verdict.matches if m.argv)
    return ", ".join(dict.fromkeys(filter(None, names)))[:80]


class _Place:
    """A home with a project in it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "project"
        make_project(self.root)
        tools = home / ".local/bin"
        tools.mkdir(parents=True)
        for name in _PROGRAMS:
            (tools / name).write_text(_STANDS_IN)
            (tools / name).chmod(0o755)
        (home / "tmp").mkdir()

    def text(self, command: str) -> str:
        """A call with the paths of this place."""
        return _HERE.sub(str(self.root), command).replace("/home/user", str(self.home))

    def run(self, command: str, *, policy: bool) -> tuple[int, str]:
        """The exit code, and what is said on standard error."""
        words = ["bash", "-c", self.text(command)]
        if policy:
            rules = ["--confined", "--rules", _PRESET]
            words = [sys.executable, "-m", "execpolicy", "run", *rules, "-c", self.text(command)]
        given = {
            "HOME": str(self.home),
            "PATH": f"{self.home}/.local/bin:{os.environ['PATH']}",
            "TMPDIR": str(self.home / "tmp"),
            "XDG_STATE_HOME": str(self.home / ".state"),
        }
        if not policy:
            walls = confined.words(self.home)[:-1]  # with a `/tmp` of its own, as ours have
            walls += ["--tmpfs", "/tmp", "--"] if walls else []
            words = [*walls, "env", "-C", str(self.root), *words]
        try:
            done = subprocess.run(
                words,
                cwd=self.root,
                env=given,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            return 124, ""
        return done.returncode, done.stderr.decode(errors="replace")
