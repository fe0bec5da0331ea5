"""Deciding beside Dippy, the same commands in one run, in turns.

    python -m benchmarks.bench_dippy SOURCE [CORPUS.jsonl …]

SOURCE is the folder of a checkout of Dippy in which `dippy` can be imported; it is in no package
index. Both decide each command once, in the same project and without rules, as in a process that
goes on living: loading is not counted, nor are the first commands of the day, which make both
import what they need; none of these is asked again. Time is that of the processor. Without corpora
a small list of everyday commands is used.
"""

import contextlib
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from benchmarks.bench_check import EVERYDAY, corpus
from benchmarks.table import Row, show
from benchmarks.throwaway import throwaway_home
from execpolicy.engine.engine import Engine

BOUND = 1.0
TOGETHER = 0.6


class Pair(NamedTuple):
    """Microseconds of one command."""

    ours: float
    theirs: float


def peer(source: str, project: Path) -> Callable[[str], object]:
    """What Dippy does with one command, by its own entry point and an empty configuration."""
    sys.path.insert(0, source)
    config = import_module("dippy.core.config").Config()
    check = import_module("dippy.dippy").check_command
    return lambda text: check(text, config, project)


def microseconds(action: Callable[[str], object], text: str) -> float:
    """What one call takes; what a program cannot take is its own concern."""
    started = time.thread_time_ns()
    with contextlib.suppress(Exception):
        action(text)
    return (time.thread_time_ns() - started) / 1000


def corpora(paths: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The texts of each corpus that no corpus before it had, with its name."""
    seen: set[str] = set()
    for path in paths or [""]:
        texts = [text for text in corpus([path] if path else []) if text not in seen]
        seen.update(texts)
        yield Path(path).stem or "everyday", list(dict.fromkeys(texts))


def pairs(
    texts: Sequence[str], ours: Callable[[str], object], theirs: Callable[[str], object]
) -> list[Pair]:
    """What each text takes both; who is asked first changes at each."""
    measured = []
    for number, text in enumerate(texts):
        if number % 2:
            mine, other = microseconds(ours, text), microseconds(theirs, text)
        else:
            other, mine = microseconds(theirs, text), microseconds(ours, text)
        measured.append(Pair(mine, other))
    return measured


def row(what: str, measured: Sequence[Pair], bound: float) -> Row:
    """Medians and means of both, and how ours are to theirs."""
    mine, other = zip(*measured, strict=True)
    middle, least = statistics.median(mine), statistics.median(other)
    mean, their_mean = statistics.mean(mine), statistics.mean(other)
    each = statistics.median(pair.ours / pair.theirs for pair in measured)
    return Row(
        f"{what}, {len(measured):,} commands",
        f"medians {middle:.0f} and {least:.0f} µs, means {mean:.0f} and {their_mean:.0f}",
        f"{middle / least:.2f}, means {mean / their_mean:.2f}, each {each:.2f} (≤ {bound})",
    )


def main() -> None:
    """Measure and print."""
    source, *paths = map(os.path.abspath, sys.argv[1:])
    with throwaway_home() as home:
        os.environ.update(home.variables)  # a peer may log there
        os.chdir(home.project)
        ours, theirs = Engine.load(rules=[]).check, peer(source, home.project)
        for text in EVERYDAY:
            pairs([f"pwd && {text}"], ours, theirs)
        every = {name: pairs(texts, ours, theirs) for name, texts in corpora(paths)}
    rows = [row(name, measured, BOUND) for name, measured in every.items()]
    together = [pair for measured in every.values() for pair in measured]
    show("execpolicy and Dippy", [*rows, row("together", together, TOGETHER)])


if __name__ == "__main__":
    main()
