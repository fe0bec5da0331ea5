"""GitHub Copilot CLI: what the user approved for good, each for one directory.

Flags such as `--allow-tool` are not told to a hook, so that the host asks is never certain.
(`permissions-config.json`: docs.github.com/copilot, "CLI configuration directory", 1.0.83;
github/copilot-cli#3995)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import Listed, PermissionEntry, Tool, by_list
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP


def read(tool: Tool) -> Listed:
    """The approvals that hold where the session runs."""
    root = tool.root or tool.cwd
    folder = files.moved("COPILOT_HOME", ".copilot", root)
    table = files.json(os.path.join(folder, "permissions-config.json"))
    if root is None:
        return Listed()
    here = os.path.realpath(root)
    return Listed(
        tuple(
            entry
            for where, one in files.table(table.get("locations")).items()
            if os.path.realpath(where) == here
            for entry in _entries(files.table(one))
        )
    )


def _entries(location: "dict[str, object]") -> "Iterator[PermissionEntry]":
    approvals = location.get("tool_approvals")
    for one in approvals if isinstance(approvals, list) else ():
        approval = files.table(one)
        kind = approval.get("kind")
        if kind == "commands":
            for _, pattern in patterns(approval.get("commandIdentifiers")):
                yield PermissionEntry("shell", pattern, Decision.ALLOW)
        elif kind == "write":
            yield PermissionEntry("write", "*", Decision.ALLOW)
        elif kind == "mcp":
            name, tool = approval.get("serverName"), approval.get("toolName")
            if isinstance(name, str) and name:
                tail = tool if isinstance(tool, str) and tool else "*"
                yield PermissionEntry("mcp", f"{MCP}{name}__{tail}", Decision.ALLOW)


def patterns(identifiers: object) -> "Iterator[tuple[str, str]]":
    """Commands as they are approved, each with its pattern: `git push` is that alone, `git push:*`
    goes on; a plain `*` means nothing there."""
    for text in files.many(identifiers):
        name = text.removesuffix(":*").strip()
        if name and "*" not in name:
            yield text, f"{name} *" if text.endswith(":*") else name


says = by_list
