"""Calls of shells as the agents' own programs made them, with a directory in the place of theirs.

`recorded.jsonl` was recorded with the programs from npm and a model of paper. Of Codex's long text
each version has one. `command` is what the model asked for; of a call of the agent's own `role` is
`own`, or null where it has no form and is judged whole.
"""

import json
from pathlib import Path
from typing import Any

from execpolicy.hosts.shell_calls import HostDirectories, ShellCall, shell_call

ROOT, HOSTS = "/home/u", "/opt/hosts"
DIRECTORIES = {"$ROOT/home": ROOT, "$ROOT": ROOT, "$HOSTS": HOSTS}


def places(host: str) -> HostDirectories:
    """Where an agent of a recorded call keeps what it has."""
    return HostDirectories(f"{ROOT}/.{host}", f"{HOSTS}/node_modules")


def read(host: str, argv: list[str]) -> ShellCall | None:
    return shell_call(host, argv, places(host))


def filled(text: str) -> str:
    for mark, directory in DIRECTORIES.items():
        text = text.replace(mark, directory)
    return text


def recorded() -> list[dict[str, Any]]:
    """All rows, with their directories filled in."""
    text = (Path(__file__).parent / "recorded.jsonl").read_text()
    return [json.loads(filled(line)) for line in text.splitlines()]


def one(host: str, command: str) -> list[str]:
    """The newest recorded call of an agent for this command, without a login shell."""
    rows = [r for r in recorded() if r["host"] == host and r.get("command") == command]
    rows = [row for row in rows if "-l" not in row["argv"]]
    return [*rows[-1]["argv"]]
