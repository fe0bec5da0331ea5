"""The model of a day: it asks for one call after the other, and again for one that was approved."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.agents.paper import Body, Paper
from tests.wrap.days.state import State, changed

Row = dict[str, Any]
_CODE = re.compile(r"execpolicy approve ([A-Z0-9]{4,12})")
_PATCH = """\
apply_patch <<'EOF'
*** Begin Patch
*** {} File: {}
{}
*** End Patch
EOF"""


class Day(Paper):
    """A day's rows, what the host said of each, and what `look` saw that each changed.

    `approve` is given the code of a question, after which the same call is asked for once more.
    """

    def __init__(
        self, rows: list[Row], approve: Callable[[str], object], look: Callable[[], State]
    ) -> None:
        super().__init__([])
        self.rows, self._approve, self._look = rows, approve, look
        self.calls: list[Row] = []
        self.outcomes: dict[str, tuple[str, State]] = {}
        self._state = look()
        self.asked: dict[str, str] = {}

    def turn(self, offered: set[str], results: list[object]) -> tuple[str, Body] | None:
        """The next call; None for a request of the host that is not about calls."""
        self.offered |= offered
        if spelled(self.rows[0], offered) is None:
            return None
        if len(results) == len(self.calls):
            if results:
                self._done(self.calls[-1], json.dumps(results[-1], ensure_ascii=False))
            left = [row for row in self.rows if row["id"] not in self.outcomes]
            if not left:
                return None
            self.calls.append(left[0])
        return spelled(self.calls[len(results)], offered)

    def _done(self, row: Row, said: str) -> None:
        code = _CODE.search(said)
        if code and row["id"] not in self.asked:
            self.asked[row["id"]] = said
            self._approve(code[1])
            return
        before, self._state = self._state, self._look()
        self.outcomes[row["id"]] = said, changed(before, self._state)


def spelled(row: Row, offered: set[str]) -> tuple[str, Body] | None:
    """The tool for a row and what it is given, among those that a host offers."""
    found = next(((name, make) for name, make in _TOOLS[row["kind"]] if name in offered), None)
    if found is not None:
        return found[0], found[1](row)
    by_shell = _BY_SHELL.get(row["kind"])
    return spelled({"kind": "shell", "command": by_shell(row)}, offered) if by_shell else None


def _patched(row: Row) -> str:
    if row["kind"] == "write":
        lines = "".join(f"+{line}\n" for line in row["content"].splitlines())
        return _PATCH.format("Add", row["path"], lines.rstrip("\n"))
    line = row["line"]
    new = line.replace(row["old"], row["new"])
    return _PATCH.format("Update", row["path"], f"@@\n-{line}\n+{new}")


def _shell(row: Row) -> Body:
    time = {"timeout": row["timeout"]} if "timeout" in row else {}
    return {"command": row["command"], "description": "d", **time}


_BY_SHELL: dict[str, Callable[[Row], str]] = {
    "read": lambda row: f"cat {row['path']}",
    "write": _patched,
    "edit": _patched,
}
_Tool = tuple[str, Callable[[Row], Body]]
_TOOLS: dict[str, list[_Tool]] = {
    "shell": [
        ("Bash", _shell),
        ("bash", _shell),
        ("exec_command", lambda row: {"cmd": row["command"], "yield_time_ms": 60000}),
    ],
    "read": [
        ("Read", lambda row: {"file_path": row["at"]}),
        ("read", lambda row: {"filePath": row["at"]}),
    ],
    "write": [
        ("Write", lambda row: {"file_path": row["at"], "content": row["content"]}),
        ("write", lambda row: {"filePath": row["at"], "content": row["content"]}),
    ],
    "edit": [
        (
            "Edit",
            lambda row: {
                "file_path": row["at"],
                "old_string": row["old"],
                "new_string": row["new"],
            },
        ),
        (
            "edit",
            lambda row: {"filePath": row["at"], "oldString": row["old"], "newString": row["new"]},
        ),
    ],
}
