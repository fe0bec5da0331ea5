"""Tables of Arrow: the one file that imports pyarrow (extra `batch`)."""

import os
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Protocol

from execpolicy.model.errors import ExecPolicyError


class Column(Protocol):
    """A column of Arrow; where each value stands once, `indices` point into `dictionary`."""

    indices: "Column"
    dictionary: "Column"

    def cast(self, kind: str) -> "Column":
        """The same values of another type."""

    def take(self, rows: "Column") -> "Column":
        """The values at these rows."""

    def filter(self, mask: "Column") -> "Column":
        """The values of the rows that are marked."""

    def unique(self) -> "Column":
        """Each value once."""

    def is_null(self) -> "Column":
        """In which rows there is no value."""

    def to_pylist(self) -> list[object]:
        """The values."""

    def dictionary_encode(self) -> "Column":
        """The same with each value once."""

    def __len__(self) -> int:
        """How many rows it has."""


class Schema(Protocol):
    """The names of columns."""

    names: list[str]


class Batch(Protocol):
    """A record batch of Arrow."""

    schema: Schema
    columns: list[Column]
    num_rows: int

    def column(self, name: str) -> Column:
        """The column of this name."""


def pyarrow() -> ModuleType:
    """The package. Raises `ExecPolicyError` that says how to install it."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise ExecPolicyError("this needs pyarrow: pip install 'execpolicy[batch]'") from None


def paired(first: Column, second: Column, size: int) -> Column:
    """For each row one number of two, of which the second is below `size`; each number once."""
    from pyarrow import compute

    at = compute.multiply(first.cast("int64"), size)
    return compute.add(at, second.cast("int64")).dictionary_encode()  # type: ignore[no-any-return]


def filled_null(values: Column, value: int) -> Column:
    """The same, with a value where there is none."""
    from pyarrow import compute

    return compute.fill_null(values, value)  # type: ignore[no-any-return]


def are(values: Column, value: int) -> Column | None:
    """In which rows a value stands; None where it is in none."""
    from pyarrow import compute

    found = compute.fill_null(compute.equal(values, value), False)
    return found if compute.any(found).as_py() else None


def replaced(values: Column, mask: Column, others: Column) -> Column:
    """The values with others in these rows, in their order."""
    from pyarrow import compute

    return compute.replace_with_mask(values, mask, others)  # type: ignore[no-any-return]


def positions(values: Column, among: Column) -> Column:
    """Where each value stands among distinct ones; null where it does not."""
    from pyarrow import compute

    return compute.index_in(values, among)  # type: ignore[no-any-return]


def column(values: Sequence[object], kind: str) -> Column:
    """These values as a column."""
    return pyarrow().array(values, kind)  # type: ignore[no-any-return]


def coded(indices: Column, dictionary: Column) -> Column:
    """A column of values that are pointed to."""
    return pyarrow().DictionaryArray.from_arrays(indices, dictionary)  # type: ignore[no-any-return]


def extended(batch: Batch, more: Mapping[str, Column]) -> Batch:
    """A batch with more columns."""
    names = [*batch.schema.names, *more]
    columns = [*batch.columns, *more.values()]
    return pyarrow().RecordBatch.from_arrays(columns, names=names)  # type: ignore[no-any-return]


def structs(batch: Batch, names: Sequence[str]) -> Column:
    """Some columns of a batch as one of structures, with plain texts in them."""
    columns = [batch.column(name).cast("string") for name in names]
    return pyarrow().StructArray.from_arrays(columns, names=list(names))  # type: ignore[no-any-return]


def write_parquet(rows: Sequence[Mapping[str, object]], path: str) -> None:
    """Rows as a file of Parquet. Raises `ExecPolicyError` where it cannot be written."""
    arrow = pyarrow()
    from pyarrow import parquet

    try:
        parquet.write_table(arrow.Table.from_pylist(list(rows)), path)
    except OSError as error:
        raise ExecPolicyError(f"cannot write `{path}`: {error.strerror or error}") from None


def write_batch(batch: Batch, path: str) -> None:
    """A record batch as a file of Parquet that appears as a whole."""
    arrow = pyarrow()
    from pyarrow import parquet

    begun = f"{path}.{os.getpid()}"
    parquet.write_table(arrow.Table.from_batches([batch]), begun)
    os.replace(begun, path)
