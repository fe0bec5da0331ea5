"""The user's own permission list, as each host keeps it."""

import json
from pathlib import Path

from tests.store.support import write

ALL = "*"


def allow(host: str, home: Path, root: Path, words: str) -> None:
    """Let the host itself run what begins with these words, or all; nothing where it has no list
    that a hook can read."""
    if host in _WRITERS:
        _WRITERS[host](home, root, words)


def _claude(home: Path, _root: Path, words: str) -> None:
    entry = "Bash" if words == ALL else f"Bash({words}:*)"
    write(home / ".claude/settings.json", json.dumps({"permissions": {"allow": [entry]}}))


def _codex(home: Path, _root: Path, words: str) -> None:
    if words != ALL:  # a rule names a program
        text = f"prefix_rule(pattern={json.dumps(words.split())}, decision='allow')\n"
        write(home / ".codex/rules/default.rules", text)


def _copilot(home: Path, root: Path, words: str) -> None:
    if words != ALL:
        approval = {"kind": "commands", "commandIdentifiers": [f"{words}:*"]}
        table = {"locations": {str(root): {"tool_approvals": [approval]}}}
        write(home / ".copilot/permissions-config.json", json.dumps(table))


def _cursor(home: Path, _root: Path, words: str) -> None:
    entry = f"Shell({words.split()[0]})"
    write(home / ".cursor/cli-config.json", json.dumps({"permissions": {"allow": [entry]}}))


def _droid(home: Path, _root: Path, words: str) -> None:
    if words != ALL:
        write(home / ".factory/settings.json", json.dumps({"commandAllowlist": [words]}))


def _gemini(home: Path, _root: Path, words: str) -> None:
    prefix = "" if words == ALL else f'commandPrefix = "{words}"\n'
    text = f'[[rule]]\ntoolName = "run_shell_command"\n{prefix}decision = "allow"\npriority = 1\n'
    write(home / ".gemini/policies/auto-saved.toml", text)


def _opencode(home: Path, _root: Path, words: str) -> None:
    said = "allow" if words == ALL else {"*": "ask", f"{words} *": "allow"}
    config = {"permission": {"bash": said}}
    write(home / ".config/opencode/opencode.json", json.dumps(config))


def _qwen(home: Path, _root: Path, words: str) -> None:
    entry = "Bash" if words == ALL else f"Bash({words} *)"
    write(home / ".qwen/settings.json", json.dumps({"permissions": {"allow": [entry]}}))


def _windsurf(home: Path, _root: Path, words: str) -> None:
    if words != ALL:
        table = {"windsurf.cascadeCommandsAllowList": [words]}
        write(home / ".config/Windsurf/User/settings.json", json.dumps(table))


_WRITERS = {
    "claude": _claude,
    "codex": _codex,
    "copilot": _copilot,
    "cursor": _cursor,
    "droid": _droid,
    "gemini": _gemini,
    "opencode": _opencode,
    "qwen": _qwen,
    "windsurf": _windsurf,
}
