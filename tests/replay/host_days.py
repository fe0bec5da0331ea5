"""Days of an agent in a host, each replayed twice: what the hook still asks on the second.

A row is a call: `kind` is shell, read, write or edit, `want` free or ask; `id` begins with the name
of its day. Every day has a small project of its own with the preset `developer` in the user's
layer. Each offer of the first day is accepted. A call holds that is not asked about on the second;
in Codex, one that its own sandbox would have run must not be refused on the first. Nothing of a row
is ever run.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision
from execpolicy.commands.check_host import host_verdict
from execpolicy.commands.options import CheckOptions
from execpolicy.engine.engine import Engine
from execpolicy.model.operation import Access, Request
from execpolicy.store import amend
from execpolicy.store.entries import extended
from execpolicy.support.resources import presets_directory

Row = dict[str, Any]

HOSTS = (("claude", "default"), ("codex", "on-request"))
_GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
_FILES = {
    "pyproject.toml": '[project]\nname = "p"\nversion = "0"\n',
    "package.json": '{"name": "p", "scripts": {"test": "t", "lint": "l", "build": "b"}}\n',
    "package-lock.json": "{}\n",
    "Makefile": "test:\n\tpytest\n",
    "src/app/main.py": "x = 1\n",
    "src/index.js": "export const foo = 1\n",
    "scripts/gen.py": "print(1)\n",
    "scripts/build.js": "1\n",
    "tests/test_a.py": "def test_a(): pass\n",
    "test/a.test.js": "1\n",
    ".gitignore": "node_modules/\n.venv/\ndist/\nbuild/\n.env\n",
    ".env": "TOKEN=x\n",
}
_PROGRAMS = {
    "py": (".venv/bin", ("python", "pytest", "ruff", "mypy", "pip")),
    "js": ("node_modules/.bin", ("eslint", "tsc", "prettier")),
}


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each call of the second day in each host, with what is said if it is not let through."""
    path = os.environ["PATH"]
    base = Path.home() / ".cache"
    base.mkdir(exist_ok=True)
    for host, mode in HOSTS:
        for day in dict.fromkeys(row["id"].partition("-")[0] for row in rows):
            mine = [row for row in rows if row["id"].startswith(f"{day}-")]
            with tempfile.TemporaryDirectory(prefix="days-", dir=base) as home:
                person = Person(Path(home), day, path)
                first = [person.take(row, host, mode) for row in mine]
                for row, answer in zip(mine, first, strict=True):
                    if host == "codex" and row["want"] == "free" and answer == "refuse":
                        yield f"{host} {row['id']} first", "refused, and its sandbox holds it"
                asked = 0
                for row in mine:
                    answer = person.take(row, host, mode)
                    asked += answer in ("ask", "refuse")
                    problem = answer in ("ask", "refuse") and row["want"] == "free"
                    shown = str(row.get("command") or row.get("path"))[:100]
                    yield f"{host} {row['id']}", f"{answer}: {shown}" if problem else None
                print(f"{host} {day}: {asked} of {len(mine)} asked or refused on the second day")


class Person:
    """Somebody who accepts every offer of one day."""

    def __init__(self, home: Path, day: str, path: str) -> None:
        self.root = home / "project"
        folder, programs = _PROGRAMS.get(day, (".bin", ()))
        _make(self.root, home, folder, programs)
        os.environ.update(
            {
                "HOME": str(home),
                "XDG_CONFIG_HOME": f"{home}/.config",
                "XDG_STATE_HOME": f"{home}/s",
                "PATH": f"{self.root}/{folder}:{path}" if folder == ".venv/bin" else path,
            }
        )
        self.path = Path(amend.target("user", str(self.root)))
        self.path.parent.mkdir(parents=True)
        preset = Path(presets_directory()) / "developer.rules"
        (self.path.parent / "preset.rules").write_text(preset.read_text())
        self.engine = Engine.load()

    def take(self, row: Row, host: str, mode: str) -> str:
        """The hook's answer to a call: one of `grant`, `silent`, `ask` and `refuse`."""
        request = self._request(row)
        verdict = self.engine.decide(request)
        answer = host_verdict(
            self.engine, CheckOptions(host=host, mode=mode), request, verdict
        ).answer
        if verdict.decision is Decision.PROMPT and verdict.amendments:
            lines = [line for each in verdict.amendments for line in each.rule.splitlines()]
            before = self.path.read_bytes() if self.path.exists() else b""
            found = extended(before, [x for x in lines if f"{x}\n".encode() not in before])
            self.path.write_bytes(found.content + "".join(f"{x}\n" for x in found.left).encode())
            self.engine = Engine.load()
        return answer

    def _request(self, row: Row) -> Request:
        if row["kind"] == "shell":
            return Request(text=row["command"], cwd=str(self.root), root=str(self.root))
        access = Access(f"{self.root}/{row['path']}", "read" if row["kind"] == "read" else "write")
        return Request(operations=(access,), cwd=str(self.root), root=str(self.root))


def _make(root: Path, home: Path, folder: str, programs: tuple[str, ...]) -> None:
    names = {**_FILES, **{f"{folder}/{name}": "#!/bin/sh\n" for name in programs}}
    for name, text in names.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if text.startswith("#!") else 0o644)
    subprocess.run(["git", "init", "-q", "--bare", str(home / "origin.git")], check=True)
    remote = ["remote", "add", "origin", str(home / "origin.git")]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], remote):
        subprocess.run([*_GIT, *words], cwd=root, check=True, capture_output=True)
    subprocess.run([*_GIT, "branch", "old"], cwd=root, check=True, capture_output=True)
