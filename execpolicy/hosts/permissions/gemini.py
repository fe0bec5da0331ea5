"""Gemini CLI: the policies of the administrator and the user, and the settings.

The highest priority that fits decides, and what no policy of theirs matches the shipped ones
do: files are read, all that changes something is asked about. (Gemini CLI 0.61, `policy/policies`)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.payloads.protocol import ASKS as ASKING
from execpolicy.hosts.payloads.protocol import EDITS
from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    ASKS,
    ITSELF,
    OWN,
    REFUSES,
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
    covers,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, Access

_WORDS = {"allow": Decision.ALLOW, "ask_user": Decision.PROMPT, "deny": Decision.FORBIDDEN}
_TOOLS = {
    "run_shell_command": "shell", "write_file": "write", "replace": "write", "read_file": "read",
    "web_fetch": "fetch", "*": "*", "ShellTool": "shell",
}  # fmt: skip
_DEPENDS = ("commandRegex", "argsPattern", "toolAnnotations", "subagent", "modes", "interactive")
_EDITING = ("auto_edit", "autoEdit")


def read(tool: Tool) -> Listed:
    """The policies, and the lists and the mode in the settings."""
    root = tool.root or tool.cwd or "/"
    entries = [
        entry
        for tier, folder in ((4, files.home(".gemini", "policies")), (5, _SYSTEM))
        for path in files.names(folder, ".toml")
        for entry in _policies(files.toml(path), tier)
    ]
    mine = files.json(files.home(".gemini", "settings.json"))
    theirs = files.json(os.path.join(root, ".gemini", "settings.json"), root)
    entries += [*_allowed(mine, mine=True), *_allowed(theirs, mine=False)]
    mode = files.table(mine.get("general")).get("defaultApprovalMode")
    return Listed(tuple(entries), whole=True, facts=("edits",) if mode in _EDITING else ())


_SYSTEM = "/etc/gemini-cli/policies"


def dropped_for(rules: list[object]) -> int:
    """The number of the first rule for which Gemini's loader drops the whole file; 0 where it takes
    all of them."""
    return next((n for n, rule in enumerate(rules, 1) if not _is_taken(rule)), 0)


def _is_taken(rule: object) -> bool:
    priority = rule.get("priority") if isinstance(rule, dict) else None
    if not isinstance(rule, dict) or not isinstance(priority, int) or isinstance(priority, bool):
        return False
    return 0 <= priority <= 999 and bool(rule.get("toolName") or rule.get("mcpName"))


def _policies(table: "dict[str, object]", tier: int) -> "Iterator[PermissionEntry]":
    given = table.get("rule")
    rules: list[object] = given if isinstance(given, list) else []
    dropped = dropped_for(rules)
    for rule in rules:
        if not isinstance(rule, dict):
            continue
        decision = _WORDS.get(str(rule.get("decision")), Decision.PROMPT)
        if dropped and decision is Decision.ALLOW:
            continue
        priority = rule.get("priority")
        weight = tier * 1000 + (priority if isinstance(priority, int) else 0)
        certain = not any(key in rule for key in _DEPENDS)
        for kind, pattern in _about(rule):
            yield PermissionEntry(kind, pattern, decision, own=True, certain=certain, weight=weight)


def _about(rule: "dict[str, object]") -> "Iterator[tuple[str, str]]":
    server = rule.get("mcpName")
    tools = files.many(rule.get("toolName", "*"))
    if isinstance(server, str):
        for tool in tools:
            yield "mcp", f"{MCP}{server}__{tool.removeprefix(f'mcp_{server}_')}"
        return
    for tool in tools:
        for prefix in files.many(rule.get("commandPrefix", "")):
            yield _TOOLS.get(tool, tool), f"{prefix} *" if prefix else "*"


def _allowed(table: "dict[str, object]", mine: bool) -> "Iterator[PermissionEntry]":
    """`tools.allowed`, the older list: `run_shell_command(git)` is every command of git."""
    for text in files.texts(files.table(table.get("tools")).get("allowed")):
        name, _, inner = text.partition("(")
        inner = inner.removesuffix(")")
        kind, pattern = _TOOLS.get(name, name), f"{inner} *" if inner else "*"
        yield PermissionEntry(kind, pattern, Decision.ALLOW, mine, certain=True, weight=4000)


def says(asked: AskedOperation) -> HostAnswer:
    """What Gemini CLI would do."""
    what, listed, tool = asked.what, asked.listed, asked.tool
    if isinstance(asked.operation, Access) and tool.kind == "shell":
        return HostAnswer()  # a redirection: whether a list's entry allows it depends on the entry
    found = [entry for entry in listed.entries if covers(entry, what)]
    decision = max(found, key=lambda e: e.weight).decision if found else None
    if decision:
        return HostAnswer(REFUSES if decision is Decision.FORBIDDEN else ASKS, why=ITSELF)
    mine = asked.own()
    if mine is not None:
        return mine
    if what.kind == "write" and (tool.mode == EDITS or "edits" in listed.facts):
        return HostAnswer(OWN, why="your mode accepts edits")
    # What the shipped policies say, where it is known in which mode the host is.
    asks = tool.mode == ASKING or (tool.mode == EDITS and what.kind == "shell")
    if asks and what.kind in ("shell", "write", "fetch") and asked.unlisted():
        return HostAnswer(ASKS, why=ITSELF)
    return HostAnswer()
