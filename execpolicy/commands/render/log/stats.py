"""What the log says as a whole: outcomes by agent and by day, and what asked most."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from execpolicy.commands.log_line import seconds
from execpolicy.commands.outcomes import OUTCOMES, STYLES, Outcomes
from execpolicy.commands.render.log.table import console, what
from execpolicy.commands.render.pending_text import short
from execpolicy.store.log_lines import Line

MOST = 10
"""Rows of what asked most."""
_BAR = 24


def show(
    lines: Iterable[Line],
    home: str,
    outcomes: Outcomes | None = None,
    out: Console | None = None,
) -> None:
    """Print the page about these lines."""
    out, every = out or console(), [line for line in lines if "decision" in line]
    if not every:
        out.print("no decision was logged")
        return
    outcomes = outcomes or Outcomes.load()
    words = [outcomes.of(line).word for line in every]
    out.print(_by_outcome(words))
    out.print()
    out.print(_by("agent", [str(line.get("agent") or "you") for line in every], words))
    out.print()
    days = [time.strftime("%Y-%m-%d", time.localtime(seconds(line))) for line in every]
    out.print(_by("day", days, words))
    asked = Counter(short(what(line), home) for line in every if line.get("decision") == "prompt")
    if asked:
        out.print()
        out.print(_most(asked))


def _by_outcome(words: Sequence[str]) -> Table:
    table, counts = _table("outcome", "calls", ""), Counter(words)
    for word in (word for word in OUTCOMES if counts[word]):
        share = max(1, round(_BAR * counts[word] / len(words)))
        bar = Text("█" * share, style=STYLES.get(word, "yellow"))
        table.add_row(Text(word), Text(str(counts[word])), bar)
    return table


def _by(name: str, keys: Sequence[str], words: Sequence[str]) -> Table:
    """A row for each key: how many calls, and of these how many asked and were refused."""
    table = _table(name, "calls", "asked", "refused")
    counts = Counter(keys)
    asked = Counter(k for k, word in zip(keys, words, strict=True) if _asks(word))
    refused = Counter(k for k, word in zip(keys, words, strict=True) if word == OUTCOMES[-1])
    for key in sorted(counts):
        row = (key, *(str(each[key]) for each in (counts, asked, refused)))
        table.add_row(*map(Text, row))
    return table


def _most(asked: Counter[str]) -> Table:
    table = _table("asked", "most")
    for text, times in asked.most_common(MOST):
        table.add_row(Text(str(times)), Text(text))
    return table


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in names:
        numbers = name in ("calls", "asked", "refused") and name != names[0]
        table.add_column(name, justify="right" if numbers else "left", overflow="fold")
    return table


def _asks(word: str) -> bool:
    return word.startswith("asked") or word == "waits"
