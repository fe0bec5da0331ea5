"""What a confined run costs, as processor time over `check` of the same command in the same run.

    python -m benchmarks.bench_run

The time is that of a process and all that it waited for; before each, the home is written to as by
an agent. The cases take turns, so that a machine
that is busy is so for all of them. A check or a run is `again` where an earlier one began alike and
saw the same, and `anew` where its environment is another one each time; what was to be given again
and was not is told. `bubblewrap alone` is the call that a run makes of it. Peers are compared where
PATH has them: `codex` (its binary, not the script that starts it) and `srt`.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from benchmarks.table import Row, show
from benchmarks.throwaway import Home, throwaway_home
from execpolicy import Engine
from execpolicy.sandbox import Sandbox
from execpolicy.sandbox.backends.bubblewrap import rendered
from execpolicy.sandbox.backends.start.prepared import EMPTY, find

PROGRAM = str(Path(sys.executable).with_name("execpolicy"))
ROUNDS, WARM = 25, 4
"""The first turns fill caches, and wait until files count as settled."""
BUDGET, MOUNTS = 1.4, 12
"""How much more than a check a run may cost, with the work of bubblewrap and the command in it, and
how many mounts it may make in an ordinary repository."""
_WRITES = ["-c", 'sandbox_mode="workspace-write"']
PEERS = {
    "codex": (["codex", "sandbox", *_WRITES, "--", "true"], 0.6),
    "srt": (["srt", "true"], 0.2),
}
"""Each with what a run may cost of it. The working directory is written in all of them."""
RULES = {"the shipped rules": "", "preset developer": "developer"}
ELF = b"\x7fELF"


class Case(NamedTuple):
    """What is measured, and where.

    `anew`: with another environment each time. `more`: the variables beside those of the home.
    """

    command: Sequence[str]
    home: Home
    anew: bool = False
    more: Mapping[str, str] = MappingProxyType({})


class Took(NamedTuple):
    """Medians in milliseconds, and how many runs were not given again though they were to be."""

    ms: dict[str, float]
    missed: int


def processor_ms(command: Sequence[str], variables: Mapping[str, str], cwd: Path) -> float:
    """Milliseconds of user and system time of a process and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=variables, cwd=cwd, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Measure and print."""
    before = {**os.environ}
    # A peer writes to its home, on which a run that is given again depends.
    with throwaway_home() as home, throwaway_home() as others:
        os.environ.update(home.variables)
        for what, preset in RULES.items():
            if preset:
                home.choose(preset)
                others.choose(preset)
            every = {**cases(home, others), **peers(others, before)}
            report(what, home, every)


def report(what: str, home: Home, every: Mapping[str, Case]) -> None:
    """Measure a run of `true` by these rules."""
    mounts = len(Sandbox(Engine.load()).plan(["true"], cwd=str(home.project)).mounts)
    found = rows(measured(every))
    found.append(Row("mounts", str(mounts), f"(≤ {MOUNTS})"))
    show(f"a run of `true`, {what}", found)


def cases(home: Home, others: Home) -> dict[str, Case]:
    """What is measured of ours, by name. What begins anew keeps what it did in the other home."""
    check, run = ([PROGRAM, word, "--", "true"] for word in ("check", "run"))
    return {
        "check, again": Case(check, home),
        "check, anew": Case(check, others, anew=True),
        "run, again": Case(run, home),
        "run, anew": Case(run, others, anew=True),
        "bubblewrap alone": Case(backend(home), home),
        "python alone": Case([sys.executable, "-c", "pass"], home),
    }


def peers(home: Home, variables: Mapping[str, str]) -> dict[str, Case]:
    """The peers that these variables find, started with them."""
    more = {**variables, **home.variables, "PATH": variables["PATH"]}
    found = {}
    for name, (command, _) in PEERS.items():
        program = shutil.which(command[0], path=more["PATH"])
        if program is None or (name == "codex" and not is_binary(program)):
            print(f"{name} is not compared: PATH has no such program, or not its binary")
        else:
            found[name] = Case([program, *command[1:]], home, more=more)
    return found


def is_binary(program: str) -> bool:
    """Whether a program is not a script."""
    with open(program, "rb") as file:
        return file.read(4) == ELF


def backend(home: Home) -> list[str]:
    """The call of bubblewrap that a run makes, without filter, limits and what watches it."""
    plan = Sandbox(Engine.load()).plan(["true"], cwd=str(home.project))
    options = [*rendered(plan).options, "--unshare-net"]
    while EMPTY in options:  # a file that is not there: hidden by the null device here
        at = options.index(EMPTY) - 1
        options[at - 2 : at + 3] = ["--ro-bind", os.devnull, options[at + 2]]
    return [find(), *options, "true"]


def measured(every: Mapping[str, Case]) -> Took:
    """The cases in turns."""
    times: dict[str, list[float]] = {name: [] for name in every}
    missed = 0
    for turn in range(ROUNDS + WARM):
        for name, case in every.items():
            before = case.home.kept
            variables = {**case.home.variables, **case.more}
            variables |= {"TURN": str(turn)} if case.anew else {}
            case.home.write_as_an_agent(turn)
            took = processor_ms(case.command, variables, case.home.project)
            if turn >= WARM:
                times[name].append(took)
                missed += name == "run, again" and case.home.kept != before
    return Took({name: statistics.median(took) for name, took in times.items()}, missed)


def rows(took: Took) -> list[Row]:
    """The medians, each over that of a check that is given again; and the ratios that matter."""
    ms = took.ms
    found = [Row(name, f"{m:.1f} ms", f"{m / ms['check, again']:.2f}") for name, m in ms.items()]
    for kind in ("anew", "again"):
        ratio = ms[f"run, {kind}"] / ms[f"check, {kind}"]
        found.append(Row(f"run over check, {kind}", f"{ratio:.2f}", f"(≤ {BUDGET})"))
    for name, (_, most) in PEERS.items():
        if name in ms:
            ratio = ms["run, again"] / ms[name]
            found.append(Row(f"run, again, over {name}", f"{ratio:.2f}", f"(≤ {most})"))
    found.append(Row("runs not given again", f"{took.missed} of {ROUNDS}", "(0)"))
    return found


if __name__ == "__main__":
    main()
