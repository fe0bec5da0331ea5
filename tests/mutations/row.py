"""A mutation as a row of a text file: what changes where, and the line before and after."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ROWS = Path(__file__).with_name("rows.txt")
EQUIVALENT = Path(__file__).with_name("equivalent.txt")


class Row(NamedTuple):
    """One changed line. `old` and `new` are without their indentation; `old` is once in the file.

    `note` says why a row changes nothing that can be seen, in the list of those.
    """

    path: str
    kind: str
    old: str
    new: str
    note: str = ""

    @property
    def package(self) -> str:
        """`shell` for a file in `execpolicy/shell`."""
        return self.path.split("/")[1]

    def __str__(self) -> str:
        lines = (f"{self.path}: {self.kind}", f"- {self.old}", f"+ {self.new}")
        return "\n".join((*lines, f"# {self.note}") if self.note else lines)


def read(path: Path) -> list[Row]:
    """The rows of a file, separated by empty lines."""
    blocks = path.read_text().split("\n\n") if path.exists() else []
    return [_row(block.strip("\n").split("\n")) for block in blocks if block.strip()]


def _row(lines: Sequence[str]) -> Row:
    path, _, kind = lines[0].partition(": ")
    return Row(path, kind, *(line[2:] for line in lines[1:]))


def write(path: Path, rows: Sequence[Row]) -> None:
    """Replace the rows of a file."""
    path.write_text("\n\n".join(map(str, rows)) + "\n")


def changed(row: Row, text: str) -> str | None:
    """The text of the file with the mutation; None if its line is not exactly once there."""
    lines = text.split("\n")
    found = [number for number, line in enumerate(lines) if line.strip() == row.old]
    if len(found) != 1:
        return None
    (at,) = found
    lines[at] = lines[at].replace(row.old, row.new)
    return "\n".join(lines)


def stale(rows: Sequence[Row], root: Path = ROOT) -> Iterator[Row]:
    """The rows that no longer fit: their file is gone, or their line is not once in it."""
    for row in rows:
        path = root / row.path
        if not path.is_file() or changed(row, path.read_text()) is None:
            yield row
