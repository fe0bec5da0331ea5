"""Days of an agent in a host's own program with the hook: what it still asks on the second.

A row is a call, as in `host_days`. Each project's day is worked through twice with a model of this
machine, behind walls, in a project at the same path, with the preset `developer` and the hook as
`install` writes it. What is offered with a question of the first day is accepted; what has no offer
is approved once. A day holds if the second asks at most `QUESTIONS` times. In Codex,
which is as shipped (a directory that the user trusts), the same day is worked through without the
hook before: a call holds that is not refused where Codex alone ran it in its sandbox.

`REPLAY_HOSTS` and `REPLAY_ROWS`, each with spaces between, choose a part.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.agents import paper, real
from tests.agents.app_server import AppServer
from tests.agents.paper import Body, Paper
from tests.replay.wrapped_days import Place, days
from tests.terminal import Terminal
from tests.wrap.days import registry
from tests.wrap.days.calls import spelled

Row = dict[str, Any]

HOSTS = tuple(os.environ.get("REPLAY_HOSTS", "claude codex").split())
QUESTIONS = 12
SECONDS = 900
_OURS = (sys.executable, "-m", "execpolicy")
_CODE = re.compile(r"execpolicy approve ([A-Z0-9]{4,12})")
_FAILED = re.compile(
    r"exited with code [1-9].*(Output:\\n\"|Read-only|[uU]nable to (create|access)|connect)"
)
"""How a call ends that the sandbox of Codex held back."""
_HELD, _AGAIN = "a question", "a question, and again after the answer"
_LOST = "Tool result missing"
"""What Claude Code says of a call at which a run ended, once that was taken up."""
_CONFIG = """\
model = "paper"
model_provider = "paper"
[model_providers.paper]
name = "paper"
base_url = "{url}/v1"
wire_api = "responses"
[projects."{root}"]
trust_level = "trusted"
"""


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each day in each host, and each call that Codex alone would have run."""
    for day, mine, base in days(rows):
        for host in HOSTS:
            with registry.served("127.0.0.1", str(base / host / "work")) as url:
                yield from _days(_Desk(base / host, day, url, host), mine)


def _days(desk: "_Desk", rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    host, day = desk.host, rows[0]["id"].partition("-")[0]
    alone = desk.work_through(rows, hooked=False) if host == "codex" else None
    first = desk.work_through(rows, hooked=True)
    second = desk.work_through(rows, hooked=True)
    for row in rows if alone else ():
        name, ran = row["id"], alone is not None and row["id"] not in alone.asked
        refused = name in first.held or name in second.held
        yield f"{host} {name}", "refused, and its sandbox holds it" if ran and refused else None
    for number, made in enumerate((first, second), 1):
        print(f"{host} {day} {number}: {len(made.asked)} asked, {len(made.held)} of them refused")
        print(*(f"  {name}: {said}" for name, said in made.asked.items()), sep="\n")
    most = len(second.asked)
    yield f"{host} {day}", None if most <= QUESTIONS else f"{most} questions on the second day"
    if len(second.results) < len(rows):
        yield f"{host} {day} calls", f"{len(second.results)} of {len(rows)} were made"


class _Day(Paper):
    """The model of a day. `asked`: each call that was asked about, and how; `held`: those of
    them that the hook refused. A call of Codex that failed in its sandbox is made again without."""

    def __init__(self, rows: list[Row], accept: Callable[[Row, str], None]) -> None:
        super().__init__([])
        self.rows, self.accept = rows, accept
        self.calls: list[tuple[Row, bool]] = []
        self.asked: dict[str, str] = {}
        self.held: set[str] = set()

    def turn(self, offered: set[str], results: list[object]) -> tuple[str, Body] | None:
        """The next call; None for a request of the host that is not about calls."""
        if spelled(self.rows[0], offered) is None:
            return None
        self.offered |= offered
        results = [one for one in results if _LOST not in json.dumps(one)]
        if len(results) > len(self.results):
            self.results = [json.dumps(one) for one in results]
        if len(results) == len(self.calls):
            following = self._following()
            if following is None:
                return None
            self.calls.append(following)
        row, freed = self.calls[len(results)]
        call = spelled(row, offered)
        if call is not None and freed:
            call[1].update({"sandbox_permissions": "require_escalated", "justification": "d"})
        return call

    def _following(self) -> tuple[Row, bool] | None:
        """What to ask for after the last call, and whether without the sandbox of the host."""
        if not self.calls:
            return self.rows[0], False
        (row, freed), said = self.calls[-1], self.results[-1]
        code = _CODE.search(said)
        if code and row["id"] not in self.held:
            self.asked[row["id"]] = said[:300]
            self.held.add(row["id"])
            self.accept(row, code[1])
            return row, freed
        if not freed and "exec_command" in self.offered and _FAILED.search(said):
            return row, True
        at = self.rows.index(row) + 1
        return (self.rows[at], False) if at < len(self.rows) else None

    def ask(self) -> Row:
        """Take note that the host asks about the last call."""
        row = self.calls[-1][0]
        assert self.asked.get(row["id"]) != _AGAIN, f"{row['id']} is asked about for ever"
        self.asked[row["id"]] = _AGAIN if row["id"] in self.asked else _HELD
        return row


class _Desk(Place):
    """A home with a host in it, whose user keeps the rules of one day for the next."""

    def __init__(self, base: Path, day: str, url: str, host: str) -> None:
        base.mkdir()
        super().__init__(base, day, url)
        self.host = host
        self.rules = {
            self.home / ".config/execpolicy": base / "user",
            self.root / ".execpolicy": base / "project",
            self.home / ".local/state/execpolicy": base / "state",  # which rules are trusted
        }

    def work_through(self, rows: list[Row], *, hooked: bool) -> _Day:
        """One day."""
        self.renew()
        model = _Day([self.placed(row) for row in rows], self._accept)
        begun = any(kept.exists() for kept in self.rules.values())
        with paper.served(model):
            real.STARTS[self.host].prepare(model, self.home)
            if self.host == "codex":
                config = _CONFIG.format(url=model.url, root=self.root)
                (self.home / ".codex").mkdir(exist_ok=True)
                (self.home / ".codex/config.toml").write_text(config)
            if hooked:
                if begun:
                    _copy({kept: place for place, kept in self.rules.items()})
                else:
                    self._ours("init", "--preset", "developer")
                self._ours("install", self.host)
                self._ours("check", "--", "true")
            _HOSTS[self.host](self, model)
        if hooked:
            _copy(self.rules)
        return model

    def _ours(self, *words: str) -> "subprocess.CompletedProcess[bytes]":
        environment = self.environment()
        done = subprocess.run(
            [*_OURS, *words],
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        return done

    def _accept(self, row: Row, code: str) -> None:
        """What the user answers: the rule that is offered, or this once."""
        for words in (("amend", code), ("approve", code)):
            environment = self.environment()
            with Terminal([*_OURS, *words], self.root, environment) as terminal:
                if terminal.end() == 0:
                    return
        raise AssertionError(f"{row['id']} cannot be approved: {terminal.seen!r}")

    def accept_pending(self, row: Row) -> None:
        """Answer the question that waits."""
        lines = self._ours("pending", "--json").stdout.splitlines()
        self._accept(row, json.loads(lines[-1])["code"])

    def host_variables(self, model: _Day) -> dict[str, str]:
        """The variables of the host, with no way to the network but the model's."""
        own = real.STARTS[self.host].variables.items()
        made = {name: value.replace("{url}", model.url) for name, value in own}
        away = {"NO_PROXY": "localhost,127.0.0.1", "no_proxy": "localhost,127.0.0.1"}
        return self.environment() | made | real.outside(model) | away


def _copy(folders: dict[Path, Path]) -> None:
    for source, target in folders.items():
        shutil.rmtree(target, ignore_errors=True)
        if source.exists():
            shutil.copytree(source, target)


def _claude(desk: _Desk, model: _Day) -> None:
    """A run ends at a question of the hook, and is taken up after the answer."""
    going = ["-p", "go"]
    while True:
        words = [*desk.walls(), real.program("claude"), *going, "--output-format", "json"]
        done = subprocess.run(
            words,
            cwd=desk.root,
            env=desk.host_variables(model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
        ended = json.loads(done.stdout or b"{}")
        if ended.get("stop_reason") != "tool_deferred":
            if len(model.results) < len(model.rows):
                print(done.stdout[-1000:], done.stderr[-1000:], file=sys.stderr)
            return
        desk.accept_pending(model.ask())
        going = ["-p", "--resume", ended["session_id"], "go on"]


def _codex(desk: _Desk, model: _Day) -> None:
    """As editors start it, and its hooks are trusted: what leaves its sandbox is asked about."""
    with _served(desk, model) as server:
        trusted = server.trust(str(desk.root))
    with (desk.home / ".codex/config.toml").open("a") as config:
        config.write(trusted)
    with _served(desk, model) as server:
        server.turn(str(desk.root), "go")


@contextmanager
def _served(desk: _Desk, model: _Day) -> Iterator[AppServer]:
    words = [*desk.walls(), real.program("codex"), "app-server"]
    with subprocess.Popen(
        words,
        cwd=desk.root,
        env=desk.host_variables(model),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        yield AppServer(process, lambda: bool(model.ask()))
        process.kill()


_HOSTS = {"claude": _claude, "codex": _codex}
