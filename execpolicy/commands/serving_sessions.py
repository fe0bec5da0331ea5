"""What the page of a server shows of sessions: what each may do, what it changed, what it left
running, and what of it can be undone."""

import os
import time
from _collections_abc import Iterator, Sequence
from collections import Counter, defaultdict

from execpolicy.approvals.clock import now
from execpolicy.commands import ancestors, undo_show
from execpolicy.commands.approvals import is_of
from execpolicy.commands.headless import command_line
from execpolicy.commands.log_line import operations, seconds
from execpolicy.commands.serving_page import MAX_SHOWN, home, lately, reach
from execpolicy.commands.snapshots import MAX_COMMAND, store_of
from execpolicy.model.approval import Approval
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.places import root as roots
from execpolicy.store.ledger.ledger import PATIENT_SECONDS, Ledger
from execpolicy.store.log_file import timestamp
from execpolicy.store.log_lines import Line
from execpolicy.store.sources import own
from execpolicy.support import processes
from execpolicy.support.path_match import below
from execpolicy.support.processes import Lineage
from execpolicy.support.redact import joined, redacted
from execpolicy.undo import restore
from execpolicy.undo.restore import Plan, Step
from execpolicy.undo.store import RecordedCall, UndoError

Json = dict[str, object]

SNAPSHOT_SECONDS = 30
"""Seconds from the line of a call in the log to its snapshot, at most."""
MAX_RUNNING = 50


def sessions() -> "Json":
    """The sessions of the last days, the latest first, with what was approved for each."""
    found: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for line in lately():
        if line.get("agent") and line.get("session"):
            found[str(line["agent"]), str(line["session"])].append(line)
    approvals = _approvals()
    every = [
        _session(agent, session, lines, approvals) for (agent, session), lines in found.items()
    ]
    every.sort(key=lambda one: str(one["last"]), reverse=True)
    _put_left(every)
    return {"sessions": every[:MAX_SHOWN]}


def _session(
    agent: str, session: str, lines: Sequence[Line], approvals: Sequence[tuple[Approval, str]]
) -> "Json":
    counts = Counter(str(line.get("decision")) for line in lines)
    changed = {
        str(o["path"])
        for line in lines
        for o in operations(line)
        if o.get("access") in ("write", "remove") and "path" in o and o.get("decision") == "allow"
    }
    return {
        "agent": agent,
        "session": session,
        "first": lines[0].get("time"),
        "last": lines[-1].get("time"),
        "where": home(str(lines[-1].get("cwd", ""))),
        "root": _root(str(lines[-1].get("cwd", "/"))),
        "decisions": dict(counts),
        "may": [_approved(one, text) for one, text in approvals if is_of(one, session)],
        "changed": sorted(changed)[:MAX_SHOWN],
        "runs": [],
        "undo": [*_kept(lines)][-MAX_SHOWN:],
    }


def _approvals() -> list[tuple[Approval, str]]:
    """What holds now, each with the command that was asked about."""
    moment = now()
    try:
        with Ledger.open(seconds=PATIENT_SECONDS) as ledger:
            return [
                (one, asked.question.request if asked is not None else "")
                for one in ledger.every()
                if one.bounds.until is None or not moment.passed(one.bounds.until, one.at)
                for asked in (ledger.question(one.question),)
            ]
    except (FileNotFoundError, ExecPolicyError):
        return []


def _approved(approval: Approval, command: str) -> "Json":
    until = approval.bounds.until
    seconds = None if until is None else max(0, int(until.wall - now().wall))
    covers = reach(approval.reach)
    return {
        "id": approval.id,
        "command": command if approval.reach.exact else "",
        "covers": covers,
        "by": approval.by,
        "seconds": seconds,
    }


# --- what is left running -------------------------------------------------------------------------


def _put_left(every: "Sequence[Json]") -> None:
    """Put each process that an agent left running to the latest session of its project."""
    for number, at in _of_user():
        began = _began(number)
        for one in every:
            runs = one["runs"]
            if (
                below(at, str(one["root"]))
                and str(one["first"]) <= began
                and isinstance(runs, list)
            ):
                if len(runs) < MAX_RUNNING and ancestors.was_left(number, Lineage(number)):
                    words = printable(redacted(joined(command_line(number))), 300)
                    runs.append({"process": number, "command": words, "since": began})
                break


def _of_user() -> Iterator[tuple[int, str]]:
    """The processes of this user, each with the directory that it is in."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == os.geteuid():
                yield int(name), os.readlink(f"/proc/{name}/cwd")
        except OSError:
            continue


def _began(process: int) -> str:
    """When a process began, at the latest: the kernel counts in ticks, and rounds down."""
    ticks = (processes.started(process) + 1) / os.sysconf("SC_CLK_TCK")
    return timestamp(-time.clock_gettime(time.CLOCK_BOOTTIME) + time.time() + ticks)


# --- what can be undone ---------------------------------------------------------------------------


def _root(cwd: str) -> str:
    """The project of a directory; the directory itself where it lies in none."""
    found = roots.of(None, cwd)
    return found.path if found is not None else cwd


def _kept(lines: Sequence[Line]) -> "Iterator[Json]":
    """The calls of which something is kept, by the lines that tell of them."""
    told: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        told[str(line.get("cwd", "/")), str(line.get("command", ""))[:MAX_COMMAND]].append(
            seconds(line)
        )
    stores = {s.root: s for s in map(store_of, {cwd for cwd, _ in told}) if s is not None}
    for store in stores.values():
        every = [*store.manifests()]
        back = restore.taken_back(store) if every else set()
        for one, later in zip(every, [*every[1:], None], strict=False):
            began = one.began / 1e9
            times = told.get((one.call.cwd, one.call.command), ())
            if any(-1 <= began - at <= SNAPSHOT_SECONDS for at in times):
                yield {
                    "number": one.number,
                    "root": store.root,
                    "time": timestamp(began),
                    "command": one.call.command,
                    "did": undo_show.did(store, one, later),
                    "back": one.number in back,
                }


def undo(root: str, number: int, agreed: Sequence[str] | None) -> "Json":
    """What an undo of a call would do; with the steps that the user agreed to, it does these.

    What was changed after the call stays. Raises `ExecPolicyError`.
    """
    store = store_of(root)
    if store is None or store.root != root:
        raise UndoError("this directory is not a project")
    restore.finish(store)
    call = RecordedCall(f"undo {number}", root, "", "")
    planned = restore.taken(store, number, call, only=(), own=own.kept())
    steps = planned.steps if agreed is None else _agreed(planned, agreed)
    if agreed is None or not steps:
        store.forget(planned.own)
        left: Sequence[tuple[str, str]] = planned.impossible
    else:
        left = restore.undo(store, planned.replace(steps=steps))
    return {
        "steps": [_step(one) for one in steps],
        "changed": [_step(one) for one in planned.changed],
        "left": [[path, why] for path, why in left],
        "done": bool(agreed and steps),
    }


def _step(one: Step) -> str:
    return f"{one.word} {one.path or '.'}"


def _agreed(planned: Plan, agreed: Sequence[str]) -> tuple[Step, ...]:
    """Those of the steps that were shown."""
    known = frozenset(agreed)
    return tuple(one for one in planned.steps if _step(one) in known)
