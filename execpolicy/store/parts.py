"""A set of compiled rules files as plain data, and snapshots put together from such parts."""

import os

from execpolicy.catalogue import Catalogue
from execpolicy.decision import Decision
from execpolicy.errors import Diagnostic, Span
from execpolicy.policy import Policy
from execpolicy.posture import Environment, Posture
from execpolicy.rule import (
    HostExecutable,
    HostSet,
    NetworkRule,
    Origin,
    PathRule,
    PlaceRule,
    Rule,
    local,
    portable,
)
from execpolicy.shelf import Shelf
from execpolicy.store.snapshot import Snapshot, Stance, Variables
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from execpolicy.catalogue.catalogue import Blobs, Table
    from execpolicy.shelf import Data


class Summary(Value):
    """What one file gave: its layer, its place, the number of rules and entries, and trust."""

    layer: str
    path: str
    rules: int
    programs: int
    binding: bool
    real: str = ""


class Part(Value):
    """The compiled files of some layers.

    `table` is the whole catalogue as these files leave it, or None where they say nothing of it.
    """

    shelf: "Data"
    others: tuple[Rule, ...]
    table: "Table | None"
    postures: tuple[Posture, ...]
    environments: tuple[Environment, ...]
    files: tuple[Summary, ...]
    diagnostics: tuple[Diagnostic, ...]
    digest: str


def assemble(parts: "Sequence[Part]", layers: tuple[str, ...]) -> Snapshot:
    """One snapshot of the parts, the lowest layer first."""
    tables = [part.table for part in parts if part.table is not None]
    diagnostics = tuple(d for part in parts for d in part.diagnostics)
    return Snapshot(
        policy=Policy((r for p in parts for r in p.others), (Shelf(p.shelf) for p in parts)),
        catalogue=Catalogue(tables[-1]) if tables else Catalogue(),
        stance=Stance(p for part in parts for p in part.postures),
        variables=Variables(e for part in parts for e in part.environments),
        files=tuple(f for part in parts for f in part.files),
        layers=layers,
        digest="-".join(part.digest[:12] for part in parts),
        floor=floor(diagnostics),
        home=os.path.expanduser("~"),
        diagnostics=diagnostics,
    )


def floor(diagnostics: tuple[Diagnostic, ...]) -> str | None:
    """Why no decision may be lower than PROMPT: what a broken file forbade is not known."""
    files = {d.span.file: d for d in reversed(diagnostics) if d.severity == "error"}
    if not files:
        return None
    told = ", ".join(f"`{name}{_line(files[name])}`{_why(files[name])}" for name in reversed(files))
    return f"rules could not be loaded: {told}; `execpolicy layers` shows what is wrong"


def _line(problem: Diagnostic) -> str:
    """Where in a file the first error is, as editors read it."""
    return f":{problem.span.line}" if problem.span.line else ""


def _why(problem: Diagnostic) -> str:
    """What is wrong with a place that cannot be read. `layers` tells the rest about a file."""
    if problem.code != "read":
        return ""
    return f" ({problem.message}{f'; {problem.hint}' if problem.hint else ''})"


_KINDS: "tuple[type[Any], ...]" = (
    HostExecutable,
    NetworkRule,
    PathRule,
    PlaceRule,
    Posture,
    Environment,
    Summary,
    Diagnostic,
    Span,
    HostSet,
)


def to_data(part: Part) -> "tuple[Any, list[bytes]]":
    """A part as plain data that `marshal` can write, and the blobs of its catalogue."""
    programs, blobs = part.table or (None, ())
    return (programs, _fields(part)), [blobs[n] for n in range(len(blobs))]


def of_data(data: "Any", blobs: "Blobs") -> Part:
    """The part again. Raises `TypeError` or `ValueError` where it is none."""
    programs, values = data
    table = None if programs is None else (programs, blobs)
    names = (name for name in Part.__fields__ if name != "table")
    found = zip(names, values, strict=True)
    return Part(table=table, **{n: v if n in _RAW else _value(v) for n, v in found})


def _fields(part: Part) -> "tuple[Any, ...]":
    names = (name for name in Part.__fields__ if name != "table")
    return tuple(getattr(part, n) if n in _RAW else _plain(getattr(part, n)) for n in names)


_RAW = frozenset(("shelf", "digest"))


def _plain(value: "Any") -> "Any":
    if isinstance(value, Summary):
        value = value.replace(path=portable(value.layer, value.path))
    if isinstance(value, _KINDS):
        fields = type(value).__fields__
        return (_KINDS.index(type(value)), [_plain(getattr(value, f)) for f in fields])
    if isinstance(value, Decision):
        return (-1, [int(value)])
    if isinstance(value, Origin):
        return (-3, value.packed())
    if isinstance(value, tuple):
        return (-2, [_plain(item) for item in value])
    return value


def _value(data: "Any") -> "Any":
    if type(data) is not tuple:
        return data
    kind, items = data
    values = [_value(item) for item in items]
    if kind == -2:
        return tuple(values)
    if kind < 0:
        return Decision(values[0]) if kind == -1 else Origin.unpacked(items)
    found = _KINDS[kind](*values)
    if isinstance(found, Summary):
        return found.replace(path=local(found.layer, found.path))
    return found
