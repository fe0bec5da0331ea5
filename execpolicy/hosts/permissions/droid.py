"""Factory Droid: the list of commands that run without confirmation. What its level of autonomy
lets run besides cannot be told from outside. (docs.factory.ai, settings)"""

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Exec, Operation


def read(tool: Tool) -> Listed:
    """The user's list."""
    try:
        table = files.json(files.home(".factory", "settings.json"))
    except files.UnreadableError as error:
        return Listed(whole=False, facts=(str(error),))
    commands = table.get("commandAllowlist")
    return Listed(
        tuple(
            PermissionEntry("shell", f"{text} *", Decision.ALLOW)
            for text in (commands if isinstance(commands, list) else ())
            if isinstance(text, str) and text.strip(" *")
        )
    )


def says(
    listed: Listed, tool: Tool, operation: "Operation", around: "tuple[Exec, ...]"
) -> HostAnswer:
    """What the list says; nothing is known of the rest."""
    return own(listed, subject(operation, tool)) or HostAnswer()
