"""Windsurf: its lists of commands. Its level of execution is kept where no file tells it.

An allow-list entry is the beginning of a command; for what is on the deny list Windsurf asks at
every level. (docs.windsurf.com/windsurf/terminal)
"""

from _collections_abc import Iterator

from execpolicy.hosts.payloads.protocol import ASKS as ASKING
from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    ASKS,
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
)
from execpolicy.model.decision import Decision

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
    tables = [files.json(files.home(*parts)) for parts in _FILES]
    return Listed(tuple(entry for table in tables for entry in _entries(table)))


def _entries(table: "dict[str, object]") -> "Iterator[PermissionEntry]":
    for key, decision in _LISTS.items():
        for text in files.texts(table.get(key)):
            if text.strip():
                yield PermissionEntry("shell", f"{text.strip()} *", decision)


def says(asked: AskedOperation) -> HostAnswer:
    """What the lists say; nothing is known of the rest."""
    if asked.tight():
        return HostAnswer(ASKS, why="it is on your deny list, for which the host asks")
    asks = asked.tool.mode == ASKING and asked.what.kind == "shell" and asked.unlisted()
    return asked.own() or HostAnswer(*((ASKS,) if asks else ()))
