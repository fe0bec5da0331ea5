"""Calls of shells as agents make them: which are known, and that the model's command decides.

A row is a call: `host`, `argv`, perhaps `cwd`, in which `$ROOT` and `$HOSTS` stand for directories.
Those of one agent are in their order. A row holds if the call has a form or is one that the agent
starts by itself, or if it is judged whole; of a form, if it means what the command alone does.
Texts that write a snapshot of the shell are not known, and held if they are not let through
unasked. Nothing of a row is ever run.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from execpolicy import Decision
from execpolicy.engine.engine import Engine
from execpolicy.hosts.agents.entries import agent
from execpolicy.hosts.shell_calls import CallRole, HostDirectories, shell_call
from execpolicy.model.operation import Request
from execpolicy.sandbox.api import Sandbox
from execpolicy.support.resources import presets_directory
from execpolicy.wrap.session_snapshots import SessionSnapshots
from execpolicy.wrap.shell_decision import ShellAction, WrappedAgent, action, requested

Row = dict[str, Any]

_PLACES = {"$ROOT": "/home/user", "$HOSTS": "/opt/hosts"}


def problems(rows: list[Row]) -> Iterator[tuple[str, str | None]]:
    """Each call, with what is wrong with it."""
    engine = Engine.load(rules=[str(Path(presets_directory()) / "developer.rules")])
    seen: Counter[str] = Counter()
    kept = tempfile.mkdtemp(prefix="snapshots-")
    for number, row in enumerate(rows):
        argv, cwd = tuple(map(_filled, row["argv"])), _filled(row.get("cwd", "$ROOT/work"))
        kind, problem = _tried(row["host"], argv, cwd, engine, kept)
        seen[f"{row['host']}: {kind}"] += 1
        yield f"{row['host']} {number} {argv[-1][-60:]!r}", problem
    shutil.rmtree(kept)
    print(dict(sorted(seen.items())))


def _filled(text: str) -> str:
    for mark, place in _PLACES.items():
        text = text.replace(mark, place)
    return text


def _tried(
    host: str, argv: tuple[str, ...], cwd: str, engine: Engine, kept: str
) -> tuple[str, str | None]:
    places = HostDirectories(f"/home/user/home/.{host}", "/opt/hosts/node_modules")
    snapshots = SessionSnapshots(lambda _path: b"# nothing\n", kept)
    call = shell_call(host, argv, places)
    entry = agent(host)
    if call is not None and call.snapshot:
        snapshots.wrote(call.snapshot)
    asked = requested(WrappedAgent(entry, places, snapshots), argv, cwd)
    attempt = Sandbox(engine).requested(asked.request)
    if call is None or call.role is CallRole.OWN:
        whole = engine.decide(Request(argv=argv, cwd=cwd))
        asks = whole.confined is not Decision.ALLOW and whole.decision is not Decision.ALLOW
        runs = action(attempt, asked.own) is ShellAction.RUN
        wrong = runs and asks and not asked.own
        return "own" if asked.own else "whole", "it runs, and as a whole it asks" if wrong else None
    name = call.shell.rpartition("/")[2]
    alone = engine.decide(Request(text=call.command, cwd=cwd, shell=name))
    if (attempt.verdict.decision, attempt.verdict.confined) != (alone.decision, alone.confined):
        return "form", f"{attempt.ruling.reason}, alone {alone.confined.word}"
    return "form", None
