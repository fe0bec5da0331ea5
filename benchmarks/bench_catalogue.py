"""Reading an argv by the catalogue, over the examples of all shipped entries.

python -m benchmarks.bench_catalogue
"""

import shlex
import time

from benchmarks.table import Row, show
from execpolicy.catalogue import Catalogue, read
from execpolicy.model.operation import Dynamic, Word
from tests.catalogue.shipped import RULES, everything, programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.catalogue.catalogue import Table

ARGVS: list[tuple[Word, ...]] = [
    tuple(shlex.split(command))
    for path in RULES
    for program in programs(path)
    for _, commands in program.examples
    for command in commands
]


def median_us(entries: Catalogue, argvs: list[tuple[Word, ...]], repeat: int = 5) -> float:
    """The median over the argvs of the best of some readings."""
    times = []
    for argv in argvs:
        best = 1.0
        for _ in range(repeat):
            begin = time.perf_counter()
            read(argv, entries)
            best = min(best, time.perf_counter() - begin)
        times.append(best)
    return sorted(times)[len(times) // 2] * 1e6


def first_reading_us(argvs: list[tuple[Word, ...]], table: "Table") -> float:
    """The median of a first reading, which loads the entry."""
    times = []
    for argv in argvs:
        entries = Catalogue(table)
        begin = time.perf_counter()
        read(argv, entries)
        times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2] * 1e6


def main() -> None:
    entries, _, table = everything()
    dynamic = [(*argv[:-1], Dynamic("$x")) for argv in ARGVS if len(argv) > 1]
    size = sum(len(table[1][number]) for number in range(len(table[1])))
    once, moving = median_us(entries, ARGVS), median_us(entries, dynamic)
    first = first_reading_us(ARGVS, table)
    show(
        f"catalogue: {len(entries.paths())} paths, {len(ARGVS)} examples",
        [
            Row("read an argv, median", f"{once:.1f} µs", "at most 12"),
            Row("with a dynamic last word, median", f"{moving:.1f} µs", ""),
            Row("first reading of a program, median", f"{first:.1f} µs", ""),
            Row("table", f"{size / 2**20:.2f} MiB", ""),
        ],
    )


if __name__ == "__main__":
    main()
