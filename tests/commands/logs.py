"""Logs for tests: a line for each call, of a machine that is not this one."""

import json
from pathlib import Path

WORK = "/home/somebody/work"
Call = tuple[str, str, str]
"""A session, a command, and what was answered: nothing, `ran` or `refused by a person`."""


def log(path: Path, calls: list[Call], cwd: str = WORK, day: str = "2026-01-01") -> str:
    """A file with these calls."""
    lines = [
        {"session": s, "command": c, "outcome": o, "cwd": cwd, "time": f"{day}T00:00:00Z"}
        for s, c, o in calls
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def ran(session: str, *commands: str) -> list[Call]:
    """Calls of one session that ran."""
    return [(session, command, "ran") for command in commands]


def refused(session: str, *commands: str) -> list[Call]:
    """Calls of one session that a person refused."""
    return [(session, command, "refused by a person") for command in commands]
