"""What a day of an agent costs in a wrapped session, over the agent alone, in the agents' programs.

    EXECPOLICY_TEST_HOSTS=DIR python -m benchmarks.bench_day FILE [HOST…]

FILE has the calls of days, as `tests.replay wrapped_days` takes them; of these the ones that nobody
is asked about are made, with the same stand-in model and the same servers. The agent alone and the
session take turns. Each is in a control group of its own, so that all its processes count; the
model does not. What is printed is the median of the turns: of the whole, of what was spent before
the first call, and of what each call took.
Beside each stands its ratio to the agent alone. `serving`: the supervisor, its workers, and the
commands that they start. The agents' own programs take 0.6 to 2 s to begin, so the start is a large
part of a day of forty small calls. It needs the right to make control groups.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

from benchmarks.bench_wrap import Group, children_of
from benchmarks.table import Row, show
from execpolicy.store.repeat.witness import SETTLED
from tests.agents import paper
from tests.replay import wrapped_days
from tests.wrap.days import calls, registry
from tests.wrap.hosts import address, reachable

TURNS = 3
PARTS = "whole", "start", "a call"


class Measured(calls.Day):
    """A day whose first request of the model ends the start."""

    def __init__(self, rows: list[calls.Row], place: "MeasuredPlace") -> None:
        super().__init__(rows, lambda _code: None, dict)
        self._place = place

    def turn(self, offered: set[str], results: list[object]) -> "tuple[str, paper.Body] | None":
        """The next call; what was spent before the first is noted."""
        if not self.calls:
            self._place.begin()
        return super().turn(offered, results)


class MeasuredPlace(wrapped_days.Place):
    """A home with a project, in which what a host spends is measured."""

    process: "subprocess.Popen[bytes]"

    def begin(self) -> None:
        """Note what the start took. What serves the commands is in a group of its own from now."""
        for process in serving(self.process.pid):
            with suppress(ProcessLookupError):  # a worker that ended
                self.beside.join(process)
        self.at_start = self.agent.spent() + self.beside.spent()

    def spent(self, host: str, rows: list[calls.Row], *, wrapped: bool) -> dict[str, float]:
        """Milliseconds of a host's day, by their part."""
        self.renew()
        sleep(SETTLED / 1e9)  # as of a project that was not made just now
        day = Measured([self.placed(row) for row in rows], self)
        with paper.served(day), reachable(day) as (host_name, port), self._groups():
            words, variables = self.words(host, day, f"{host_name}:{port}", wrapped)
            self.process = subprocess.Popen(
                words,
                cwd=self.root,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                preexec_fn=lambda: self.agent.join(os.getpid()),
            )
            self.process.wait(wrapped_days.SECONDS)
            whole, served = self.agent.spent() + self.beside.spent(), self.beside.spent()
        assert len(day.outcomes) == len(rows), f"{host} made {len(day.outcomes)} calls"
        each = (whole - self.at_start) / len(rows)
        return {"whole": whole, "start": self.at_start, "a call": each, "serving": served}

    @contextmanager
    def _groups(self) -> Iterator[None]:
        self.agent, self.beside = Group("day"), Group("day-served")
        try:
            yield
        finally:
            self.agent.close()
            self.beside.close()


def serving(process: int) -> list[int]:
    """The supervisor of a session with its workers; nothing of an agent alone."""
    python = os.path.realpath(sys.executable)
    found = [one for one in children_of(process) if os.readlink(f"/proc/{one}/exe") == python]
    return [*found, *(each for one in found for each in children_of(one))]


def main() -> None:
    """Print the lines of each day in each host."""
    lines = Path(sys.argv[1]).read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["want"] == "free"]
    for day, mine, base in wrapped_days.days(rows):
        with registry.served(address(), str(base / "work")) as url:
            place = MeasuredPlace(base, day, url)
            for host in sys.argv[2:] or wrapped_days.HOSTS:
                show(f"{host}, {day}: {len(mine)} calls", compared(place, host, mine))


def compared(place: MeasuredPlace, host: str, rows: list[calls.Row]) -> list[Row]:
    """The medians of both."""
    alone: list[dict[str, float]] = []
    wrapped: list[dict[str, float]] = []
    for _ in range(TURNS):
        alone.append(place.spent(host, rows, wrapped=False))
        wrapped.append(place.spent(host, rows, wrapped=True))
    found = []
    for part in PARTS:
        one, other = (statistics.median(turn[part] for turn in each) for each in (alone, wrapped))
        found.append(Row(part, f"{one:.0f} ms alone, {other:.0f} ms", f"{other / one:.2f}"))
    served = statistics.median(turn["serving"] for turn in wrapped)
    return [*found, Row("serving", f"{served:.0f} ms", "")]


if __name__ == "__main__":
    main()
