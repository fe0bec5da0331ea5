"""No tool of a host that runs a shell goes unjudged: what it is called decides nothing alone."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from execpolicy.commands.hook import Hook
from execpolicy.hosts.install.host import HOSTS
from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.typed import typed
from execpolicy.hosts.protocols import BRIEFED
from tests.agents.test_tools import asked, describe
from tests.agents.tool_lists import INPUTS, SOURCES, TOOLS
from tests.repositories import new_repository

EACH = [
    (host, sort, tool)
    for host, sorts in TOOLS.items()
    for sort, names in sorts.items()
    for tool in names.split()
]


def test_each_list_has_its_source() -> None:
    assert SOURCES.keys() == TOOLS.keys()


@pytest.mark.parametrize(("host", "sort", "tool"), EACH)
def test_what_each_tool_is(host: str, sort: str, tool: str) -> None:
    given: dict[str, object] = {"path": "a", "file_path": "a", "filePath": "a", "pattern": "x"}
    if sort in ("shell", "unread", "command"):
        given["command"] = "rm -rf /"
    elif tool in ("Skill", "SlashCommand"):
        given["command"] = "pdf"
    used = tools.request(tool, INPUTS.get(sort, given), host, {})
    assert (used.kind or "other") == sort
    assert (used.request is None) == (sort == "other")


@pytest.mark.parametrize(("host", "sort", "tool"), EACH)
def test_install_puts_the_hook_before_each_tool(host: str, sort: str, tool: str) -> None:
    entries = [e for e in HOSTS[host].entries if e.path[-1] != BRIEFED.get(host)]
    assert entries or HOSTS[host].plugin
    for entry in entries:
        matcher = entry.item.get("matcher", ".*") if isinstance(entry.item, dict) else ".*"
        assert matcher == "*" or re.fullmatch(matcher, tool)


SHELLS: list[tuple[str, str, dict[str, object], str]] = [
    ("claude", "Monitor", {"command": "tail -F a.log", "description": "x"}, "tail -F a.log"),
    ("claude", "Frobnicate", {"command": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"cmd": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"script": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"Command": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"commandLine": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"shell_command": "rm -rf /"}, "rm -rf /"),
    ("gemini", "frob_nicate", {"command": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"commandText": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"cmdline": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"command_id": "rm -rf /"}, "None"),
    ("gemini", "write_to_shell", {"input": "rm -rf /"}, "rm -rf /"),
    ("claude", "SendTerminalKeys", {"keys": "rm -rf /"}, "rm -rf /"),
    ("copilot", "frobnicate", {"script": "rm -rf /", "timeout": 3}, "rm -rf /"),
    ("copilot", "write_bash", {"sessionId": "1", "input": "rm -rf /{enter}", "delay": 1},
     "rm -rf /\n"),
    ("copilot", "write_powershell", {"sessionId": "1", "input": "ls"}, "opaque"),
    ("codex", "write_stdin", {"session_id": 1, "chars": "rm -rf /\n"}, "rm -rf /\n"),
    ("codex", "write_stdin", {"session_id": 1, "chars": ""}, "None"),
    ("codex", "write_stdin", {"session_id": 1}, "None"),
    ("codex", "write_stdin", {"session_id": 1, "chars": "\x03"}, "None"),
    ("codex", "write_stdin", {"session_id": 1, "chars": "\x1b[A\r"}, "opaque"),
    ("copilot", "write_bash", {"sessionId": "1", "input": "{up}{enter}"}, "opaque"),
    ("antigravity", "send_command_input", {"CommandId": "1", "Input": "rm -rf /\n"}, "rm -rf /\n"),
    ("qwen", "monitor", {"command": "rm -rf /"}, "rm -rf /"),
    ("claude", "Frobnicate", {"commands": 3, "description": "command"}, "None"),
    ("claude", "Frobnicate", {"command": None}, "None"),
    ("claude", "Skill", {"command": "pdf"}, "None"),
    ("claude", "Workflow", {"script": "await agent('x')"}, "None"),
    ("claude", "Monitor", {"ws": {"url": "wss://a.example/x"}, "description": "x"},
     "connect a.example"),
]  # fmt: skip


@pytest.mark.parametrize(("host", "tool", "given", "expected"), SHELLS)
def test_what_is_a_shell(host: str, tool: str, given: dict[str, object], expected: str) -> None:
    assert describe(asked(host, tool, given)) == expected


def said(host: str, tool: str, given: object, mode: str = "default", **more: object) -> str:
    """What the hook says, by its word; `silent` for nothing."""
    form: dict[str, Any] = {
        "hook_event_name": "PreToolUse", "cwd": "/", "permission_mode": mode,
        "tool_name": tool, "tool_input": given, **more,
    }  # fmt: skip
    reply = Hook(host).answer(json.dumps(form).encode())
    if not reply.stdout:
        return "silent"
    found = json.loads(reply.stdout)["hookSpecificOutput"]
    return str(found["permissionDecision"])


@pytest.mark.parametrize(
    ("tool", "given", "answer"),
    [
        ("Monitor", {"command": "rm -rf /", "description": "x"}, "deny"),
        ("Frobnicate", {"script": "rm -rf /"}, "deny"),
        ("Frobnicate", {"cmd": ["rm", "-rf", "/"]}, "deny"),
        ("Frobnicate", {"command": {"a": 1}}, "ask"),
        ("Monitor", {"command": "rm -rf /", "ws": {"url": "wss://a.example"}}, "ask"),
        ("Frobnicate", {"command": "ls", "cmd": "rm -rf /"}, "ask"),
        ("write_stdin", {"chars": "rm -rf /\n"}, "deny"),
        ("Frobnicate", {"command": "ls"}, "silent"),  # what reads it is not known: no grant
        ("write_stdin", {"chars": "ls\n"}, "silent"),
        ("Bash", {"command": "ls"}, "allow"),
        ("Skill", {"command": "rm -rf /"}, "silent"),
    ],
)
def test_what_a_hook_says(tool: str, given: object, answer: str, project: Path) -> None:
    assert said("claude", tool, given, cwd=str(project)) == answer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    new_repository(tmp_path)
    return tmp_path


@pytest.mark.parametrize("keys", ["\x03", "\x04", "\n", " ", "{enter}", "", "\x03\n"])
def test_keys_that_begin_nothing(keys: str) -> None:
    assert typed(keys) is None


PACKAGES = {
    "gemini": ("@google/gemini-cli-core/dist/src/tools/definitions/base-declarations.js",
               r"""_TOOL_NAME = ['"](\w+)['"]"""),
    "qwen": ("@qwen-code/qwen-code/**/*.js", r"""\bToolNames = \{([^}]*)\}"""),
}  # fmt: skip
MEDIA = "omni_"
"""Qwen's tools for pictures and films begin so; no model gets one unless a setting says so."""


@pytest.mark.slow
@pytest.mark.parametrize("host", PACKAGES)
def test_the_lists_are_the_hosts_own(host: str) -> None:
    """The names in the installed package (see CONTRIBUTING.md), each of which stands in a list."""
    file, pattern = PACKAGES[host]
    packages = Path(os.environ.get("EXECPOLICY_TEST_HOSTS", "/")) / "node_modules"
    texts = [path.read_text(errors="replace") for path in packages.glob(file)]
    if not texts:
        pytest.skip(f"NOT TESTED: {file} is not installed")
    found = [each for text in texts for each in re.findall(pattern, text)]
    names = {name for text in found for name in re.findall(r'"(\w+)"', text) or [text]}
    names = {name for name in names if not name.startswith(MEDIA)}
    listed = {tool for names in TOOLS[host].values() for tool in names.split()}
    assert names
    assert names <= listed
