"""What a snapshot adds to a confined run, as processor time over the same run without one, and what
one takes in the supervisor of a session, over a bare start of Python.

    python -m benchmarks.bench_undo [FILES…]

For each number of files (10,000 without one) a project of small files is made, of which each run
changes one. The runs with and without a snapshot take turns. `again`: an earlier run began alike;
`anew`: it is decided anew. `session`: each call changes a file and makes one. The exit code is 1
where a snapshot of a project of at most 10,000 files costs more than its budget.
"""

import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Row, show
from benchmarks.throwaway import PRESETS, throwaway_home
from execpolicy.undo.store import RecordedCall, Store
from execpolicy.wrap.kept.watch import ProjectWatch

PROGRAM = str(Path(sys.executable).with_name("execpolicy"))
ROUNDS, WARM = 9, 3
BUDGET, OF_PYTHON, BUDGETED = 1.5, 0.15, 10_000
"""How much a run with a snapshot may cost of one without, and one in a session of a bare Python, in
a project of so many files."""
CALLS, STARTS = 200, 30


class Took(NamedTuple):
    """Seconds of a run: of the processor, with all that it waited for, and on the wall."""

    processor: float
    wall: float


def make(project: Path, files: int) -> None:
    """Fill a project: ten files a directory, all of them in one commit."""
    for number in range(files):
        directory = project / f"d{number // 1000}/s{number // 10 % 100}"
        if number % 10 == 0:
            directory.mkdir(parents=True, exist_ok=True)
        (directory / f"f{number}.py").write_text(f"x = {number}\n" * 20)
    git = [
        "git",
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@example.org",
        "-C",
        str(project),
        "-c",
        "gc.auto=0",
    ]
    for words in (["add", "-A"], ["commit", "-qm", "files"]):
        subprocess.run([*git, *words], check=True)


def took(text: str, cwd: Path, variables: dict[str, str], *, undo: bool) -> Took:
    """Run a text confined, with a snapshot before or without."""
    words = [PROGRAM, "run", "--confined", "--rules", str(PRESETS / "developer.rules"), "-c", text]
    environment = {**variables, "EXECPOLICY_UNDO": str(undo).lower()}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
    subprocess.run(
        words, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(spent, os.times().elapsed - began)


def _spent(who: int) -> float:
    spent = resource.getrusage(who)
    return spent.ru_utime + spent.ru_stime


def in_session(project: Path, needed: bool) -> tuple[float, float]:
    """Seconds of the processor that the snapshot of a call takes in a session, and a bare start."""
    watch = ProjectWatch(str(project))
    store = Store(str(project), watch=watch)
    store.take(RecordedCall("first", str(project)))
    taken = 0.0
    for number in range(CALLS):
        (project / "d0/s0/f0.py").write_text(f"x = {number}\n")
        (project / f"d1/made{number}").touch()
        before = _spent(resource.RUSAGE_SELF)
        one = store.take(RecordedCall("call", str(project), needed=needed))
        store.end(one.manifest)
        watch.removed()
        taken += _spent(resource.RUSAGE_SELF) - before
    watch.close()
    before = _spent(resource.RUSAGE_CHILDREN)
    for _ in range(STARTS):
        subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
    return taken / CALLS, (_spent(resource.RUSAGE_CHILDREN) - before) / STARTS


def session_rows(project: Path, variables: dict[str, str], files: int) -> tuple[list[Row], bool]:
    """The rows for a session, and whether they are within their budget."""
    os.environ |= {"HOME": variables["HOME"]}
    os.environ.pop("XDG_STATE_HOME", None)
    rows, fits = [], True
    for needed in (False, True):
        mine, bare = in_session(project, needed)
        fits &= mine / bare <= OF_PYTHON or files > BUDGETED
        more = ", on the disk before the call" if needed else ""
        what = f"{files} files, in a session{more}: over a bare Python"
        rows.append(Row(what, f"{mine / bare:.2f}", f"{mine * 1000:.1f} ms"))
    return rows, fits


def measured(files: int) -> tuple[list[Row], bool]:
    """The rows for a project of so many files, and whether all is within its budget."""
    rows, fits = [], True
    with throwaway_home() as home:
        make(home.project, files)
        first = took("touch made", home.project, home.variables, undo=True)
        rows.append(Row(f"{files} files, the first snapshot", f"{first.wall:.2f} s", ""))
        for kind in ("again", "anew"):
            found: dict[bool, list[Took]] = {False: [], True: []}
            for turn in range(WARM + ROUNDS):
                for undo in (False, True):
                    more = "" if kind == "again" else f" # {turn}"
                    (home.project / "d0/s0/f0.py").write_text(f"x = {turn}\n")
                    text = f"touch made{more}"
                    spent = took(text, home.project, home.variables, undo=undo)
                    if turn >= WARM:
                        found[undo].append(spent)
            without, with_it = (statistics.median(t.processor for t in found[u]) for u in found)
            ratio = with_it / without
            fits &= ratio <= BUDGET or files > BUDGETED
            what = f"{files} files, {kind}: with a snapshot over without"
            rows.append(Row(what, f"{ratio:.2f}", f"{with_it * 1000:.0f} ms"))
        found_rows, fit = session_rows(home.project, home.variables, files)
    return [*rows, *found_rows], fits and fit


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 where a snapshot costs more than its budget."""
    results = [measured(int(files)) for files in arguments or ["10000"]]
    show("what a snapshot costs", [row for rows, _ in results for row in rows])
    return 0 if all(fits for _, fits in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
