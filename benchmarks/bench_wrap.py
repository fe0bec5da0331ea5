"""What a command of a wrapped session costs, by processor time of all processes that take part.

    python -m benchmarks.bench_wrap [COMMANDS]

A session for each shim, and a bash that starts a bare `python3 -I -c pass`, take turns: each runs
so many commands while the time of its control group is looked at, before and after. So no start of
a session is in it, and a machine that is busy is so for all. What is printed is the median of the
turns, and of each over that of the bare Python in the same turn: of all processes, and of it what
the agent's shell and its shims spent, the supervisor with its workers, and what those started.
It needs the right to make control groups.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep
from typing import Self

from benchmarks.table import Row, show
from benchmarks.throwaway import Home, throwaway_home
from execpolicy.store.repeat.witness import SETTLED

RULES = "sandbox(auto_allow = True)\n"
PYTHON = "/usr/bin/python3"
ROUNDS, WARM, COMMANDS = 15, 2, 10
LOOP = """while read -r count command; do
    for ((; count; count--)); do $command; done </dev/null; echo done
done"""
SHIMS = "c", "python"
POLICIES = {"nothing is written": ("-r", "a.rules"), "preset developer": ("--preset", "developer")}
GROUPS = (
    (Path("/sys/fs/cgroup/cpuacct"), "cpuacct.usage"),
    (Path("/sys/fs/cgroup"), "cpu.stat"),
)
"""Of version 1, and of version 2, where the time is in microseconds (cgroups(7))."""


class Group:
    """A control group that knows how long its processes had a processor."""

    def __init__(self, name: str) -> None:
        top, self._file = next(one for one in GROUPS if (one[0] / one[1]).exists())
        self.path = top / f"execpolicy-bench-{os.getpid()}-{name}"
        self.path.mkdir()

    def spent(self) -> float:
        """Milliseconds since it was made."""
        words = (self.path / self._file).read_text().split()
        return int(words[0]) / 1e6 if len(words) == 1 else int(words[1]) / 1e3

    def join(self, process: int) -> None:
        """Have a process in it, and all that this starts from now on."""
        (self.path / "cgroup.procs").write_text(str(process))

    def close(self) -> None:
        """Remove it; its processes are ending."""
        while (self.path / "cgroup.procs").read_text():
            sleep(0.01)
        self.path.rmdir()


class Session:
    """Something that reads how often it is to run a command, and says when it has."""

    def __init__(self, name: str, words: Sequence[str], home: Home, **more: str) -> None:
        self.group, self._beside = Group(name), Group(f"{name}-served")
        self._process = subprocess.Popen(
            [*words, "bash", "-c", LOOP],
            cwd=home.project,
            env={**home.variables, **more},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: self.group.join(os.getpid()),
        )
        self.run(1, "true")
        for process in self._serving():
            self._beside.join(process)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.communicate()
        self.group.close()
        self._beside.close()

    def run(self, count: int, command: str) -> "dict[str, float]":
        """Milliseconds of each so many runs of a command took, by who spent them."""
        before = self._spent()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{count} {command}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"
        return {name: (spent - before[name]) / count for name, spent in self._spent().items()}

    def _spent(self) -> "dict[str, float]":
        """What the agent with its shims spent, what serves them, and what that started."""
        own = sum(map(_processor, self._serving()))
        agent, beside = self.group.spent(), self._beside.spent()
        return {"all": agent + beside, "shims": agent, "serving": own, "sandboxes": beside - own}

    def _serving(self) -> "list[int]":
        """The supervisor and its workers."""
        program = self._process.pid
        supervisors = [one for one in children_of(program) if not _words(one).startswith("bwrap")]
        return [*supervisors, *(w for one in supervisors for w in children_of(one))]


def children_of(process: int) -> "list[int]":
    return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))


def _words(process: int) -> str:
    return os.path.basename(Path(f"/proc/{process}/cmdline").read_text())


def _processor(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6


@contextmanager
def sessions(home: Home, policy: Sequence[str]) -> Iterator["dict[str, Session]"]:
    """Those that are measured, by name."""
    (home.project / "a.rules").write_text(RULES)
    wrap = [sys.executable, "-m", "execpolicy", "wrap", *policy, "--"]
    more = {"PYTHONPATH": str(Path(__file__).parents[1])}
    with ExitStack() as stack:
        made = {"bare": stack.enter_context(Session("bare", (), home))}
        for shim in SHIMS:
            one = Session(shim, wrap, home, EXECPOLICY_SHIM=shim, **more)
            made[shim] = stack.enter_context(one)
        yield made


def main() -> None:
    """Print the lines of each policy."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COMMANDS
    for what, policy in POLICIES.items():
        show(what, rows(measured(policy, count)))


def measured(policy: Sequence[str], count: int) -> "dict[str, list[dict[str, float]]]":
    """What each session spent, turn by turn."""
    took: dict[str, list[dict[str, float]]] = {name: [] for name in ("bare", *SHIMS)}
    with throwaway_home() as home, sessions(home, policy) as every:
        sleep(SETTLED / 1e9)  # walls of what was changed just now are worked out anew
        for turn in range(ROUNDS + WARM):
            for name, session in every.items():
                command = f"{PYTHON} -I -c pass" if name == "bare" else "/usr/bin/true"
                spent = session.run(count, command)
                took[name] += [spent] if turn >= WARM else []
    return took


def rows(took: "dict[str, list[dict[str, float]]]") -> list[Row]:
    """The medians."""
    bare = [one["all"] for one in took["bare"]]
    found = [Row("python3 -I -c pass", f"{statistics.median(bare):.2f} ms", "")]
    for name in SHIMS:
        for part in took[name][0]:
            each = [one[part] for one in took[name]]
            ratio = statistics.median(a / b for a, b in zip(each, bare, strict=True))
            row = Row(f"{name} shim, {part}", f"{statistics.median(each):.2f} ms", f"{ratio:.2f}")
            found.append(row)
    return found


if __name__ == "__main__":
    main()
