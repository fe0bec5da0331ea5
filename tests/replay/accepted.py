"""What an approval covers: the first offer of every question is accepted, then broader commands.

A row has a `command`, decided about in a small repository below an empty home with the preset
`developer`; the rules that are offered stand in the user's layer before the next one. A case is a
broader command that the same approval must not cover: another text on standard input, another
bucket, refspec or host, another file or setting of git, another program for a secret. `COUNT` of
them are drawn; one holds that is not allowed by what was accepted for the narrower one.
"""

import os
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision
from execpolicy.engine.amend.change import canonical
from execpolicy.engine.decide import decide
from execpolicy.engine.engine import Engine
from execpolicy.language.compile import compile_text
from execpolicy.model.operation import Request
from execpolicy.model.rule import NetworkRule, PathRule, PrefixRule
from execpolicy.model.verdict import Verdict
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.resources import presets_directory
from tests.replay.stronger import stronger

Row = dict[str, Any]
Case = tuple[str, str, str, tuple[str, ...]]
"""A class, the broader command, the one that was accepted, and the rules that were offered."""

COUNT = int(os.environ.get("REPLAY_COUNT", "1000"))
QUESTIONS = 2000
_PRESET = str(Path(presets_directory()) / "developer.rules")
_FILES = (
    *("pyproject.toml", "package.json", "Makefile", "README.md", "a.txt", "b.txt", "main.go"),
    *("data/x.json", ".env", "deploy.yaml", "src/app.py", "src/a.py", "src/main.rs", "src/a.ts"),
    *("tests/test_api.py", "scripts/run.sh", "docs/index.md", ".gitignore"),
)
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each broader command that was drawn, with what allows it, if anything does."""
    with tempfile.TemporaryDirectory(prefix="accepted-", dir=Path.home()) as name:
        root = Path(name) / "app"
        _make(root)
        engine = Engine.load(rules=[_PRESET], cwd=str(root))
        day = Day(engine.snapshot.replace(home=name), engine, str(root))
        for text in [row["command"] for row in rows if "command" in row]:
            if len(day.accepted) < QUESTIONS:
                day.take(text.replace("/home/user/project", str(root)))
        yield from day.cases()


def _make(root: Path) -> None:
    """A repository with one commit and two remotes."""
    for name in _FILES:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n" if path.suffix == ".json" else "x\n")
    subprocess.run([*_GIT, "init", "-q"], cwd=root, check=True)
    for remote in ("origin", "evil"):
        url = f"https://{remote}.example/o/r.git"
        subprocess.run([*_GIT, "remote", "add", remote, url], cwd=root, check=True)
    for words in (("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run([*_GIT, *words], cwd=root, check=True)


def after(snapshot: Snapshot, lines: tuple[str, ...]) -> Snapshot:
    """The snapshot with these rules in the user's layer."""
    rules = compile_text("\n".join(lines), "<accepted>", "user").rules
    prefix = PackedRules.of([rule for rule in rules if isinstance(rule, PrefixRule)])
    paths = [rule for rule in rules if isinstance(rule, PathRule)]
    network = [rule for rule in rules if isinstance(rule, NetworkRule)]
    return snapshot.replace(policy=snapshot.policy.beside(prefix, paths, network))


class Day:
    """A user who accepts the first offer of every question."""

    def __init__(self, shipped: Snapshot, engine: Engine, cwd: str) -> None:
        self.shipped = self.now = shipped
        self.engine, self.cwd = engine, cwd
        self.accepted: list[tuple[str, Verdict, tuple[str, ...]]] = []

    def decided(self, text: str, snapshot: Snapshot) -> Verdict:
        return decide(Request(text=text, cwd=self.cwd), snapshot, self.engine.resolver)

    def take(self, text: str) -> None:
        """Decide about a command, and accept what is offered."""
        verdict = self.decided(text, self.now)
        lines = tuple(canonical(each.rule) for each in verdict.amendments)
        if verdict.decision is Decision.PROMPT and lines:
            self.now = after(self.now, lines)
            self.accepted.append((text, verdict, lines))

    def cases(self) -> Iterator[tuple[str, str | None]]:
        """As many broader commands as are wanted, of each class in turn."""
        count: Counter[str] = Counter()
        for kind, other, text, lines in self._drawn():
            if sum(count.values()) >= COUNT:
                return
            if self.decided(other, self.shipped).decision is Decision.ALLOW:
                continue
            count[kind] += 1
            passes = self.decided(other, self._with(lines)).decision is Decision.ALLOW
            yield f"{kind}: {other[:150]!r}", f"allowed by {lines} for {text!r}" if passes else None

    def _with(self, lines: tuple[str, ...]) -> Snapshot:
        """The rules at the start with these; an entry for a tool is compiled with all others."""
        if not any(line.startswith("program(") for line in lines):
            return after(self.shipped, lines)
        file = Path(self.cwd).parent / "own.rules"
        file.write_text("\n".join(lines) + "\n")
        loaded = Engine.load(rules=[_PRESET, str(file)], cwd=self.cwd).snapshot
        return loaded.replace(home=self.shipped.home)

    def _drawn(self) -> list[Case]:
        """All broader commands, in an order of chance in which the rare classes come first."""
        found: dict[tuple[str, str], Case] = {}
        for text, verdict, lines in self.accepted:
            for judged in verdict.judged:
                if judged.decision:
                    for kind, other in stronger(judged):
                        found.setdefault((kind, other), (kind, other, text, lines))
        dice = random.Random(7)  # noqa: S311
        cases = [*found.values()]
        dice.shuffle(cases)
        seen: Counter[str] = Counter()
        turns = []
        for case in cases:
            turns.append((seen[case[0]], case))
            seen[case[0]] += 1
        return [case for _, case in sorted(turns, key=lambda turn: turn[0])]
