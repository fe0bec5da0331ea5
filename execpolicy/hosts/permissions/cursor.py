"""Cursor: `permissions` of its command line. The editor keeps its list in a database of its own, so
that a question is certain to come nowhere. (cursor.com/docs/cli/reference/permissions)"""

from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
    own,
    subject,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Exec, Operation

_KINDS = {"Shell": "shell", "Read": "read", "Write": "write", "WebFetch": "fetch", "Mcp": "mcp"}


def read(tool: Tool) -> Listed:
    """The user's list."""
    try:
        table = files.json(files.home(".cursor", "cli-config.json"))
    except files.UnreadableError as error:
        return Listed(whole=False, facts=(str(error),))
    texts = files.table(table.get("permissions")).get("allow")
    found = (_entry(t) for t in (texts if isinstance(texts, list) else ()) if isinstance(t, str))
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


def says(
    listed: Listed, tool: Tool, operation: "Operation", around: "tuple[Exec, ...]"
) -> HostAnswer:
    """What the list says; nothing is known of the rest."""
    return own(listed, subject(operation, tool)) or HostAnswer()
