"""`decide_table`: a fleet's log, each distinct text decided once and joined again."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execpolicy.commands.policy_sources import load
from execpolicy.hosts.transcripts.call import TranscriptCall
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Request
from execpolicy.places.blind import Empty
from execpolicy.replay.batch import BatchPolicy, decide_table, kept
from execpolicy.replay.batch.decider import TextDecider
from execpolicy.replay.batch.progress import progress
from execpolicy.replay.judge import Judge
from execpolicy.replay.requests import requests
from tests.examples import examples
from tests.waiting import HANG_SECONDS

arrow = pytest.importorskip("pyarrow")

TEXTS = [
    "git status", "ls -la", "cat src/x.py", "cat ../x", "cat /etc/hosts", "cat ~/notes.txt",
    "cat /home/ann/app/x", "cd /home/ann/app && ls", "rm -rf build", "git push", "make", "$x",
    "cd ..; cat x", "echo x > /tmp/y", "cat .env", "frobber status", "cat /Users/bob/app/a",
    "find . -name '*.py'", "rm -rf /home/ann/app", "cat $PWD/x", "rm -rf ~", "",
]  # fmt: skip
PLACES = [
    "/home/ann/app",
    "/home/ann/app/sub",
    "/Users/bob/app",
    "/srv/app",
    "/tmp/x",
    "/root",
    None,
]


def batch(rows: list[tuple[str | None, str | None]]) -> Any:
    columns = {"command": [row[0] for row in rows], "cwd": [row[1] for row in rows]}
    schema = arrow.schema([("command", arrow.string()), ("cwd", arrow.string())])
    return arrow.RecordBatch.from_pydict(columns, schema=schema)


def decisions(found: Any) -> list[tuple[object, ...]]:
    table = arrow.Table.from_batches(list(found))
    return [tuple(row[name] for name in ("decision", "confined")) for row in table.to_pylist()]


def one_by_one(rows: list[tuple[str, str | None]]) -> list[tuple[object, ...]]:
    """Each row as `replay` decides it."""
    wanted: list[tuple[object, ...]] = []
    for text, cwd in rows:
        where = cwd or "/home/user/project"
        call = TranscriptCall("1", "x", "s", Request(text=text, cwd=where, root=where))
        calls = requests([call], away=True)
        judge = Judge(load("-"), calls, "decision", Empty({}))
        try:
            verdict = judge.verdict(calls[0])
            wanted.append((verdict.decision.word, verdict.confined.word))
        except ExecPolicyError:
            wanted.append(("prompt", "prompt"))
    return wanted


@pytest.mark.parametrize("cwd", PLACES)
def test_each_row_is_decided_as_if_it_were_alone(cwd: str | None) -> None:
    rows = [(text, each) for text in TEXTS for each in (cwd, "/home/zoe/other")]
    found = decisions(decide_table([batch(list(rows))], BatchPolicy.of()))
    assert found == one_by_one(rows)


@examples(40)
@given(st.lists(st.tuples(st.sampled_from(TEXTS), st.sampled_from(PLACES)), max_size=30))
def test_no_order_and_no_division_matters(rows: list[tuple[str, str | None]]) -> None:
    policy = BatchPolicy.of()
    whole = decisions(decide_table([batch(list(rows))], policy)) if rows else []
    parts = [batch([row]) for row in reversed(rows)]
    assert decisions(decide_table(parts, policy))[::-1] == whole if rows else True


def test_a_row_without_a_command_has_no_decision() -> None:
    found = decisions(decide_table([batch([(None, "/x"), ("ls", None)])], BatchPolicy.of()))
    assert found == [(None, None), ("allow", "allow")]


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("git status", True),
        ("cat src/x.py | head", True),
        ("cat /etc/hosts", True),
        ("cat ../x", False),
        ("cat ~/x", False),
        ("cat /home/ann/app/x", False),
    ],
)
def test_a_decision_knows_whether_it_holds_in_every_project(text: str, shared: bool) -> None:
    decider = TextDecider(BatchPolicy.of().load())
    assert decider.of(text, None).shared is shared


def test_the_first_directory_does_not_decide_for_the_others() -> None:
    rows: list[tuple[str, str | None]] = [(text, cwd) for cwd in reversed(PLACES) for text in TEXTS]
    assert decisions(decide_table([batch(list(rows))], BatchPolicy.of())) == one_by_one(rows)


def test_this_machine_has_no_part_in_it(tmp_path: Path) -> None:
    link = tmp_path / "link"
    rows = [(text.format(link), cwd) for text in LINKED for cwd in ("/home/a/b", None)]
    before = decisions(decide_table([batch(list(rows))], BatchPolicy.of()))
    link.symlink_to("/etc/shadow")
    assert decisions(decide_table([batch(list(rows))], BatchPolicy.of())) == before


def test_what_is_here_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    decider = TextDecider(BatchPolicy.of().load())
    texts = (*TEXTS, "cat src/*", "git diff", "cd src && cat x/y")
    pairs = [(text, cwd) for text in texts for cwd in ("/home/ann/app", None)]
    before = [decider.of(*pair) for pair in pairs]  # the rules and the modules are of this machine
    with monkeypatch.context() as patched:
        for name in ("lstat", "stat", "readlink", "scandir", "listdir"):
            patched.setattr(os, name, _no_look)
        assert [decider.of(*pair) for pair in pairs] == before


def _no_look(*given: object, **_named: object) -> None:
    raise AssertionError(f"looked at {given}")


LINKED = ["cat {}", "echo x > {}", "cp a {}", "grep -r x {}"]


def test_a_text_is_decided_once_for_all_projects(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []
    plain = TextDecider.of

    def of(self: TextDecider, text: str, cwd: str | None) -> Any:
        asked.append((text, cwd))
        return plain(self, text, cwd)

    monkeypatch.setattr(TextDecider, "of", of)
    rows: list[tuple[str | None, str | None]] = [
        (text, cwd)
        for text in ("ls", "cat ../x")
        for cwd in ("/home/a/b", "/home/c/d", "/home/a/b", "/srv/x")
    ]
    list(decide_table([batch(rows), batch(rows)], BatchPolicy.of()))
    assert sorted(asked, key=str) == [
        ("cat ../x", "/home/a/b"),
        ("cat ../x", "/home/c/d"),
        ("cat ../x", "/srv/x"),
        ("cat ../x", None),
        ("ls", "/srv/x"),
        ("ls", None),
    ]


def test_processes_decide_the_same() -> None:
    rows = [(text, cwd) for text in TEXTS for cwd in PLACES]
    alone, two = (
        decisions(decide_table([batch(list(rows))], BatchPolicy.of(), workers=n)) for n in (0, 2)
    )
    assert alone == two


def test_a_policy_that_is_another_one_there_is_refused() -> None:
    policy = BatchPolicy.of().replace(version="0/0")
    with pytest.raises(ExecPolicyError, match="install the same version"):
        list(decide_table([batch([("ls", None)])], policy, workers=1))


def test_what_was_decided_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[tuple[str | None, str | None]] = [("ls", "/home/a/b"), ("cat ../x", "/home/a/b")]
    policy = BatchPolicy.of()
    first = decisions(decide_table([batch(rows)], policy, kept_in=str(tmp_path)))
    path = Path(kept.path_of(str(tmp_path), policy))
    with path.open("a") as file:
        file.write('["cut off')
    monkeypatch.setattr(TextDecider, "of", None)
    assert decisions(decide_table([batch(rows)], policy, kept_in=str(tmp_path))) == first
    monkeypatch.undo()
    more = decisions(decide_table([batch([("pwd", None)])], policy, kept_in=str(tmp_path)))
    assert more == [("allow", "allow")]
    assert len(kept.read(str(path))) == 4


SCRIPT = """\
import sys
from execpolicy.replay.batch import BatchPolicy
from execpolicy.replay.batch.files import decide_files
print("begun", flush=True)
def done(rows):
    print(rows, flush=True)
decide_files([sys.argv[1]], sys.argv[2], BatchPolicy.of(), rows=2048, done=done)
"""


def test_a_run_that_was_killed_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    from pyarrow import parquet

    from execpolicy.replay.batch.files import decide_files

    log, out = tmp_path / "log.jsonl", tmp_path / "out"
    lines = [{"id": n, "command": f"echo {n % 700}", "cwd": "/home/a/b"} for n in range(20_000)]
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(log), str(out)], stdout=-1, text=True
    )
    with process:
        assert process.stdout
        for _ in range(3):
            process.stdout.readline()
        process.kill()
    begun = {path.name for path in out.glob("part-*.parquet")}
    assert begun
    times = {name: (out / name).stat().st_mtime_ns for name in begun}
    limit = time.monotonic() + HANG_SECONDS
    assert decide_files([str(log)], str(out), BatchPolicy.of(), rows=2048) == len(lines)
    assert time.monotonic() < limit
    parts = sorted(out.glob("part-*.parquet"))
    rows = [row for part in parts for row in parquet.read_table(part).to_pylist()]
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert {row["decision"] for row in rows} == {"allow"}
    assert {name: (out / name).stat().st_mtime_ns for name in begun} == times
    with pytest.raises(ExecPolicyError, match="other logs"):
        decide_files([str(log)], str(out), BatchPolicy.of(builtin=False), rows=2048)


def test_a_directory_is_read_whole(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    from execpolicy.replay.batch.files import batches

    (tmp_path / "a/b").mkdir(parents=True)
    for name in ("a/one.jsonl", "a/b/two.jsonl"):
        (tmp_path / name).write_text(json.dumps({"command": name}) + "\n")
    rows = arrow.Table.from_batches([*batches([str(tmp_path)], 10)]).to_pylist()
    assert sorted(row["command"] for row in rows) == ["a/b/two.jsonl", "a/one.jsonl"]


def test_a_bar_is_drawn_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    progress(out)(5)
    assert out.getvalue() == ""
    monkeypatch.setattr(out, "isatty", lambda: True)
    show = progress(out, 40)
    show(10)
    show(30)
    assert [text.split("%")[0].split()[-1] for text in out.getvalue().split("\r")[1:]] == [
        "25",
        "100",
    ]
