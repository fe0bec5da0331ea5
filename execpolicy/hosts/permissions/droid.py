"""Factory Droid: the list of commands that run without confirmation. What its level of autonomy
lets run besides cannot be told from outside. (docs.factory.ai, settings)"""

from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import Listed, PermissionEntry, Tool, by_list
from execpolicy.model.decision import Decision


def read(tool: Tool) -> Listed:
    """The user's list."""
    table = files.json(files.home(".factory", "settings.json"))
    commands = [text for text in files.texts(table.get("commandAllowlist")) if text.strip(" *")]
    return Listed(tuple(PermissionEntry("shell", f"{t} *", Decision.ALLOW) for t in commands))


says = by_list
