"""What each host itself would do with a call, by its own settings; one module a host.

A module has `read(tool) -> Listed`, which reads the host's files, and the pure function
`says(listed, tool, operation, around) -> Answer` about one operation of the call.
"""

from execpolicy.hosts.permissions.base import UNKNOWN, HostAnswer, Listed, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from execpolicy.model.operation import Exec, Operation

    class Reader(Protocol):
        """A host's module."""

        def read(self, tool: Tool) -> Listed:
            """The settings in force for a call."""

        def says(
            self, listed: Listed, tool: Tool, operation: Operation, around: "tuple[Exec, ...]"
        ) -> HostAnswer:
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
    listed = reader.read(tool)
    return tuple(reader.says(listed, tool, operation, around) for operation, around in asked)
