"""Deciding beside Dippy, the same commands in one run, in turns.

    python -m benchmarks.bench_dippy SOURCE [CORPUS.jsonl …]

SOURCE is the folder of a checkout of Dippy in which `dippy` can be imported; it is in no package
index. Both decide each command once, without rules, as in a process that goes on living: loading is
not counted, nor are the first commands of the day, which make both import what they need. Without
corpora a small list of everyday commands is used.
"""

import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from benchmarks.bench_check import EVERYDAY, corpus
from benchmarks.table import Row, bare_python, show
from execpolicy.engine.engine import Engine


def peer(source: str) -> Callable[[str], object]:
    """What Dippy does with one command, by its own entry point and an empty configuration."""
    sys.path.insert(0, source)
    config = import_module("dippy.core.config").Config()
    check = import_module("dippy.dippy").check_command
    return lambda text: check(text, config, Path(tempfile.gettempdir()))


def microseconds(action: Callable[[str], object], text: str) -> float:
    """What one call takes; what a program cannot take is its own concern."""
    started = time.perf_counter()
    with contextlib.suppress(Exception):
        action(text)
    return (time.perf_counter() - started) * 1e6


def main() -> None:
    source, *paths = sys.argv[1:]
    os.environ["HOME"] = tempfile.mkdtemp()  # a peer may log there
    texts = list(dict.fromkeys(corpus(paths)))
    ours, theirs = Engine.load(rules=[]).check, peer(source)
    for text in EVERYDAY:
        microseconds(ours, text), microseconds(theirs, text)
    pairs = []
    for number, text in enumerate(texts):
        if number % 2:
            mine, other = microseconds(ours, text), microseconds(theirs, text)
        else:
            other, mine = microseconds(theirs, text), microseconds(ours, text)
        pairs.append((mine, other))
    mine, other = (statistics.median(side) for side in zip(*pairs, strict=True))
    share = sum(a for a, _ in pairs) / sum(b for _, b in pairs)
    each = statistics.median(a / b for a, b in pairs)
    rows = [
        Row("bare `python -c pass`", f"{bare_python():.1f} ms", f"{len(texts):,} commands"),
        Row("execpolicy, median", f"{mine:.1f} µs", ""),
        Row("Dippy, median", f"{other:.1f} µs", ""),
        Row("ours of theirs, medians", f"{mine / other:.2f}", "at most 0.33"),
        Row("… median of each command's", f"{each:.2f}", ""),
        Row("… of all the time", f"{share:.2f}", ""),
    ]
    show("deciding beside Dippy", rows)


if __name__ == "__main__":
    main()
