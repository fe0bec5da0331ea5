"""Cursor: `permissions` of its command line. The editor keeps its list in a database of its own, so
that a question is certain to come nowhere. (cursor.com/docs/cli/reference/permissions)"""

from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import Listed, PermissionEntry, Tool, by_list
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP

_KINDS = {"Shell": "shell", "Read": "read", "Write": "write", "WebFetch": "fetch", "Mcp": "mcp"}


def read(tool: Tool) -> Listed:
    """The user's list."""
    table = files.json(files.home(".cursor", "cli-config.json"))
    found = map(_entry, files.texts(files.table(table.get("permissions")).get("allow")))
    return Listed(tuple(entry for entry in found if entry is not None))


def _entry(text: str) -> PermissionEntry | None:
    """`Shell(git)` is every command of git, `Shell(curl:*)` too; deny comes before allow."""
    name, _, inner = text.partition("(")
    kind, inner = _KINDS.get(name), inner.removesuffix(")")
    if kind is None or not inner:
        return None
    if kind == "shell":
        inner = inner.partition(":")[0]
        return PermissionEntry(kind, inner if inner == "*" else f"{inner} *", Decision.ALLOW)
    if kind == "mcp":
        inner = f"{MCP}{inner.replace(':', '__')}"
    return PermissionEntry(kind, inner.replace("**", "*"), Decision.ALLOW)


says = by_list
