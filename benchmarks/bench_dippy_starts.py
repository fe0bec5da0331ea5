"""A stream of different commands beside Dippy, a process each, in turns.

    python -m benchmarks.bench_dippy_starts PYTHON SOURCE CORPUS.jsonl …

PYTHON is the interpreter of an environment that execpolicy was installed into, as from its wheel;
SOURCE as for `bench_dippy`. Each command is asked once, of a bare start of Python that reads
nothing, and of both hooks with the payload of Claude Code, in the same project. Time is that of the
processor, user and system.
"""

import json
import os
import random
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bench_check import corpus
from benchmarks.cold import Start, program, spent
from benchmarks.starts import PAYLOAD
from benchmarks.table import Row, show
from benchmarks.throwaway import Home, throwaway_home

COMMANDS = int(os.environ.get("EXECPOLICY_BENCH_COMMANDS", "2000"))
OF_DIPPY, P99, MOST = 0.42, 4.5, 8.0
_HOOK = Start("hook", ("hook", "claude"), MOST)
_PEER = "import sys; sys.path.insert(0, sys.argv.pop()); from dippy.dippy import main; main()"


def payload(command: str, project: Path) -> bytes:
    """What Claude Code sends before this command."""
    given = {**json.loads(PAYLOAD), "cwd": str(project), "tool_input": {"command": command}}
    return json.dumps(given).encode()


def chosen(paths: Sequence[str]) -> list[str]:
    """As many commands of the corpora as are asked, no two alike."""
    texts = list(dict.fromkeys(corpus(paths)))
    random.Random(39).shuffle(texts)  # noqa: S311
    return texts[:COMMANDS]


def measure(lines: Sequence[Sequence[str]], texts: Sequence[str], home: Home) -> list[list[float]]:
    """Milliseconds of each line, with each text; who begins changes from text to text."""
    times: list[list[float]] = [[] for _ in lines]
    for turn, text in enumerate(["ls", "pwd", *texts]):
        given = payload(text, home.project)
        for each in (*range(turn % len(lines), len(lines)), *range(turn % len(lines))):
            took = spent(lines[each], home.variables, given, home.project).processor
            times[each].extend([took] if turn > 1 else [])  # the first ones fill caches
    return times


def main() -> int:
    """Measure, print, and give the exit code."""
    python, source, *paths = map(os.path.abspath, sys.argv[1:])
    lines = [
        [python, "-I", "-c", "pass"],
        [*program(python, _HOOK), *_HOOK.arguments],
        [python, "-I", "-c", _PEER, source],
    ]
    texts = chosen(paths)
    with throwaway_home() as home:
        bare, ours, theirs = measure(lines, texts, home)
    least = statistics.median(bare)
    p99, most = statistics.quantiles(ours, n=100, method="inclusive")[98] / least, max(ours) / least
    share = sum(ours) / sum(theirs)
    rows = [
        Row("bare python", f"{least:.1f} ms", f"{len(texts):,} commands"),
        Row("hook claude, median", f"{statistics.median(ours):.1f} ms", ""),
        Row("Dippy, median", f"{statistics.median(theirs):.1f} ms", ""),
        Row("all the time of Dippy's", f"{share:.2f}", f"≤ {OF_DIPPY}"),
        Row("99th of a hundred, of bare", f"{p99:.1f}", f"≤ {P99}"),
        Row("the longest, of bare", f"{most:.1f}", f"≤ {MOST}"),
    ]
    show("a stream of different commands", rows)
    return int(share > OF_DIPPY or p99 > P99 or most > MOST)


if __name__ == "__main__":
    sys.exit(main())
