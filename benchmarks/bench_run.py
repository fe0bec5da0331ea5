"""What a confined run costs, as processor time over `check` of the same command in the same run.

    python -m benchmarks.bench_run

The cases take turns, so that a machine that is busy is so for all of them; the backend's own share
is the same bubblewrap call without us. A check or a run is `again` where an earlier one began alike
and saw the same, and `anew` where its environment is another one each time. Peers are compared
where PATH has them: `codex` (its binary, not the script that starts it) and `srt`.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.table import Row, show
from execpolicy import Engine
from execpolicy.sandbox import Sandbox
from execpolicy.sandbox.backends.start.become import EMPTY, find
from execpolicy.sandbox.backends.bubblewrap import arguments

PROGRAM = str(Path(sys.executable).with_name("execpolicy"))
ROUNDS, WARM = 25, 3
"""The first turns fill caches, and wait until files count as settled."""
BUDGET = 1.4
"""How much more than a check a run may cost, with the work of bubblewrap and the command in it."""
PRESETS = Path(__file__).parents[1] / "rules/presets"
_WRITES = ["-c", 'sandbox_mode="workspace-write"']
PEERS = {
    "codex": (["codex", "sandbox", *_WRITES, "--", "true"], 0.6),
    "srt": (["srt", "true"], 0.2),
}
"""Each with what a run may cost of it. The working directory is written in all of them."""


def processor_ms(command: Sequence[str], environment: Mapping[str, str], cwd: Path) -> float:
    """Milliseconds of user and system time of a process and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, cwd=cwd, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def backend(home: Path, project: Path) -> list[str]:
    """The call of bubblewrap that a run makes, without filter, limits and what watches it."""
    os.environ["HOME"] = str(home)
    options = arguments(Sandbox(Engine.load(rules=[])).plan(["true"], cwd=str(project)))
    while EMPTY in options:  # a file that is not there: hidden by the null device here
        at = options.index(EMPTY) - 1
        options[at - 2 : at + 3] = ["--ro-bind", os.devnull, options[at + 2]]
    return [find(), *options, "true"]


def choose(home: Path, preset: str) -> None:
    """Make a preset the user's rules."""
    config = home / ".config/execpolicy/rules"
    config.mkdir(parents=True, exist_ok=True)
    shutil.copy(PRESETS / f"{preset}.rules", config / "preset.rules")


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(dir=Path.home() / ".cache") as made:
        home = Path(made)
        project = home / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        (project / "a.txt").write_text("hello\n")
        environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": f"{home}/cache"}
        for name in ("PYTHONDONTWRITEBYTECODE", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            environment.pop(name, None)
        show("a run of `true`, the shipped rules", rows(environment, home, project))
        choose(home, "developer")
        show("a run of `true`, preset developer", rows(environment, home, project))


def rows(environment: Mapping[str, str], home: Path, project: Path) -> list[Row]:
    """The cases in turns."""
    cases = {
        "check, again": [PROGRAM, "check", "--", "true"],
        "check, anew": [PROGRAM, "check", "--", "true"],
        "run, again": [PROGRAM, "run", "--", "true"],
        "run, anew": [PROGRAM, "run", "--", "true"],
        "bubblewrap alone": backend(home, project),
    }
    cases.update({n: c for n, (c, _) in PEERS.items() if shutil.which(c[0])})
    times: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(ROUNDS + WARM):
        for name, command in cases.items():
            number = {"TURN": str(turn)} if name.endswith("anew") else {}
            took = processor_ms(command, {**environment, **number}, project)
            times[name].extend([took] if turn >= WARM else [])
    return _compared({name: statistics.median(took) for name, took in times.items()})


def _compared(took: Mapping[str, float]) -> list[Row]:
    """The medians, each over that of a check of its kind."""
    found = [
        Row(name, f"{ms:.1f} ms", f"{ms / took['check, again']:.2f}") for name, ms in took.items()
    ]
    for kind in ("anew", "again"):
        ratio = took[f"run, {kind}"] / took[f"check, {kind}"]
        found.append(Row(f"run over check, {kind}", "", f"{ratio:.2f} (≤ {BUDGET})"))
    own = took["run, again"] - took["bubblewrap alone"]
    found.append(Row("run, again, without bubblewrap", f"{own:.1f} ms", ""))
    for name, (_, most) in PEERS.items():
        if name in took:
            ratio = took["run, again"] / took[name]
            found.append(Row(f"run, again, over {name}", "", f"{ratio:.2f} (≤ {most})"))
    return found


if __name__ == "__main__":
    main()
