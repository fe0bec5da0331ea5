"""What approvals cost: processor time of a whole `check` that asks, cold.

python -m benchmarks.bench_approvals
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, show
from execpolicy import Engine, Request
from execpolicy.approvals import Answer, Life, Questions
from execpolicy.store.ledger.ledger import Ledger

MANY = 10_000
RUNS = 31


def milliseconds(command: list[str]) -> float:
    """The processor time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def median(command: list[str]) -> float:
    """The median of some runs, after one that fills the caches."""
    milliseconds(command)
    return sorted(milliseconds(command) for _ in range(RUNS))[RUNS // 2]


def approve(project: str, command: str) -> None:
    questions = Questions(Engine.load(cwd=project), "s", host="claude")
    question = questions.ask(Request(text=command, cwd=project, root=project)).question
    if question is not None:
        questions.reply(Answer(question.id, Life.SESSION))


def fill() -> None:
    """Many approvals about other commands."""
    with Ledger.open() as ledger:
        one = ledger.every()[0]
        with ledger.writing():
            for number in range(MANY):
                reach = one.reach.replace(exact=f"{number:064x}")
                ledger.approve(one.replace(id=f"n{number}", reach=reach), one.at.wall)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        project = os.path.join(home, "p")
        for folder in ("objects", "refs"):
            os.makedirs(os.path.join(project, ".git", folder))
        Path(project, ".git", "HEAD").write_text("ref: refs/heads/main\n")
        os.environ |= {"XDG_STATE_HOME": f"{home}/state", "XDG_CONFIG_HOME": f"{home}/config"}
        words = ["check", "--host", "claude", "--session", "s", "--cwd", project, "-c", "git push"]
        command = [sys.executable, "-m", "execpolicy", *words]
        without = median(command)
        approve(project, "npm test")
        fill()
        missed = median(command)
        approve(project, "git push")
        found = median(command)
    show(
        f"a check that asks, with {MANY:,} approvals",
        [
            Row("without a ledger", f"{without:.1f} ms", ""),
            Row("none of them fits", f"{missed / without:.2f} ×", "at most 1.25"),
            Row("one of them fits", f"{found / without:.2f} ×", "at most 1.25"),
        ],
    )


if __name__ == "__main__":
    main()
