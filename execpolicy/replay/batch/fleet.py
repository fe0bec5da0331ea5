"""The decisions of `decide_table` on Daft, the one file that imports it (extra `fleet`).

On one machine or on a cluster of Ray: each process that decides compiles the texts of the rules and
compares what it then has. What is sent to it is the name of this module and the policy as text.
"""

from collections.abc import Mapping
from typing import Protocol, Self

from execpolicy.model.errors import ExecPolicyError
from execpolicy.replay.arrow import Column, pyarrow, structs
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.replay.batch.pool import DeciderPool
from execpolicy.replay.batch.table import COLUMNS, TableDecider


class Series(Protocol):
    """A column of Daft."""

    def to_arrow(self) -> Column:
        """The same of Arrow."""


class Expression(Protocol):
    """What a column of a data frame will be."""

    def get(self, name: str) -> Self:
        """One field of a structure."""


class Frame(Protocol):
    """A data frame of Daft."""

    column_names: list[str]

    def __getitem__(self, name: str) -> Expression:
        """A column."""

    def with_columns(self, columns: Mapping[str, Expression]) -> Self:
        """The same with more columns."""

    def exclude(self, name: str) -> Self:
        """The same without a column."""


ROWS = 65536
"""Rows that a process is given at once. In each such batch a text is looked up once."""


class RowDecider:
    """Decides batches of columns in a process of Daft's."""

    def __init__(self, policy: str) -> None:
        self._deciding = TableDecider(DeciderPool(BatchPolicy.from_json(policy), 0), None)

    def decide(self, texts: Series, directories: Series | None = None) -> Column:
        """A structure with the decision for each row."""
        given = {"command": texts, "cwd": directories}
        columns = {n: each.to_arrow() for n, each in given.items() if each is not None}
        batch = pyarrow().RecordBatch.from_pydict(
            {name: each.cast("string") for name, each in columns.items()}
        )
        return structs(self._deciding.batch(batch), COLUMNS)


def decide_frame(frame: Frame, policy: BatchPolicy, *, processes: int | None = None) -> Frame:
    """A data frame of Daft with the columns of `decide_table` after its own.

    It has a column `command`, and perhaps `cwd`, of texts. At most so many `processes` decide; Daft
    says how many where none are named. Raises `ExecPolicyError` where Daft is missing; what goes
    wrong while it runs, Daft raises.
    """
    try:
        import daft
    except ImportError:
        raise ExecPolicyError("this needs Daft: pip install 'execpolicy[fleet]'") from None
    text = daft.DataType.string()
    kind = daft.DataType.struct(dict.fromkeys(COLUMNS, text))
    made = type(
        RowDecider.__name__,
        (RowDecider,),
        {"decide": daft.method.batch(return_dtype=kind, batch_size=ROWS)(RowDecider.decide)},
    )
    decider = daft.cls(made, max_concurrency=processes)(policy.to_json())
    names = [name for name in ("command", "cwd") if name in frame.column_names]
    decided = decider.decide(*(frame[name] for name in names))
    found = frame.with_columns({"decided": decided})
    more = {name: found["decided"].get(name) for name in COLUMNS}
    return found.with_columns(more).exclude("decided")
