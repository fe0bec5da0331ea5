"""`execpolicy status`: one screen about what stands before the agents of this machine."""

import os
import sys
from _collections_abc import Iterable, Iterator, Sequence
from collections import Counter

from execpolicy.approvals.clock import now
from execpolicy.commands.arguments import OptionSyntax, Syntax, counted, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.log_line import DAYS, called, days_before, latest, seconds
from execpolicy.commands.pending_page import questions, width
from execpolicy.commands.render.pending_text import age, short, wrapped
from execpolicy.model.errors import printable
from execpolicy.store.log_lines import Line
from execpolicy.store.sources import settings

SYNTAX = Syntax("status", (OptionSyntax(("--line",), "line"),))
MOST_ASKED = 5
MAX_LINES = 100_000
"""Lines of the log that are counted, the newest."""
LINE_WIDTH = 80
_LABEL = 10


def main(arguments: Sequence[str]) -> ExitCode:
    """Show it."""
    parsed = parse(SYNTAX, arguments)
    home = os.path.expanduser("~")
    if parsed.fields.get("line"):
        print(printable(short(_line(now().wall), home), LINE_WIDTH))
        return ExitCode.ALLOW
    lines = [*_page(now().wall, width())]
    sys.stdout.writelines(f"{printable(short(line, home))}\n" for line in lines)
    return ExitCode.ALLOW


def _line(wall: float) -> str:
    """What waits: how many, and the oldest with its code."""
    every = questions()
    if not every:
        return "nothing waits"
    first = every[0]
    words = first.request.partition("\n")[0]
    many = f"{len(every)} waits" if len(every) == 1 else f"{len(every)} wait"
    return f"{many}: {first.code} {age(wall - first.at.wall)} {first.agent} {words}"


def _page(wall: float, columns: int) -> Iterator[str]:
    recent = latest(days_before(wall), MAX_LINES)[::-1]
    yield from _block("agents", _hosts(recent, wall), columns)
    yield from _block("sandbox", [_sandbox()], columns)
    yield from _block("rules", _rules(), columns)
    yield from _block("undo", [_kept(wall)], columns)
    yield from _block("waiting", _waiting(wall), columns)
    yield from _block("asked most", _asked_most(recent), columns)


def _block(label: str, texts: Iterable[str], columns: int) -> Iterator[str]:
    """The texts below each other, the label before the first."""
    indent = " " * (_LABEL + 2)
    for number, text in enumerate(texts):
        first = f"{label if number == 0 else '':{_LABEL}}  "
        lines = wrapped(text, columns - len(indent), "  ")
        yield from (f"{first if at == 0 else indent}{line}" for at, line in enumerate(lines))


def _hosts(recent: Sequence[Line], wall: float) -> Iterator[str]:
    from execpolicy.hosts.install import present
    from execpolicy.hosts.protocols import AGENTS

    last = {str(line.get("agent")): seconds(line) for line in recent if "time" in line}
    hosts = present.here()
    for host in hosts:
        if not present.has_hook(host):
            yield f"{AGENTS[host.name]}: no hook (execpolicy install {host.name})"
        elif host.name in last:
            ago = age(wall - last[host.name])
            yield f"{AGENTS[host.name]}: hook, last call {ago} ago"
        else:
            yield f"{AGENTS[host.name]}: hook, no call in {DAYS} days"
    if not hosts:
        yield "none found on this machine"


def _sandbox() -> str:
    from execpolicy.sandbox.backends.start.prepared import find
    from execpolicy.sandbox.errors import NoSandboxError

    try:
        return f"{find()} (execpolicy doctor tries what it prevents)"
    except NoSandboxError as error:
        return str(error)


def _rules() -> Iterator[str]:
    from execpolicy.commands.init import written
    from execpolicy.store.store import Store

    store = Store(cwd=os.getcwd())
    current = store.current
    yield f"{', '.join(current.layers)} ({current.digest})"
    preset = written()
    if preset is not None:
        yield f"preset {preset}" if preset else "a preset that was changed since"
    for summary in current.files:
        if summary.layer == "project" and not summary.trusted:
            yield f"{summary.path}: not trusted, so it only tightens (execpolicy trust)"
    if current.floor:
        yield f"broken: {current.floor}"


def _kept(wall: float) -> str:
    """How much can be undone in the project of this directory, and since when."""
    from execpolicy.commands import undo_show
    from execpolicy.commands.snapshots import store_of

    store = store_of(os.getcwd()) if settings.load().undo else None
    if store is None:
        return "nothing is kept here"
    if store.refused():
        return f"nothing can be kept here: {store.refused()}"
    first = next(store.manifests(), None)
    if first is None:
        return "nothing is kept here yet"
    calls, kept = counted(len(store.numbers()), "call"), undo_show.size(store.size())
    return f"{calls}, {kept}, the oldest {age(wall - first.began / 1e9)} old"


def _waiting(wall: float) -> Iterator[str]:
    every = questions()
    for question in every[:MOST_ASKED]:
        first = question.request.partition("\n")[0]
        yield f"{question.code}  {age(wall - question.at.wall)}  {question.agent}  {first}"
    if len(every) > MOST_ASKED:
        yield f"and {len(every) - MOST_ASKED} more (execpolicy pending)"
    if not every:
        yield "nothing"


def _asked_most(recent: Sequence[Line]) -> Iterator[str]:
    """The commands that asked most, each with how to settle it."""
    asked = Counter((called(x), bool(x.get("command"))) for x in recent if _asks(x))
    for (command, is_command), times in asked.most_common(MOST_ASKED):
        first = command.partition("\n")[0]
        yield f"{times} times  {first}" if times > 1 else f"once  {first}"
        if first == command and is_command:
            yield f"  execpolicy amend -c {_quoted(command)}"
    if not asked:
        yield f"nothing in {DAYS} days"


def _asks(line: Line) -> bool:
    return line.get("decision") == "prompt" and bool(line.get("agent") and line.get("operations"))


def _quoted(text: str) -> str:
    from shlex import quote

    return quote(text)
