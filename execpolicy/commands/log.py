"""`execpolicy log`: read the audit log, filtered, as a table or as JSON, or follow it."""

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from execpolicy.commands.arguments import Kind, Needs, OptionSyntax, Syntax, Takes, existing, parse
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.log_line import programs
from execpolicy.commands.options import hosts
from execpolicy.engine.audit import log_path, network_path
from execpolicy.model.errors import UsageError, printable
from execpolicy.store.log_file import timestamp
from execpolicy.store.log_lines import Follower, Line, newest, oldest
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

POLL_SECONDS = 0.2
STATS_DAYS = 7
AT_ONCE = 1000
"""Lines of one table."""
DECISIONS = ("allow", "prompt", "forbidden")
_COMMANDS = (Needs("network", (None,)),)
"""A line about a connection names no program and no agent."""
_WHOLE = (*_COMMANDS, *(Needs(name, (None,)) for name in ("count", "follow", "json")))
SYNTAX = Syntax(
    "log",
    (
        OptionSyntax(
            ("--decision",), "decisions", Takes("decision", Kind.WORD, DECISIONS), repeats=True
        ),
        OptionSyntax(("--program",), "program", Takes("program", Kind.COMMAND), needs=_COMMANDS),
        OptionSyntax(("--since",), "since", Takes("time")),
        OptionSyntax(("--until",), "until", Takes("time")),
        OptionSyntax(("--session",), "session", Takes("session")),
        OptionSyntax(("--agent",), "agent", Takes("agent", Kind.OPEN, load=hosts), needs=_COMMANDS),
        OptionSyntax(
            ("--project",), "project", Takes("directory", Kind.DIRECTORY), needs=_COMMANDS
        ),
        OptionSyntax(("--stats",), "stats", needs=_WHOLE),
        OptionSyntax(("--network",), "network"),
        OptionSyntax(("-n",), "count", Takes("number"), joined=True),
        OptionSyntax(("-f", "--follow"), "follow"),
        OptionSyntax(("--json",), "json"),
    ),
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
    project: str | None = None

    def takes(self, line: Line) -> bool:
        """Whether a line is one of those."""
        when = str(line.get("time", ""))
        return (
            (not self.decisions or line.get("decision") in self.decisions)
            and (self.program is None or self.program in programs(line))
            and (self.since is None or when >= self.since)
            and (self.until is None or when <= self.until)
            and self.session in (None, line.get("session"))
            and self.agent in (None, line.get("agent"))
            and (self.project is None or below(str(line.get("cwd", "")), self.project))
        )


class LogOptions(Value):
    """What the command line says."""

    wanted: Filter = Filter()
    count: int = 20
    follow: bool = False
    network: bool = False
    json: bool = False
    stats: bool = False


def main(arguments: Sequence[str]) -> ExitCode:
    """Print the lines that the filter takes."""
    parsed = parse(SYNTAX, arguments)
    options = _options(dict(parsed.fields))
    if options.stats:
        return _stats(options.wanted)
    path = network_path() if options.network else log_path()
    follower = Follower(path, at_end=bool(options.count))
    printer = _Printer(options)
    read = _last if options.count else _every
    printer.show(read(path, follower, options))
    printer.end()
    while options.follow:
        time.sleep(POLL_SECONDS)
        printer.show(line for line in follower.lines() if options.wanted.takes(line))
        sys.stdout.flush()
    follower.close()
    return ExitCode.ALLOW


def _stats(wanted: Filter) -> ExitCode:
    from execpolicy.commands.render.log.stats import show

    if wanted.since is None:
        wanted = wanted.replace(since=timestamp(time.time() - STATS_DAYS * _UNITS["d"]))
    lines = newest(log_path(), wanted.since or "")
    show((line for line in lines if wanted.takes(line)), os.path.expanduser("~"))
    return ExitCode.ALLOW


def _last(path: str, follower: Follower, options: LogOptions) -> list[Line]:
    """The last lines that the filter takes, the newest last."""
    lines = newest(path, options.wanted.since or "", follower.place())
    taken = islice((line for line in lines if options.wanted.takes(line)), options.count)
    return [*taken][::-1]


def _every(path: str, follower: Follower, options: LogOptions) -> Iterator[Line]:
    lines = chain(oldest(path), follower.lines())
    return (line for line in lines if options.wanted.takes(line))


class _Printer:
    """Prints lines as they come, and counts which were asked about again."""

    def __init__(self, options: LogOptions) -> None:
        self._counts = not (options.json or options.network)
        self._show = _as_json
        if not options.json:
            from execpolicy.commands.render.log.table import LogTable

            self._show = LogTable(os.path.expanduser("~"), options.network).show
        self._asked = self._again = 0

    def show(self, lines: Iterable[Line]) -> None:
        """Print these lines, some at a time."""
        every = iter(lines)
        while some := [*islice(every, AT_ONCE)]:
            self._show(some)
            self._asked += sum("decision" in line for line in some)
            self._again += sum(line.get("again") is True for line in some)

    def end(self) -> None:
        """Print the counts of what was shown."""
        if self._asked and self._counts:
            first = self._asked - self._again
            print(f"asked the first time: {first}, asked again: {self._again}")


def _as_json(lines: Sequence[Line]) -> None:
    sys.stdout.writelines(json.dumps(line) + "\n" for line in lines)


def _options(fields: dict[str, object]) -> LogOptions:
    """The options with their values read: how many, and since when."""
    own: dict[str, object] = {}
    own |= {f: fields.pop(f) for f in ("follow", "json", "network", "stats") if f in fields}
    if "count" in fields:
        own["count"] = _count(str(fields.pop("count")))
    fields |= {name: _moment(str(fields[name])) for name in ("since", "until") if name in fields}
    if "project" in fields:
        fields["project"] = os.path.realpath(existing(str(fields["project"])))
    return LogOptions(Filter(**fields), **own)  # type: ignore[arg-type]


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
