"""Every call that was recorded from an agent is known, and its command is the model's."""

import json
from typing import Any

import pytest

from tests.hosts.shell_calls import calls

ROWS = calls.recorded()


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda r: f"{r['host']} {r['version']} {r['argv'][-1][-40:]}"
)
def test_a_recorded_call_is_known(row: dict[str, Any]) -> None:
    call = calls.read(row["host"], row["argv"])
    assert (call.role.name.lower() if call else None) == row["role"]
    if call and row["role"] == "model":
        assert call.command == row["command"]
        assert call.shell == row["argv"][0]


def test_two_versions_of_each_agent_were_recorded() -> None:
    versions: dict[str, set[str]] = {}
    for row in ROWS:
        versions.setdefault(row["host"], set()).add(row["version"])
    assert {host: len(found) for host, found in versions.items()} == {
        "claude": 3,
        "codex": 2,
        "gemini": 2,
        "opencode": 2,
        "copilot": 2,
        "qwen": 2,
    }


def test_what_claude_leaves_and_reads() -> None:
    call = calls.read("claude", calls.one("claude", "ls"))
    assert call is not None
    assert call.snapshot.startswith(f"{calls.ROOT}/.claude/shell-snapshots/snapshot-bash-")
    assert [path.partition("-")[0] for path in call.writes] == ["/tmp/claude"]
    assert (call.null_input, call.same_shell, call.options) == (True, True, ())


def test_what_codex_puts_back() -> None:
    row = next(r for r in reversed(ROWS) if r["host"] == "codex" and r["role"] == "model")
    call = calls.read("codex", row["argv"])
    assert call is not None
    assert len(call.kept) == 56
    assert {"CODEX_SESSION_ID", "HTTPS_PROXY", "npm_config_proxy"} <= {*call.kept}
    assert len(call.path) == 1
    assert call.path[0].startswith(f"{calls.HOSTS}/node_modules/@openai/")
    assert not call.same_shell


def test_what_codex_tries_is_the_snapshot_of_later_calls() -> None:
    rows = [r for r in ROWS if r["host"] == "codex" and r["version"] == "0.171.0"]
    found = [calls.read("codex", row["argv"]) for row in rows]
    (made,) = [call.made for call in found if call and call.made]
    (used,) = [call.snapshot for call in found if call and call.kept]
    assert made == used
    (at,) = [call.writes[0] for call in found if call and call.made]
    assert at.rpartition(".tmp-")[0] == made.removesuffix(".sh").rpartition(".")[0]


def test_no_call_names_where_it_was_recorded() -> None:
    text = json.dumps(ROWS)
    assert "/tmp/x" not in text
    assert "/root" not in text
