"""Decisions that were made, kept by the digest of rules and version: a line for each text."""

import json
import os
from collections.abc import Iterable

from execpolicy.replay.batch.decider import TextDecision
from execpolicy.replay.batch.policy import BatchPolicy

Known = dict[tuple[str, str | None], TextDecision]


def path_of(directory: str, policy: BatchPolicy) -> str:
    """Where the decisions of a policy are kept."""
    return os.path.join(directory, f"{policy.key[:32]}.jsonl")


def read(path: str) -> Known:
    """What is kept. A line that was cut off by a crash is left out, and decided again."""
    known: Known = {}
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    text, cwd, *row = json.loads(line)
                    known[text, cwd] = TextDecision(*row)
                except (ValueError, TypeError):
                    continue
    except FileNotFoundError:
        pass
    return known


def add(path: str, found: Iterable[tuple[str, str | None, TextDecision]]) -> None:
    """Keep more, each as a whole line."""
    lines = [
        json.dumps([text, cwd, d.decision, d.confined, d.reason, d.shared]) + "\n"
        for text, cwd, d in found
    ]
    if lines:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path, "a+b", opener=_private) as file:
            if file.seek(0, os.SEEK_END) and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n":
                file.write(b"\n")  # what was cut off stays a line of its own
            file.write("".join(lines).encode())


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
