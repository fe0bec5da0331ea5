"""The same tables on an engine that is there: Daft."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.replay.batch import BatchPolicy
from execpolicy.replay.batch.files import decide_files
from tests.batch.test_decide_table import PLACES, TEXTS
from tests.waiting import HANG_SECONDS

pytest.importorskip("daft")
parquet = pytest.importorskip("pyarrow.parquet")

PROGRAM = """
import os, sys
import daft
from execpolicy.replay.batch import BatchPolicy
from execpolicy.replay.batch.fleet import decide_frame

if __name__ == "__main__":
    rows = daft.read_json(sys.argv[1])
    found = decide_frame(rows, BatchPolicy.from_json(sys.argv[2]), processes=2)
    found.write_parquet(sys.argv[3])
    os._exit(0)  # threads of Daft may be in the way of an interpreter that ends
"""


def on_daft(log: Path, policy: BatchPolicy, out: Path) -> "subprocess.CompletedProcess[str]":
    """Decide a log in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, log, policy.to_json(), out],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )


@pytest.mark.parametrize("columns", [("command", "cwd"), ("command",)])
def test_its_table_is_that_of_duckdb(columns: tuple[str, ...], tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311
    rows = [
        {"number": n, "command": chance.choice([*TEXTS, None]), "cwd": chance.choice(PLACES)}
        for n in range(600)
    ]
    kept = ("number", *columns)
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({k: row[k] for k in kept}) + "\n" for row in rows))
    policy = BatchPolicy.of()
    decide_files([str(log)], str(tmp_path / "duckdb"), policy, rows=200)
    done = on_daft(log, policy, tmp_path / "daft")
    assert done.returncode == 0, done.stderr
    ours, theirs = (
        parquet.read_table(tmp_path / name, partitioning=None).to_pylist()
        if name == "daft"
        else [r for p in sorted((tmp_path / name).glob("*.parquet")) for r in rows_of(p)]
        for name in ("duckdb", "daft")
    )
    assert [row["number"] for row in ours] == [*range(600)]
    assert sorted(theirs, key=lambda row: row["number"]) == ours


def rows_of(path: Path) -> list[dict[str, object]]:
    """The rows of one file."""
    return parquet.read_table(path).to_pylist()  # type: ignore[no-any-return]


def test_a_policy_of_another_version_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"command": "ls"}\n')
    other = BatchPolicy.of().replace(version="0.0.0/1")
    done = on_daft(log, other, tmp_path / "daft")
    assert done.returncode != 0
    assert "install the same version" in done.stderr
