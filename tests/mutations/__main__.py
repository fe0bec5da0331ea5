"""Tries the mutations of `rows.txt`, and ends with `killed N of M`.

    python -m tests.mutations                    all rows
    python -m tests.mutations engine/decide.py   the rows whose path holds one of these texts
    python -m tests.mutations --every 6          each sixth row
    python -m tests.mutations --redraw           other rows for those that are stale or equivalent

It exits with 1 if a row survived. A row whose line is no longer once in its file is stale: it is
shown, and counts neither way.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.mutations.drawing import drawn
from tests.mutations.held import holding
from tests.mutations.row import EQUIVALENT, ROWS, Row, read, write
from tests.mutations.running import Copy, Outcome, Tried


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser("python -m tests.mutations")
    parser.add_argument("paths", nargs="*", help="only rows whose path holds one of these texts")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth row")
    parser.add_argument("--redraw", action="store_true", help="replace rows that no longer fit")
    given = parser.parse_args(arguments)
    rows = read(ROWS)
    if given.redraw:
        write(ROWS, drawn(rows, read(EQUIVALENT)))
        return 0
    chosen = [row for row in rows if not given.paths or any(p in row.path for p in given.paths)]
    with tempfile.TemporaryDirectory(prefix="mutations-") as directory:
        return run(chosen[:: given.every], Copy(Path(directory, "project")))


def run(rows: Sequence[Row], copy: Copy) -> int:
    """Try the rows, a line each, with the whole row where it survived. The exit status."""
    first = {tuple(holding(row.path)): row for row in rows}
    broken = [(row.package, test) for row in first.values() if (test := copy.failing(row))]
    for package, test in broken:
        print(f"without a mutation a test of {package} fails: {test}")
    if broken:
        return 2
    counts: Counter[Outcome] = Counter()
    for number, row in enumerate(rows, 1):
        tried = copy.tried(row)
        counts[tried.outcome] += 1
        print(f"{number} {shown(tried)}", flush=True)
    killed = counts[Outcome.KILLED] + counts[Outcome.TIMEOUT]
    print(f"timeout {counts[Outcome.TIMEOUT]}, stale {counts[Outcome.STALE]}")
    print(f"killed {killed} of {killed + counts[Outcome.SURVIVED]}")
    return 1 if counts[Outcome.SURVIVED] else 0


def shown(tried: Tried) -> str:
    """A line about a row; the row itself where no test failed."""
    row, outcome, seconds, test = tried
    if outcome is Outcome.KILLED:
        return f"killed in {seconds:.0f} s, {row.path}: {row.kind}; by {test}"
    return f"{outcome.value} in {seconds:.0f} s, {row}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
