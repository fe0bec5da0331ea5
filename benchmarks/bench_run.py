"""What a confined run costs, as processor time over `check` of the same command in the same run.

    python -m benchmarks.bench_run

The cases take turns, so that a machine that is busy is so for all of them; the backend's own share
is the same bubblewrap call without us. Peers are compared where PATH has them: `codex` (its binary,
not the script that starts it) and `srt`.
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
from execpolicy.sandbox.backends.bubblewrap import EMPTY, arguments, find

PROGRAM = str(Path(sys.executable).with_name("execpolicy"))
ROUNDS = 25
BUDGET = 1.4
"""How much more than a check a run may cost, with the work of bubblewrap and the command in it."""
PRESETS = Path(__file__).parents[1] / "rules/presets"
PEERS = {
    "codex": (["codex", "sandbox", "--", "true"], 0.6),
    "srt": (["srt", "true"], 0.2),
}


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
        "check -- true": [PROGRAM, "check", "--", "true"],
        "run -- true": [PROGRAM, "run", "--", "true"],
        "bubblewrap alone": backend(home, project),
    }
    cases.update({n: c for n, (c, _) in PEERS.items() if shutil.which(c[0])})
    times: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(ROUNDS + 1):
        for name, command in cases.items():
            took = processor_ms(command, environment, project)
            times[name].extend([took] if turn else [])  # the first one fills caches
    medians = {name: statistics.median(took) for name, took in times.items()}
    check, run, alone = (medians[name] for name in [*cases][:3])
    found = [Row(name, f"{took:.1f} ms", f"{took / check:.2f}") for name, took in medians.items()]
    found[1] = found[1]._replace(ratio=f"{run / check:.2f} (≤ {BUDGET})")
    own = run - alone
    found.append(Row("run without bubblewrap", f"{own:.1f} ms", f"{own / check:.2f}"))
    for name, (_, most) in PEERS.items():
        if name in medians:
            found.append(Row(f"run over {name}", "", f"{run / medians[name]:.2f} (≤ {most})"))
    return found


if __name__ == "__main__":
    main()
