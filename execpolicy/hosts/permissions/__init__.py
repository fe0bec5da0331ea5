"""What each host itself would do with a call, by its own settings; one module a host.

A module has `read(tool) -> Listed`, which reads the host's files or raises `UnreadableError`, and
the pure function `says(asked) -> HostAnswer` about one operation of the call.
"""

from execpolicy.hosts.permissions.base import (
    UNKNOWN,
    AskedOperation,
    HostAnswer,
    Listed,
    Tool,
    command,
    subject,
)
from execpolicy.hosts.permissions.files import UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from execpolicy.model.operation import Exec, Operation

    class Reader(Protocol):
        """A host's module."""

        def read(self, tool: Tool) -> Listed:
            """The settings in force for a call."""

        def says(self, asked: AskedOperation) -> HostAnswer:
            """What the host would do with one operation."""


READERS = frozenset(
    ("claude", "codex", "copilot", "cursor", "droid", "gemini", "opencode", "qwen", "windsurf")
)
"""The hosts whose settings are read. Of others nothing is known."""


def answers(
    host: str, tool: Tool, asked: "tuple[tuple[Operation, tuple[Exec, ...]], ...]"
) -> tuple[HostAnswer, ...]:
    """What the host would do with each operation; nothing is known where reading fails."""
    if host not in READERS:
        return tuple(HostAnswer(UNKNOWN) for _ in asked)
    reader: Reader = __import__(f"{__name__}.{host}", fromlist=["read"])
    try:
        listed = reader.read(tool)
    except UnreadableError as error:
        listed = Listed(whole=False, facts=(str(error),))
    found = []
    for operation, around in asked:
        outer = tuple(command(one.argv) for one in around)
        one = AskedOperation(listed, tool, operation, subject(operation, tool), outer)
        found.append(reader.says(one))
    return tuple(found)
