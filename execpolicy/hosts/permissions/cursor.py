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
    """An entry of the list; deny comes before allow."""
    name, _, inner = text.partition("(")
    kind, inner = _KINDS.get(name), inner.removesuffix(")")
    if kind is None or not inner:
        return None
    if kind == "shell":
        return PermissionEntry(kind, command(inner), Decision.ALLOW, certain=is_certain(inner))
    if kind == "mcp":
        inner = f"{MCP}{inner.replace(':', '__')}"
    return PermissionEntry(kind, inner.replace("**", "*"), Decision.ALLOW)


def command(inner: str) -> str:
    """The pattern of a command: `git` and `git:*` are all of git, `git:status *` a part of it."""
    program, colon, rest = inner.partition(":")
    pattern = f"{program} {rest or '*'}" if colon or program != "*" else "*"
    return pattern.replace("**", "*")


def is_certain(inner: str) -> bool:
    """Whether it names a program, which is one word."""
    return len(inner.partition(":")[0].split()) == 1


says = by_list
