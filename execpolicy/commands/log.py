"""`execpolicy log`: read the audit log, filtered, as a table or as JSON, or follow it."""

import json
import os
import sys
import time

from execpolicy.commands.arguments import Kind, Needs, Option, Syntax, Takes, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.engine.audit import log_path, network_path
from execpolicy.model.errors import UsageError, printable
from execpolicy.store.log_file import KEEP, timestamp
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.text import Text

    Line = dict[str, object]

HELP = """\
usage: execpolicy log [OPTION]…

Show what was decided, the newest last.

  --decision DECISION  only allow, prompt or forbidden (repeatable)
  --program NAME       only where this program was among the commands
  --since TIME         from then on: RFC 3339 (2026-01-31T12:00:00Z) or ago (90s, 30m, 2h, 7d)
  --until TIME         up to then
  --session ID         only this session
  --agent NAME         only this agent
  --network            what the proxy decided about connections
  -n COUNT             the last COUNT lines (20 by default; 0 for all)
  -f, --follow         go on with new lines as they come
  --json               lines as they are, for programs

exit codes: 0 shown, 1 the log cannot be read, 64 usage
example:    execpolicy log --decision forbidden --since 2h
"""


def _agents() -> "Iterable[str]":
    from execpolicy.hosts.protocols import AGENTS

    return AGENTS


POLL_SECONDS = 0.2
DECISIONS = ("allow", "prompt", "forbidden")
COLOURS = {"allow": "green", "prompt": "yellow", "forbidden": "red"}
_COMMANDS = (Needs("network", (None,)),)
"""A line about a connection names no program and no agent."""
SYNTAX = Syntax(
    "log",
    (
        Option(("--decision",), "decisions", Takes("decision", Kind.WORD, DECISIONS), repeats=True),
        Option(("--program",), "program", Takes("program", Kind.COMMAND), needs=_COMMANDS),
        Option(("--since",), "since", Takes("time")),
        Option(("--until",), "until", Takes("time")),
        Option(("--session",), "session", Takes("session")),
        Option(("--agent",), "agent", Takes("agent", Kind.OPEN, load=_agents), needs=_COMMANDS),
        Option(("--network",), "network"),
        Option(("-n",), "count", Takes("number"), joined=True),
        Option(("-f", "--follow"), "follow"),
        Option(("--json",), "json"),
    ),
)
COMMANDS = (("time", 24), ("decision", 9), ("agent", 8), ("command", None))
NETWORK = (
    ("time", 24),
    ("decision", 9),
    ("protocol", 10),
    ("host", None),
    ("bytes", None),
    ("session", None),
    ("reason", None),
)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Filter(Value):
    """Which lines to show. `since` and `until` are timestamps as the log has them."""

    decisions: tuple[str, ...] = ()
    program: str | None = None
    since: str | None = None
    until: str | None = None
    session: str | None = None
    agent: str | None = None

    def takes(self, line: "Line") -> bool:
        """Whether a line is one of those."""
        when = str(line.get("time", ""))
        return (
            (not self.decisions or line.get("decision") in self.decisions)
            and (self.program is None or self.program in _programs(line))
            and (self.since is None or when >= self.since)
            and (self.until is None or when <= self.until)
            and self.session in (None, line.get("session"))
            and self.agent in (None, line.get("agent"))
        )


class Options(Value):
    """What the command line says."""

    wanted: Filter = Filter()
    count: int = 20
    follow: bool = False
    network: bool = False
    json: bool = False


def main(arguments: "Sequence[str]") -> ExitCode:
    """Print the lines that the filter takes."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    options = _options(dict(parsed.fields))
    path = network_path() if options.network else log_path()
    follower = Follower(path)
    old = [line for line in (*_older(path), *follower.lines()) if options.wanted.takes(line)]
    show = _as_json if options.json else _Table(options.network).show
    show(old[-options.count :] if options.count else old)
    while options.follow:
        time.sleep(POLL_SECONDS)
        show([line for line in follower.lines() if options.wanted.takes(line)])
        sys.stdout.flush()
    follower.close()
    return ExitCode.ALLOW


class Follower:
    """Reads on where it stopped, and in the new file where the log was rotated."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor = -1
        self._rest = b""

    def lines(self) -> "Iterator[Line]":
        """The whole lines that came since the last call."""
        while True:
            if self._descriptor < 0 and not self._open():
                return
            moved = self._moved()  # before reading: what was written until then is read now
            yield from self._read()
            if not moved:
                return
            self.close()

    def _open(self) -> bool:
        try:
            self._descriptor = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        return True

    def _moved(self) -> bool:
        """Whether another file has the name now."""
        mine = os.fstat(self._descriptor)
        try:
            now = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (now.st_dev, now.st_ino) != (mine.st_dev, mine.st_ino)

    def _read(self) -> "Iterator[Line]":
        while chunk := os.read(self._descriptor, 1 << 20):
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            yield from parsed(lines)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor, self._rest = -1, b""


def _older(path: str) -> "Iterator[Line]":
    """The lines of the files that were moved aside, the oldest first."""
    for number in range(KEEP, 0, -1):
        try:
            with open(f"{path}.{number}", "rb") as file:
                yield from parsed(file)
        except FileNotFoundError:
            continue


def parsed(lines: "Iterable[bytes]") -> "Iterator[Line]":
    """The JSON objects among the lines; a line that was cut off by a crash is left out."""
    for line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _programs(line: "Line") -> "list[str]":
    operations = line.get("operations")
    every = operations if isinstance(operations, list) else []
    return [str(o["program"]) for o in every if isinstance(o, dict) and "program" in o]


def _as_json(lines: "Sequence[Line]") -> None:
    sys.stdout.writelines(json.dumps(line) + "\n" for line in lines)


class _Table:
    """A table with one head. Nothing in a command is taken for markup."""

    def __init__(self, network: bool = False) -> None:
        from rich.console import Console

        width = None if sys.stdout.isatty() else 240
        self._console = Console(file=sys.stdout, highlight=False, width=width)
        self._head, self._network = True, network

    def show(self, lines: "Sequence[Line]") -> None:
        """Print these lines."""
        if not lines:
            return
        from rich.table import Table

        table = Table(box=None, pad_edge=False, header_style="bold", show_header=self._head)
        columns = NETWORK if self._network else COMMANDS
        for name, width in columns:
            table.add_column(name, min_width=width, overflow="fold")
        for line in lines:
            table.add_row(*(_network_cells if self._network else _cells)(line))
        self._console.print(table)
        self._head = False


def _cells(line: "Line") -> "Iterator[Text]":
    from rich.text import Text

    for name in ("time", "decision", "agent"):
        shown = printable(str(line.get(name, "")))
        yield Text(shown, style=COLOURS.get(shown, ""))
    yield Text(_what(line))


def _network_cells(line: "Line") -> "Iterator[Text]":
    from rich.text import Text

    host, port = printable(str(line.get("host", "?")), 100), line.get("port", "")
    what = " ".join(str(line[n]) for n in ("protocol", "method") if n in line)
    moved = "/".join(str(line[n]) for n in ("sent", "received") if n in line)
    why = " ".join(str(line[n]) for n in ("reason", "rule") if n in line)
    whose = line.get("session", "")
    if "more" in line:  # of a run that made too many to write each down
        why = f"{line['more']} more connections of one run"
    decision = line.get("decision", "")
    cells = (line.get("time"), decision, what, f"{host}:{port}", moved, whose, why)
    for shown in (printable(str(cell)) for cell in cells):
        yield Text(shown, style=COLOURS.get(shown, ""))


def _what(line: "Line") -> str:
    """The command, or the programs where the log holds no commands."""
    command = line.get("command")
    text = command if isinstance(command, str) else " ".join(_programs(line))
    return printable(text, 200)


def _options(fields: "dict[str, object]") -> Options:
    """The options with their values read: how many, and since when."""
    own: dict[str, object] = {}
    own |= {f: fields.pop(f) for f in ("follow", "json", "network") if f in fields}
    if "count" in fields:
        own["count"] = _count(str(fields.pop("count")))
    fields |= {name: _moment(str(fields[name])) for name in ("since", "until") if name in fields}
    return Options(Filter(**fields), **own)  # type: ignore[arg-type]


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise UsageError(f"`-n` takes a number of lines, 0 for all, not `{printable(text)}`")
    return int(text)


def _moment(text: str) -> str:
    """A point in time as the log writes it, from RFC 3339 or from how long ago it was.

    >>> _moment("2026-01-31T13:00:00+01:00")
    '2026-01-31T12:00:00.000Z'
    """
    if text[-1:] in _UNITS and text[:-1].isascii() and text[:-1].isdigit():
        return timestamp(time.time() - int(text[:-1]) * _UNITS[text[-1]])
    from datetime import datetime, timezone

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        shown = printable(text)
        raise UsageError(f"`{shown}` is not a time: write 2h or 2026-01-31T12:00:00Z") from None
    if moment.tzinfo is None:
        moment = moment.astimezone()
    return timestamp(moment.astimezone(timezone.utc).timestamp())  # noqa: UP017
