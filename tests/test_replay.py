"""The replay of rows says what held, and fails where one did not."""

import json
from pathlib import Path

import pytest

from tests.replay.__main__ import main

TREE = {
    "id": "tree",
    "kind": "tree",
    "root": "$T",
    "dirs": ["w", "out"],
    "files": ["w/a"],
    "links": {"w/link": "../out", "w/whole": "$T/out"},
    "hard_links": {"w/hard": "w/a"},
}
POLICY = {
    "workspace": "$T/w",
    "writable": ["$T/w"],
    "home": "$T/home",
    "mode": "default_write",
    "deny_write": ["**/.bashrc"],
    "deny_read": [],
    "protected": [],
}


def row(path: str, **expected: object) -> dict[str, object]:
    request = {"path": path, "access": "write", "cwd": "$T/w", "platform": "posix"}
    return {"id": path, "kind": "path", "policy": POLICY, "request": request, "expect": expected}


HELD = [
    row("a", decision="allow", code=None, place="$T/w/a", article_000="allow"),
    row("link/x", decision="forbidden", code="symlink_escape", scope_003="allow"),
    row("whole/x", place="$T/out/x", allowlist_002="deny"),
    row("$T/out/x", decision="prompt", code="outside", article_000="requires_approval"),
]
NOT = [row("a", decision="prompt"), row("a", said="nothing"), {"id": "x", "kind": "new"}]


@pytest.mark.parametrize(("rows", "held"), [(HELD, 5), ([*HELD, *NOT], 5)])
def test_paths(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rows: list[dict[str, object]], held: int
) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, (TREE, *rows))))
    assert main("paths", str(file)) == (held != len(rows) + 1)
    assert capsys.readouterr().out.splitlines()[-1] == f"held {held} of {len(rows) + 1}"


def test_a_kind_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("made_up", "x") == 64
    assert "no rows are known as `made_up`" in capsys.readouterr().err


def test_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.jsonl"
    commands = ("git push", "mytool load", "aws s3 cp a.txt s3://b", "cat .env", "echo x > ~/notes")
    file.write_text("\n".join(json.dumps({"command": command}) for command in commands))
    assert main("accepted", str(file)) == 0
    held = capsys.readouterr().out.splitlines()[-1].split()
    assert held[1] == held[3]
    assert int(held[1]) > 30
