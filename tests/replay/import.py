"""Rows about imported permission lists: a host's list, a command or a call, and the answer.

`input` has the `host`, the `path` (`~/…`) and `text` of its list, and `then` (a command) or
`payload` (of a call for the hook of Claude Code); or `report_has_not`, a text of which `expect`
says whether the report says it. `expect` has the answers that are right, with `or` between them.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.repositories import new_repository

Row = dict[str, Any]
_WORDS = {"ask": "prompt", "deny": "forbidden", "block": "forbidden"}


def problems(rows: "Iterable[Row]") -> "Iterator[tuple[str, str | None]]":
    """Each row's name, and what is wrong with its answer."""
    return (
        (str(row.get("id", "?")), mistake(row))
        for row in rows
        if row.get("kind", "import") == "import"
    )


def mistake(row: Row) -> str | None:
    """The answer, where it is another one than the row expects."""
    given, expect = row["input"], str(row["expect"])
    with tempfile.TemporaryDirectory(prefix="replay-", dir=Path.home()) as folder:
        got = _answer(given, Path(folder))
    wanted = expect.removeprefix("not ").replace(",", " or ").split(" or ")
    right = _WORDS.get(got, got) in {_WORDS.get(w.strip(), w.strip()) for w in wanted}
    return None if right is not expect.startswith("not ") else f"{got}, not {expect}"


def _answer(given: Row, base: Path) -> str:
    home, project = base / "home", base / "project"
    new_repository(project)
    path = home / str(given["path"]).removeprefix("~/")
    path.parent.mkdir(parents=True)
    path.write_text(given["text"])
    if given.get("preset"):
        _run(base, "init", "--preset", *str(given["preset"]).split())
    done = _run(base, "import", given["host"])
    if "report_has_not" in given:
        return "said" if given["report_has_not"] in done.stdout + done.stderr else "not said"
    if "payload" not in given:
        checked = _run(base, "check", "--format", "json", "-c", given["then"])
        return str(json.loads(checked.stdout)["decision"])
    payload = {k: str(project) if v == "@p" else v for k, v in given["payload"].items()}
    answered = _run(base, "hook", "claude", stdin=json.dumps(payload)).stdout
    if not answered.strip():
        return "silent"
    return str(json.loads(answered)["hookSpecificOutput"]["permissionDecision"])


def _run(base: Path, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {"HOME": str(base / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    return subprocess.run(
        [sys.executable, "-I", "-m", "execpolicy", *words],
        input=stdin, cwd=base / "project", env=environment, capture_output=True, text=True,
    )  # fmt: skip
