"""Lines of the log as a table: local time, what became of each call, and the call."""

import sys
import time
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from execpolicy.commands.log_line import called, seconds
from execpolicy.commands.outcomes import REFUSED, STYLES, Outcomes
from execpolicy.commands.render.pending_text import short
from execpolicy.model.errors import printable
from execpolicy.store.log_lines import Line

WIDE = {"project": 100, "session": 120}
"""From so many columns of a terminal on there is one for these."""
UNSEEN = 240
"""Columns for a program that reads."""
MIN_WIDTH, MAX_WIDTH = 40, 160
_COLUMNS = (("time", 14), ("outcome", 10), ("agent", 7), ("session", 8), ("project", 12),
            ("command", None))  # fmt: skip
_SESSION = 8
"""Characters of a session that tell it from others."""
_NETWORK = ("time", "decision", "protocol", "host", "bytes", "session", "reason")
_DECISIONS = {"allow": "green", "prompt": "yellow", "forbidden": "red"}


class LogTable:
    """A table with one head. Nothing in a command is taken for markup."""

    def __init__(
        self,
        home: str,
        network: bool = False,
        outcomes: Outcomes | None = None,
        out: Console | None = None,
    ) -> None:
        self._console = out or console()
        self._home, self._network, self._head = home, network, True
        self._outcomes = None if network else outcomes or Outcomes.load()

    def show(self, lines: Sequence[Line]) -> None:
        """Print these lines."""
        if not lines:
            return
        table = Table(box=None, pad_edge=False, header_style="bold", show_header=self._head)
        columns = self._console.width
        shown = [each for each in _COLUMNS if columns >= WIDE.get(each[0], 0)]
        for name, width in [(n, None) for n in _NETWORK] if self._network else shown:
            table.add_column(name, min_width=width, overflow="fold")
        for line in lines:
            cells = None if self._network else self._cells(line)
            table.add_row(*([cells[name] for name, _ in shown] if cells else _network(line)))
        self._console.print(table)
        self._head = False

    def _cells(self, line: Line) -> dict[str, Text]:
        """What each column says."""
        session = printable(str(line.get("session") or "")[:_SESSION])
        return {
            "time": Text(local(line), style="dim"),
            "outcome": self._outcome(line),
            "agent": Text(printable(str(line.get("agent", "")), 40)),
            "session": Text(session, style="dim"),
            "project": Text(short(printable(str(line.get("cwd", "")), 200), self._home)),
            "command": self._call(line),
        }

    def _outcome(self, line: Line) -> Text:
        assert self._outcomes is not None  # noqa: S101
        if "decision" not in line:
            return Text(REFUSED if "signature" in line else "", style=STYLES[REFUSED])
        outcome = self._outcomes.of(line)
        return Text(str(outcome), style=STYLES.get(outcome.word, "yellow"))

    def _call(self, line: Line) -> Text:
        """The command and, where it did not simply run, why."""
        text = Text(short(what(line), self._home))
        reason = line.get("reason")
        if line.get("decision") != "allow" and isinstance(reason, str):
            text.append(f"\n{short(printable(reason, 300), self._home)}", style="dim")
        return text


def console() -> Console:
    """Where tables are printed: as wide as the terminal."""
    own = Console(file=sys.stdout, highlight=False)
    width = max(MIN_WIDTH, min(own.width, MAX_WIDTH)) if sys.stdout.isatty() else UNSEEN
    return Console(file=sys.stdout, highlight=False, width=width)


def local(line: Line) -> str:
    """When a line was written, by the user's own clock."""
    at = seconds(line)
    return time.strftime("%m-%d %H:%M:%S", time.localtime(at)) if at else ""


def what(line: Line) -> str:
    """What a line is about, short."""
    text = called(line)
    if "undo" in line:
        said = f"{line.get('removed')} files removed, execpolicy undo {line['undo']} brings back"
        text = f"{text or 'a call'}: {said}"
    elif "signature" in line:
        text = f"a signed answer to {line.get('question') or 'a question'}"
    return printable(text, 200)


def _network(line: Line) -> Iterator[Text]:
    host, port = printable(str(line.get("host", "?")), 100), line.get("port", "")
    kind = " ".join(str(line[n]) for n in ("protocol", "method") if n in line)
    moved = "/".join(str(line[n]) for n in ("sent", "received") if n in line)
    why = " ".join(str(line[n]) for n in ("reason", "rule") if n in line)
    if "more" in line:  # of a run that made too many to write each down
        why = f"{line['more']} more connections of one run"
    decision = line.get("decision", "")
    cells = (local(line), decision, kind, f"{host}:{port}", moved, line.get("session", ""), why)
    for shown in (printable(str(cell)) for cell in cells):
        yield Text(shown, style=_DECISIONS.get(shown, ""))
