"""The operations of a text, for tests that have no use for what else is known of it."""

from execpolicy.model.operation import Operation
from execpolicy.shell import reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.analysis.outputs import Output
    from execpolicy.shell.second_reader.second_reader import Tables


def read(
    text: str,
    shell: str | None = None,
    tables: "Tables | None" = None,
    output: "Output | None" = None,
) -> tuple[Operation, ...]:
    """All operations of `text`, in the order they stand in it."""
    return reader.read(text, shell, tables, output).operations
