"""Whole processes: what a start costs over a bare start of the same Python, against the budget.

    python -m benchmarks.cold PYTHON [OTHER…]

PYTHON is the interpreter of an environment that execpolicy was installed into, as from its wheel;
each OTHER, such as an earlier wheel's, takes turns with it in the same run. Each start is measured
asked again, from one directory in which it was asked before, and asked the first time, from another
directory at each turn. Time is that of the processor, user and system, by `getrusage`; the wall
time is shown beside it. The exit code is 1 where a start of the first that is asked again costs
more than its bound.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.starts import LOOP, PAYLOAD
from benchmarks.table import Row, show
from execpolicy.store.repeat.witness import SETTLED

ROUNDS = int(os.environ.get("EXECPOLICY_BENCH_ROUNDS", "25"))
NEW_SHAPE = 'while read -r a b; do case "$a" in x{0}) echo "$b" | tee {1} ;; *) ;; esac; done < f'


class Spent(NamedTuple):
    """Milliseconds of one process: of the processor, and on the wall."""

    processor: float
    wall: float


class Start(NamedTuple):
    """A command line, what it reads, how often a bare start it may cost, and what comes before.

    `prepare` gets the home of the environment before each measurement.
    """

    what: str
    arguments: tuple[str, ...]
    bound: float
    stdin: bytes = b""
    prepare: Callable[[Path, int], None] = lambda home, turn: None
    variables: tuple[tuple[str, str], ...] = ()


def _first(home: Path, _turn: int) -> None:
    """As after an installation: nothing is kept yet."""
    shutil.rmtree(home / ".cache", ignore_errors=True)


_CODEX = ("check", "--format", "codex", "--rules", "default.rules", "--", "git", "push")
_RULES = """prefix_rule(pattern = ["git", "push"], decision = "prompt")
prefix_rule(pattern = ["ls"], decision = "allow")
"""

STARTS = (
    Start("check -- ls", ("check", "--", "ls"), 1.9),
    Start("check -- git push", ("check", "--", "git", "push"), 1.9),
    Start("hook claude", ("hook", "claude"), 2.0, PAYLOAD),
    Start("check -c (a pipe)", ("check", "-c", "ls -la | wc -l"), 2.0),
    Start("check -c (a loop with a substitution)", ("check", "-c", LOOP), 2.4),
    Start("check -c (a shape never seen)", ("check", "-c", "{shape}"), 4.0),
    Start("check --format codex", _CODEX, 2.2),
    Start("the first start after install", ("check", "--", "git", "push"), 2.5, b"", _first),
    Start(
        "no home",
        ("check", "--", "git", "push"),
        2.3,
        variables=(
            ("HOME", "/proc/none"),
            ("XDG_CACHE_HOME", "/proc/none"),
            ("XDG_STATE_HOME", "/proc/none"),
        ),
    ),
)


def spent(command: Sequence[str], environment: dict[str, str], stdin: bytes, cwd: Path) -> Spent:
    """What a whole process takes."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, input=stdin, cwd=cwd, capture_output=True, check=False)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(used * 1000, wall * 1000)


def program(python: str, start: Start) -> list[str]:
    """The program as it is started: by a host as `install` writes it down, else by its name.

    What asks a running server first is left out: it is C, and there is no server here.
    """
    if start.arguments[0] == "hook":
        return written(python)
    return [str(Path(python).with_name("execpolicy"))]


@cache
def written(python: str) -> list[str]:
    """The words by which `install` has a host start this Python's execpolicy."""
    ask = "from execpolicy.hosts.install.start_words import command; print(*command(), sep='\\n')"
    done = subprocess.run([python, "-I", "-c", ask], capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()
    return words[words.index(os.path.abspath(python)) :]


def shape(turn: int) -> str:
    """A script of a structure that no earlier turn had."""
    more = "; ".join("{ echo a; }" if turn >> bit & 1 else "( echo a )" for bit in range(8))
    return f"{NEW_SHAPE.format(turn, turn)} && {{ {more}; }}"


def medians(times: Sequence[Spent]) -> Spent:
    """The median of each kind of time."""
    return Spent(
        statistics.median(t.processor for t in times), statistics.median(t.wall for t in times)
    )


@contextmanager
def homes(count: int) -> Iterator[list[Path]]:
    """A directory for the home of each environment, and of what it works on."""
    with tempfile.TemporaryDirectory() as folder:
        every = [Path(folder, str(number)) for number in range(count)]
        for home in every:
            for turn in range(ROUNDS + 2):
                (home / f"work/{turn}").mkdir(parents=True)
                (home / f"work/{turn}/default.rules").write_text(_RULES)
        time.sleep(SETTLED / 1e9)  # what was changed just now is looked at in full at each start
        yield every


def environment(home: Path, start: Start) -> dict[str, str]:
    """The variables of a process that has this home."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "PYTHON"))}
    return {**kept, "HOME": str(home), **dict(start.variables)}


def measure(start: Start, pythons: Sequence[str], again: bool) -> tuple[Spent, list[Spent]]:
    """A bare start, and this start with each Python, in turns: asked again, or the first time."""
    bare: list[Spent] = []
    each: list[list[Spent]] = [[] for _ in pythons]
    with homes(len(pythons)) as places:
        for turn in range(ROUNDS + 2):
            line = [pythons[0], "-I", "-c", "pass"]
            took = spent(line, environment(places[0], start), b"", places[0])
            bare.extend([took] if turn > 1 else [])
            for python, home, times in zip(pythons, places, each, strict=True):
                start.prepare(home, turn)
                arguments = [a.replace("{shape}", shape(turn)) for a in start.arguments]
                line = [*program(python, start), *arguments]
                where = home / f"work/{0 if again else turn}"
                took = spent(line, environment(home, start), start.stdin, where)
                times.extend([took] if turn > 1 else [])  # the first ones fill caches
    return medians(bare), [medians(times) for times in each]


def main() -> int:
    """Measure, print, and give the exit code."""
    pythons = [os.path.abspath(one) for one in sys.argv[1:]]
    if not pythons:
        print(__doc__)
        return 64
    rows, over = [], False
    for start in STARTS:
        for again in (True, False):
            bare, each = measure(start, pythons, again)
            ratios = [one.processor / bare.processor for one in each]
            over = over or (again and ratios[0] > start.bound)
            beside = "".join(f", other {ratio:.2f}" for ratio in ratios[1:])
            bound = f" (≤ {start.bound})" if again else ""
            rows.append(
                Row(
                    f"{start.what}, asked {'again' if again else 'the first time'}",
                    f"{each[0].processor:.1f} ms processor, {each[0].wall:.1f} wall",
                    f"{ratios[0]:.2f} of bare {bare.processor:.1f} ms{bound}{beside}",
                )
            )
    show("starting", rows)
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
