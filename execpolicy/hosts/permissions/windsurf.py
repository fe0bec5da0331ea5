"""Windsurf: its lists of commands. Its level of execution is kept where no file tells it.

An allow-list entry is the beginning of a command; for what is on the deny list Windsurf asks at
every level. (docs.windsurf.com/windsurf/terminal)
"""

from execpolicy.hosts.payloads.protocol import ASKS as ASKING
from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    ASKS,
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
    command,
    covers,
    own,
    subject,
    unlisted,
)
from execpolicy.model.decision import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.model.operation import Exec, Operation

_FILES = (
    (".config", "Windsurf", "User", "settings.json"),
    ("Library", "Application Support", "Windsurf", "User", "settings.json"),
)
_LISTS = {
    "windsurf.cascadeCommandsAllowList": Decision.ALLOW,
    "windsurf.cascadeCommandsDenyList": Decision.PROMPT,
}


def read(tool: Tool) -> Listed:
    """The user's lists."""
    try:
        tables = [files.json(files.home(*parts)) for parts in _FILES]
    except files.UnreadableError as error:
        return Listed(whole=False, facts=(str(error),))
    return Listed(tuple(entry for table in tables for entry in _entries(table)))


def _entries(table: "dict[str, object]") -> "Iterator[PermissionEntry]":
    for key, decision in _LISTS.items():
        texts = table.get(key)
        for text in texts if isinstance(texts, list) else ():
            if isinstance(text, str) and text.strip():
                yield PermissionEntry("shell", f"{text.strip()} *", decision)


def says(
    listed: Listed, tool: Tool, operation: "Operation", around: "tuple[Exec, ...]"
) -> HostAnswer:
    """What the lists say; nothing is known of the rest."""
    what = subject(operation, tool)
    if any(entry.decision and covers(entry, what) for entry in listed.entries):
        return HostAnswer(ASKS, why="it is on your deny list, for which the host asks")
    outer = [command(one.argv) for one in around]
    asks = tool.mode == ASKING and what.kind == "shell" and unlisted(listed, [what, *outer])
    return own(listed, what) or HostAnswer(*((ASKS,) if asks else ()))
