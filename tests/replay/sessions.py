"""Whole sessions of agents, in order: what is still asked when every first offer is accepted.

A row is a session: `project`, its number `n` in the project, and its `calls`, each with `command`
and `cwd`. `/home/user/project`, `/home/user/projects/…` stand for a small project of several
ecosystems. A call holds if it passes in the sandbox. Where one asks, the rules that its question
offers are written into the user's layer, as `amend` writes them, before the next call. Nothing of a
row is ever run.

Shown at the end, of each span of sessions, pooled over the projects, is the share of calls that
asked. Of each project stands beside it how many rules were written, and how many calls asked whose
own offer was accepted before. At most a thousand commands that are broader than approved ones are
judged under all that was approved: each that would pass, and asked before, is a problem.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision
from execpolicy.engine.engine import Engine
from execpolicy.model.verdict import Verdict
from execpolicy.store import amend
from execpolicy.store.entries import extended
from execpolicy.support.resources import presets_directory
from tests.replay.broader import broader

Row = dict[str, Any]

MAX_BROADER = 1000
SPANS = ((1, 3), (4, 6), (7, 17), (18, 22))
_HERE = re.compile(r"/home/user/projects?(?:/[\w.-]+/[\w.-]+)?(?=[/\s'\";:)&|]|$)")
_FILES = {
    "package.json": '{"name": "p", "scripts": {"test": "vitest run", "build": "tsc -p ."}}\n',
    "pyproject.toml": '[project]\nname = "p"\nversion = "0"\n',
    "go.mod": "module example.org/p\n\ngo 1.22\n",
    "main.go": "package main\n\nfunc main() {}\n",
    "Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\n',
    "src/main.rs": "fn main() {}\n",
    "src/a.py": "x = 1\n",
    "src/index.ts": "export const x = 1\n",
    "tests/test_a.py": "def test_a(): pass\n",
    "Makefile": "test:\n\ttrue\n",
    "mise.toml": '[tasks.test]\nrun = "true"\n',
    "README.md": "# p\n",
    ".gitignore": "node_modules/\n.venv/\ndist/\n",
}
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each call, with the reason of its question if it asks."""
    base = Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    asked: Counter[tuple[int, int]] = Counter()
    calls: Counter[tuple[int, int]] = Counter()
    tried = 0
    for project in dict.fromkeys(row["project"] for row in rows):
        with tempfile.TemporaryDirectory(prefix="sessions-", dir=base) as home:
            person = Person(Path(home))
            for row in sorted((r for r in rows if r["project"] == project), key=lambda r: r["n"]):
                span = next((s for s in SPANS if s[0] <= row["n"] <= s[1]), (23, 999))
                for number, call in enumerate(row["calls"]):
                    problem = person.take(call["command"])
                    calls[span] += 1
                    asked[span] += problem is not None
                    yield f"{project} {row['n']}.{number}", problem
            tried += yield from person.broadened(project, MAX_BROADER // 3)
            print(f"{project}: {person.shown}", file=sys.stderr)
    for span in sorted(calls):
        share = 100 * asked[span] / calls[span]
        print(f"sessions {span[0]} to {span[1]}: {share:.1f} % of {calls[span]} calls asked")
    print(f"{tried} broader commands tried")


class Person:
    """Somebody who accepts the first offer of every question, in the preset `developer`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "project"
        make_project(self.root)
        os.environ.update(
            {"HOME": str(home), "XDG_CONFIG_HOME": f"{home}/.config", "XDG_STATE_HOME": f"{home}/s"}
        )
        self.path = Path(amend.target("user", str(self.root)))
        self.path.parent.mkdir(parents=True)
        self.rules: set[str] = set()
        self.approved: list[str] = []
        self.count: Counter[str] = Counter()
        self.engine = self._engine()

    def _engine(self) -> Engine:
        preset = Path(presets_directory()) / "developer.rules"
        written = [str(self.path)] if self.path.exists() else []
        return Engine.load(rules=[str(preset), *written])

    def broadened(self, project: str, most: int) -> Generator[tuple[str, str | None], None, int]:
        """What is broader than what was approved, and whether it passes now; how many there are."""
        before = Engine.load(rules=[str(Path(presets_directory()) / "developer.rules")])
        texts = [other for text in self.approved for other in broader(text)]
        texts = texts[:: max(1, -(-len(texts) // most))]
        for number, text in enumerate(texts):
            now, then = (e.check(text, cwd=str(self.root)).confined for e in (self.engine, before))
            if now is Decision.ALLOW and then is not Decision.ALLOW:
                yield f"{project} broader {number}", f"passes: {text[:200]!r}"
        return len(texts)

    def take(self, text: str) -> str | None:
        """Decide about a call; why it asks, and accept what is offered."""
        text = _HERE.sub(str(self.root), text).replace("/home/user", str(self.home))
        verdict = self.engine.check(text, cwd=str(self.root))
        if verdict.confined is Decision.ALLOW:
            return None
        self.count[verdict.confined.word] += 1
        if verdict.confined is Decision.PROMPT:
            self._accept(verdict, text)
        return f"{verdict.reason}: {text[:120]!r}"

    def _accept(self, verdict: Verdict, text: str) -> None:
        lines = [line for each in verdict.amendments for line in each.rule.splitlines()]
        if not lines:
            self.count[f"no way out: {verdict.instead}"] += 1
            return
        if self.rules.issuperset(lines):
            self.count["asked though accepted"] += 1
            return
        new = [line for line in lines if line not in self.rules]
        self.rules.update(new)
        self.approved.append(text)
        before = self.path.read_bytes() if self.path.exists() else b""
        found = extended(before, new)
        self.path.write_bytes(found.content + "".join(f"{x}\n" for x in found.left).encode())
        self.engine = self._engine()
        after = self.engine.check(text, cwd=str(self.root))
        self.count["no help"] += after.confined is not Decision.ALLOW

    @property
    def shown(self) -> str:
        """How many rules were written, and what became of the questions."""
        text = self.path.read_text() if self.path.exists() else ""
        calls = re.findall(r"^[a-z_]+\(", text, re.M)
        return f"{len(calls)} rules, {dict(self.count.most_common())}"


def make_project(root: Path) -> None:
    """A small project of several ecosystems, with a remote that is not there."""
    for name, text in _FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    url = "https://forge.example/o/p.git"
    steps = (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"])
    for words in (*steps, ["remote", "add", "origin", url], ["branch", "feature"]):
        subprocess.run([*_GIT, *words], cwd=root, check=True, capture_output=True)
