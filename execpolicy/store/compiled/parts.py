"""A set of compiled rules files as plain data, and snapshots put together from such parts."""

import marshal
import os

from execpolicy.catalogue import Catalogue
from execpolicy.model.decision import Decision
from execpolicy.model.effect_defaults import Environment, Posture, Stated
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.model.rule import (
    HostExecutable,
    HostSet,
    NetworkRule,
    Origin,
    PathRule,
    PlaceRule,
    SandboxRule,
    local,
    portable,
)
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.policy.policy import Policy
from execpolicy.store.effect_defaults import EffectDefaults
from execpolicy.store.snapshot import EnvironmentTable, Snapshot
from execpolicy.store.summary import Summary
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import TypeVar

    from execpolicy.catalogue.catalogue import Blobs, Table
    from execpolicy.policy.packed_rules import Data
    from execpolicy.policy.place_keys import Keys
    from execpolicy.policy.policy import ByKind

    T = TypeVar("T", covariant=True)
else:

    class Collection:
        """What `collections.abc` has under this name, for which only type checkers have a use."""

        __slots__ = ()

        def __class_getitem__(cls, _item: object) -> type:
            return cls


class CompiledLayers(Value):
    """The compiled files of some layers.

    `others` are about what commands name, `sandbox` about confined runs. `keys` are those of the
    places among `others` (`policy.place_keys.keys_of`).
    `table` is the whole catalogue as these files leave it, or None where they say nothing of it.
    """

    packed: "Data"
    others: "ByKind"
    keys: "Collection[Keys]"
    sandbox: tuple[SandboxRule, ...]
    table: "Table | None"
    postures: tuple[Posture, ...]
    environments: tuple[Environment, ...]
    files: "Collection[Summary]"
    diagnostics: tuple[Diagnostic, ...]
    digest: str


def assemble(
    parts: "Sequence[CompiledLayers]", layers: tuple[str, ...], more: "Sequence[ByKind]" = ()
) -> Snapshot:
    """One snapshot of the parts, the lowest layer first, and of `more` rules about paths."""
    tables = [part.table for part in parts if part.table is not None]
    defaults = EffectDefaults(p for part in parts for p in part.postures)
    diagnostics = (*(d for part in parts for d in part.diagnostics), *defaults.dead)
    return Snapshot(
        policy=Policy(
            later=[*(p.others for p in parts), *more],
            packed=[PackedRules(p.packed) for p in parts],
            keys=_joined([p.keys for p in parts]),
            sandbox=(rule for part in parts for rule in part.sandbox),
        ),
        catalogue=Catalogue(tables[-1]) if tables else Catalogue(),
        defaults=defaults,
        variables=EnvironmentTable(e for part in parts for e in part.environments),
        files=_joined([part.files for part in parts]),
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


class Later(Collection["T"]):
    """A tuple of values that is made when it is first looked at."""

    __slots__ = ("_found", "_make")

    def __init__(self, make: "Callable[[], tuple[T, ...]]") -> None:
        self._make = make
        self._found: tuple[T, ...] | None = None

    @property
    def values(self) -> "tuple[T, ...]":
        """The values themselves."""
        if self._found is None:
            self._found = self._make()
        return self._found

    def __iter__(self) -> "Iterator[T]":
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, value: object) -> bool:
        return value in self.values

    def __eq__(self, other: object) -> bool:
        return self.values == (other.values if isinstance(other, Later) else other)

    def __hash__(self) -> int:
        return hash(self.values)

    def __repr__(self) -> str:
        return repr(self.values)


def _joined(parts: "Sequence[Collection[T]]") -> "Later[T]":
    """Several collections as one."""
    return Later(lambda: tuple(value for part in parts for value in part))


_KINDS: "tuple[type[Value], ...]" = (
    HostExecutable,
    NetworkRule,
    PathRule,
    PlaceRule,
    Posture,
    Environment,
    Summary,
    Diagnostic,
    Span,
    SandboxRule,
    Stated,
    HostSet,
)


def to_data(part: CompiledLayers) -> "tuple[object, list[bytes]]":
    """A part as plain data that `marshal` can write, and the blobs of its catalogue."""
    programs, blobs = part.table or (None, ())
    from execpolicy.store.compiled.sharded import split

    every = [blobs[n] for n in range(len(blobs))]
    packed, more = split(*part.packed, len(every))
    return (programs, len(every), _fields(part, packed)), every + more


def of_data(data: object, blobs: "Blobs") -> CompiledLayers:
    """The part again. Raises `TypeError` or `ValueError` where it is not valid."""
    if not isinstance(data, tuple):
        raise TypeError("not a part")
    programs, count, values = data
    packed, others, keys, sandbox, postures, environments, files, diagnostics, digest = values
    if not isinstance(keys, bytes):
        raise TypeError("not bytes")
    if len(packed) != _IN_ONE_PIECE:
        from execpolicy.store.compiled.sharded import join

        packed = join(packed, blobs)
    return CompiledLayers(
        packed=packed,
        others=_kinds(others),
        keys=Later(lambda: marshal.loads(keys)),  # noqa: S302 — checked as a whole
        sandbox=_values(sandbox),
        table=None if programs is None else (programs, _First(blobs, count)),
        postures=_values(postures),
        environments=_values(environments),
        files=_later(files),
        diagnostics=_values(diagnostics),
        digest=digest,
    )


_IN_ONE_PIECE = 3
"""The rules, and two tries: most packed are small."""


class _First:
    """The blobs of the catalogue, which come first."""

    __slots__ = ("_blobs", "_count")

    def __init__(self, blobs: "Blobs", count: int) -> None:
        self._blobs = blobs
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> bytes:
        return self._blobs[number]


def _fields(part: CompiledLayers, packed: object) -> "tuple[object, ...]":
    return (
        packed,
        {_KINDS.index(kind): _dumped(rules) for kind, rules in part.others.items()},
        marshal.dumps(tuple(part.keys)),
        _plain(part.sandbox),
        _plain(part.postures),
        _plain(part.environments),
        _dumped(part.files),
        _plain(part.diagnostics),
        part.digest,
    )


def _kinds(data: object) -> "ByKind":
    """Rules by their kind. Raises `TypeError` or `LookupError` where they are none."""
    if not isinstance(data, dict):
        raise TypeError("not rules by kind")
    return {_KINDS[number]: _later(rules) for number, rules in data.items()}


def _dumped(values: "Iterable[object]") -> bytes:
    """The bytes of what most processes never look at."""
    return marshal.dumps([_plain(value) for value in values], 2)


def _later(data: object) -> "Later[T]":
    """The values of these bytes. Raises `TypeError` where they are none."""
    if not isinstance(data, bytes):
        raise TypeError("not bytes")
    return Later(lambda: _values((_TUPLE, marshal.loads(data))))  # noqa: S302 — checked as a whole


def _values(data: object) -> "tuple[T, ...]":
    """Several values again. Raises `TypeError` where it is one."""
    values = _value(data)
    if not isinstance(values, tuple):
        raise TypeError("not a list of values")
    return values


def _plain(value: object) -> object:
    if isinstance(value, Summary):
        value = value.replace(path=portable(value.layer, value.path))
    if isinstance(value, _KINDS):
        fields = type(value).__fields__
        return (_KINDS.index(type(value)), [_plain(getattr(value, f)) for f in fields])
    if isinstance(value, Decision):
        return (_DECISION, [int(value)])
    if isinstance(value, Origin):
        return (_ORIGIN, value.packed())
    if isinstance(value, tuple):
        items = [_plain(item) for item in value]
        as_it_is = all(a is b for a, b in zip(items, value, strict=True))
        return items if as_it_is else (_TUPLE, items)
    return value


_DECISION, _TUPLE, _ORIGIN = -1, -2, -3
"""The kinds of values that are not records."""


def _value(data: object) -> object:
    if type(data) is not tuple:
        return tuple(data) if type(data) is list else data
    kind, items = data
    if kind == _ORIGIN:
        return Origin.unpacked(items)
    if kind == _DECISION:
        return Decision(items[0])
    values = [
        tuple(item) if type(item) is list else _value(item) if type(item) is tuple else item
        for item in items
    ]
    if kind == _TUPLE:
        return tuple(values)
    found = _KINDS[kind](*values)
    if isinstance(found, Summary):
        return found.replace(path=local(found.layer, found.path))
    return found
