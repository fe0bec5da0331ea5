"""Days of an agent in a host's own program under `wrap`, and in a copy without execpolicy.

A row is a call, as in `host_days`. Each host works through a day twice, in the same small project
at the same path, with a model, a remote and registries of this machine: once under `wrap` with the
preset `developer`, where every question is answered yes and the call made again, and once as it is,
behind walls that let it write there alone. A call holds if it ends as without: what the host says
of it, the files, the state of git. A day holds if it has at most 6 questions.

`REPLAY_HOSTS`, `REPLAY_HOOKED` (those with the hook) and `REPLAY_ROWS`, each with spaces between,
choose a part.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from execpolicy.hosts.agents.entries import agent
from tests.agents import paper, real
from tests.terminal import Terminal
from tests.wrap.days import calls, projects, registry, state
from tests.wrap.hosts import RULE, address, reachable
from tests.wrap.support import ROOT

Row = dict[str, Any]

HOSTS = tuple(os.environ.get("REPLAY_HOSTS", "claude codex opencode").split())
CHOSEN = frozenset(os.environ.get("REPLAY_ROWS", "").split())
HOOKED = frozenset(os.environ.get("REPLAY_HOOKED", "claude codex").split())
"""Hosts that have the hook under `wrap`, which is answered by the supervisor there."""
QUESTIONS = 6
SECONDS = 900
_SHARED = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--die-with-parent")
_SYSTEM = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
_TEMPORARY = ("--perms", "1777", "--tmpfs", "/tmp")


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each call of each day in each host, and each day."""
    for day, mine, base in days(rows):
        with registry.served(address(), str(base / "work")) as url:
            place = Place(base, day, url)
            for host in HOSTS:
                yield from _compared(place, host, mine)


def days(rows: list[Row]) -> Iterator[tuple[str, list[Row], Path]]:
    """The rows of each day that are chosen, with a directory for it that is removed afterwards."""
    cache = Path.home() / ".cache"
    cache.mkdir(exist_ok=True)
    for day in dict.fromkeys(row["id"].partition("-")[0] for row in rows):
        mine = [r for r in rows if r["id"].startswith(day) and (not CHOSEN or r["id"] in CHOSEN)]
        if mine:
            with tempfile.TemporaryDirectory(prefix="days-", dir=cache) as name:
                yield day, mine, Path(os.path.realpath(name))


def _compared(place: "Place", host: str, rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    plain = place.run(host, rows, wrapped=False)
    wrapped = place.run(host, rows, wrapped=True)
    for row in rows:
        name = f"{host} {row['id']}"
        here, there = wrapped.outcomes.get(row["id"]), plain.outcomes.get(row["id"])
        if here is None or there is None:
            yield name, f"it was not made {'under wrap' if there else 'without'}"
            continue
        said, was = state.same(here[0]), state.same(there[0])
        left = state.difference(here[1], there[1])
        problem = "" if said == was else f"said {_unlike(said, was)}, not {_unlike(was, said)}; "
        yield name, problem + left or None
    asked = [f"{one}: {said[:300]}" for one, said in wrapped.asked.items()]
    print(f"{host} {rows[0]['id'][:2]}: {len(asked)} questions")
    print(*asked, sep="\n")
    if rows[0]["id"][:3] == "key":
        yield f"{host} published", None if "PUT" in place.state()["taken"] else "nothing"
    if rows[0]["id"][:4] != "same":
        yield f"{host} questions", None if len(asked) <= QUESTIONS else f"{len(asked)}"


def _unlike(text: str, other: str) -> str:
    """A text from where it differs from another."""
    pairs = enumerate(zip(text, other, strict=False))
    same = next((at for at, (one, two) in pairs if one != two), min(len(text), len(other)))
    return repr(text[max(0, same - 20) : same + 400])


class Place:
    """A home with the project of a day in it, made anew for each run."""

    def __init__(self, base: Path, day: str, url: str) -> None:
        self.base, self.url = base, url
        self.work, self.first = base / "work", base / "first"
        self.root, self.home = self.work / "project", self.work / "home"
        self.home.mkdir(parents=True)
        self.variables = projects.made(day, self.root, url)
        self.work.rename(self.first)

    def run(self, host: str, rows: list[Row], *, wrapped: bool) -> calls.Day:
        """A host's day."""
        self.renew()
        placed = [self.placed(row) for row in rows]
        day = calls.Day(placed, self._approve, self.state)
        with paper.served(day), reachable(day) as (address, port):
            done = self._started(host, day, f"{address}:{port}", wrapped)
        if len(day.outcomes) < len(rows):
            print(f"{host} ended with {done.returncode}", done.stdout[-2000:], done.stderr[-2000:])
        for line in done.stderr.decode(errors="replace").splitlines() if wrapped else ():
            print(f"  {host}: {line[:300]}", file=sys.stderr)
        return day

    def renew(self) -> None:
        """Make the home and its project as they were at first."""
        shutil.rmtree(self.work, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.first), str(self.work)], check=True)

    def placed(self, row: Row) -> Row:
        """A row with the path of its file, and the line that an edit changes."""
        if "path" not in row:
            return row
        path = self.root / row["path"]
        lines = path.read_text().splitlines() if path.exists() else []
        line = next((one for one in lines if row.get("old", "\0") in one), "")
        return {"line": line, **row, "at": str(path)}

    def state(self) -> state.State:
        """The project, and what its servers took of the user's."""
        taken = Path(registry.taken(str(self.work)))
        return state.of(self.root) | {"taken": taken.read_text() if taken.exists() else ""}

    def _approve(self, code: str) -> None:
        words = [sys.executable, "-m", "execpolicy", "approve", code]
        with Terminal(words, ROOT, self.environment()) as terminal:
            ended = terminal.end()
            assert ended == 0, terminal.seen

    def environment(self) -> dict[str, str]:
        """The variables of the user."""
        names = ("LANG", "TERM", "USER", "EXECPOLICY_SHIM")
        kept = {name: os.environ[name] for name in names if name in os.environ}
        own = {
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.home / ".local/state"),
            "PYTHONPATH": str(ROOT),
        }
        return kept | own | self.variables

    def _started(
        self, host: str, day: calls.Day, at: str, wrapped: bool
    ) -> "subprocess.CompletedProcess[bytes]":
        words, environment = self.words(host, day, at, wrapped)
        return subprocess.run(
            words,
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )

    def words(
        self, host: str, day: calls.Day, at: str, wrapped: bool
    ) -> tuple[list[str], dict[str, str]]:
        """The words and the variables that start a host, which finds its model at an address."""
        start, entry = real.STARTS[host], agent(host)
        assert entry is not None
        start.prepare(day, self.home)
        if wrapped and host in HOOKED:
            install = [sys.executable, "-m", "execpolicy", "install", host]
            environment = self.environment()
            subprocess.run(install, env=environment, cwd=ROOT, check=True, capture_output=True)
        own = {k: v.replace("{url}", day.url) for k, v in start.variables.items()}
        arguments = [one.replace("{url}", day.url) for one in start.arguments]
        program = real.program(start.program)
        if wrapped:
            return [*self._wrap(at, own), program, *arguments], self.environment() | own
        added = [one for one in entry.arguments if one not in arguments]
        home = str(self.home)
        known = {n: v.replace("~", home, 1) for n, v in entry.variables}
        environment = self.environment() | own | known | real.outside(day)
        environment |= dict.fromkeys(("no_proxy", "NO_PROXY"), f"localhost,127.0.0.1,{address()}")
        return [*self.walls(), program, *added, *arguments], environment

    def _wrap(self, at: str, own: dict[str, str]) -> list[str]:
        rules = self.work / "a.rules"
        reached = [at.rpartition(":"), self.url.removeprefix("http://").rpartition(":")]
        rules.write_text("".join(RULE.format(host, port) for host, _, port in reached))
        passed = [word for key in own for word in ("--pass", key)]
        options = ["--preset", "developer", "-r", str(rules), *passed, "--model-host", at]
        return [sys.executable, "-m", "execpolicy", "wrap", *options, "--"]

    def walls(self) -> list[str]:
        """What comes before a program, which then writes in this place and nowhere else."""
        walls = [shutil.which("bwrap") or "bwrap", *_SHARED, *_SYSTEM, *_TEMPORARY]
        for each in (real.INSTALLED, ROOT, Path(sys.prefix)):  # which may lie in `/tmp`
            walls += ["--ro-bind", str(each), str(each)] if each.is_dir() else []
        return [*walls, "--bind", str(self.work), str(self.work), "--chdir", str(self.root), "--"]
