"""Qwen Code: `permissions` in the form of Claude Code, with its own names for tools.

Its hook runs after the user was asked, and its answer `ask` is a refusal. (Qwen Code 0.15.10)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.permissions import claude, files
from execpolicy.hosts.permissions.base import (
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access

SYSTEM = "/etc/qwen-code/settings.json"
_NAMES = {
    "ShellTool": "Bash", "Shell": "Bash", "run_shell_command": "Bash", "read_file": "Read",
    "edit": "Edit", "write_file": "Write", "WriteFile": "Write", "ReadFile": "Read",
    "web_fetch": "WebFetch",
}  # fmt: skip

_RUNS_WORDS = (
    "awk basename cat cd column cut df dirname du echo env find git grep head less ls more printenv"
    " printf ps pwd rg ripgrep sed sort stat tail tree uniq wc where which whoami"
)
RUNS = frozenset(_RUNS_WORDS.split())
"""First words of what it calls read-only and runs unasked."""


def read(tool: Tool) -> Listed:
    """The settings of the administrator, the user and the project."""
    root = tool.root or tool.cwd or "/"
    found = [
        (files.json(SYSTEM), True),
        (files.json(files.home(".qwen", "settings.json")), True),
        (files.json(os.path.join(root, ".qwen", "settings.json"), root), False),
    ]
    entries = [e for table, mine in found for e in _entries(table, root, mine)]
    facts = tuple(f for table, _ in found for f in _facts(table))
    return Listed(tuple(entries), whole=True, facts=facts)


def _entries(table: "dict[str, object]", root: str, mine: bool) -> "Iterator[PermissionEntry]":
    lists = {
        name: [renamed(text) for text in files.texts(texts)]
        for name, texts in files.table(table.get("permissions")).items()
    }
    yield from claude.listed({"permissions": lists}, root, mine)
    for text in files.texts(files.table(table.get("tools")).get("allowed")):
        yield _prefix(claude.entry(renamed(text), Decision.ALLOW, root, mine))


def _prefix(entry: PermissionEntry) -> PermissionEntry:
    """An entry of the older list, where words alone are the beginning of a command."""
    open_end = entry.kind != "shell" or entry.pattern.endswith("*")
    return entry if open_end else entry.replace(pattern=f"{entry.pattern} *")


def renamed(text: str) -> str:
    """An entry with the name that Claude Code has for its tool."""
    name, bracket, rest = text.partition("(")
    return f"{_NAMES.get(name, name)}{bracket}{rest}"


def _facts(table: "dict[str, object]") -> "Iterator[str]":
    if files.table(table.get("tools")).get("autoAccept"):
        yield "sandbox"
    if files.table(table.get("context")).get("includeDirectories"):
        yield "directories"


def says(asked: AskedOperation) -> HostAnswer:
    """What Qwen Code would do. It reads files wherever they are without asking."""
    if isinstance(asked.operation, Access) and asked.operation.mode == "read":
        listed = asked.listed
        asked = asked.replace(listed=listed.replace(facts=(*listed.facts, "directories")))
    return claude.decided(asked, RUNS)
