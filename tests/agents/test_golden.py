"""Every recorded payload gets exactly the recorded reply, and its sender is recognised."""

import json
from pathlib import Path

import pytest

from execpolicy.hosts.protocols import AGENTS, recognised
from tests.agents import support

EXCHANGES = [(host, path) for host in AGENTS for path in support.golden(host)]


def named(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@pytest.mark.parametrize(("host", "path"), EXCHANGES, ids=named)
def test_the_reply_is_the_recorded_one(host: str, path: Path, home: Path) -> None:
    support.write_rules(home)
    recorded = json.loads(path.read_text())
    assert support.exchange(host, recorded["payload"], home) == recorded["reply"]


def test_every_host_has_exchanges() -> None:
    assert {host for host, _ in EXCHANGES} == set(AGENTS)


# Qwen and Droid send what Claude Code sends.
ALIKE = {"qwen": "claude", "droid": "claude"}


@pytest.mark.parametrize(("host", "path"), EXCHANGES, ids=named)
def test_the_sender_is_recognised(host: str, path: Path) -> None:
    payload = json.loads(path.read_text())["payload"]
    if host == "cursor" and "cursor_version" not in payload:
        pytest.skip("a payload of the required fields alone has no sign of Cursor")
    if host == "copilot" and "hook_event_name" in payload:
        pytest.skip("Copilot's snake case is Claude Code's")
    assert recognised(payload) == ALIKE.get(host, host)
