"""Lines as they come: which are decided together, and that none waits for one that is not there."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from execpolicy.commands import line_batches
from execpolicy.commands.line_batches import batches


class Pieces(io.BufferedIOBase):
    """A stream of which each read gives one piece."""

    def __init__(self, *pieces: bytes) -> None:
        self._left = [*pieces]

    def read1(self, size: int = -1, /) -> bytes:
        return self._left.pop(0) if self._left else b""


def together(*pieces: bytes, most: int = 10) -> list[list[bytes | None]]:
    return [[line for line in each if line != b""] for each in batches(Pieces(*pieces), most)]


READS = {
    "nothing": ((), [[]]),
    "one line": ((b"a\n",), [[b"a"], []]),
    "two at once": ((b"a\nb\n",), [[b"a", b"b"], []]),
    "two in turn": ((b"a\n", b"b\n"), [[b"a"], [b"b"], []]),
    "a line in pieces": ((b"a", b"b", b"c\nd\n"), [[b"abc", b"d"], []]),
    "the end is no end of a line": ((b"a\nb",), [[b"a"], [b"b"]]),
    "as long as it may be": ((b"0123456789\n",), [[b"0123456789"], []]),
    "too long": ((b"a\n0123456789x\nb\n",), [[b"a", None, b"b"], []]),
    "too long in pieces": ((b"a\n01234", b"567890", b"\nb\n"), [[b"a"], [None, b"b"], []]),
    "too long at the end": ((b"01234", b"5678901"), [[None]]),
    "other line ends are text": ((b"a\r\n\x0b\x0c\x85\n",), [[b"a\r", b"\x0b\x0c\x85"], []]),
}


@pytest.mark.parametrize(("pieces", "expected"), READS.values(), ids=READS)
def test_lines_of_one_read_are_one_batch(
    pieces: tuple[bytes, ...], expected: list[list[bytes | None]]
) -> None:
    assert together(*pieces) == expected


def test_a_batch_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_batches, "MAX_LINES", 3)
    assert [len(each) for each in together(b"a\n" * 8)] == [3, 3, 2, 0]


def test_nothing_of_a_line_that_is_too_long_is_kept() -> None:
    begun = line_batches._Begun(10)
    for _ in range(100):
        begun.add(b"0123456789")
        assert sum(map(len, begun._pieces)) <= 10
    assert begun.take() is None
    begun.add(b"a")
    assert begun.take() == b"a"


# --- a process that is asked line by line ---------------------------------------------------------


class Asked:
    """`check --jsonl` in a project, with a home of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.home.mkdir()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "execpolicy", "check", "--jsonl"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env={**os.environ, "HOME": str(self.home), "XDG_STATE_HOME": str(self.home)},
        )

    def __call__(self, *commands: str) -> list[Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        lines = "".join(json.dumps({"command": each}) + "\n" for each in commands)
        self._process.stdin.write(lines.encode())
        self._process.stdin.flush()
        return [json.loads(self._process.stdout.readline()) for _ in commands]

    def log(self) -> list[Any]:
        path = self.home / "execpolicy" / "audit.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]

    def end(self) -> int:
        self._process.communicate()
        return self._process.returncode


def test_each_line_is_answered_by_what_is_there_when_it_is_asked(tmp_path: Path) -> None:
    asked = Asked(tmp_path)
    for state in ("missing", "file", "secret", "file", "missing"):
        (tmp_path / "a").unlink(missing_ok=True)
        if state == "file":
            (tmp_path / "a").write_text("")
        elif state == "secret":
            (tmp_path / "a").symlink_to("/etc/shadow")
        for _ in range(3):
            (said,) = asked("cat a")
            assert ("/etc/shadow" in json.dumps(said)) is (state == "secret")
    assert asked.end() == 0


def test_each_answer_has_its_line_in_the_log_before_it_is_given(tmp_path: Path) -> None:
    asked, told = Asked(tmp_path), 0
    for count in (1, 1, 5, 100):
        commands = [f"git push origin {number % 7}" for number in range(count)]
        answers = asked(*commands)
        told += count
        log = asked.log()
        assert [line["command"] for line in log[-count:]] == commands
        assert [line["decision"] for line in log[-count:]] == [a["decision"] for a in answers]
        assert len(log) == told
    assert asked.end() == 0


COLLECTS = """
import gc, os, runpy, sys
os._exit = lambda code: print(code, gc.isenabled(), file=sys.stderr)
sys.argv[1:] = ["check", "--jsonl"]
runpy.run_module("execpolicy", run_name="__main__", alter_sys=True)
"""


def test_what_a_stream_no_longer_needs_is_collected(tmp_path: Path) -> None:
    """Whatever modules a line needs, none of them turns the collector off again."""
    lines = "".join(json.dumps({"command": c}) + "\n" for c in ("ls", "git push", "rm -rf /"))
    done = subprocess.run(
        [sys.executable, "-c", COLLECTS],
        input=lines,
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "0 True\n"
