"""From `program(...)` calls to the table: plain data, one index a program, one blob an entry."""

import marshal

from execpolicy.catalogue.catalogue import SHARDS, shard
from execpolicy.catalogue.grammar.declaration import Declaration
from execpolicy.catalogue.grammar.follows import inherited
from execpolicy.model.errors import Diagnostic
from execpolicy.model.written.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from execpolicy.catalogue.catalogue import Blobs, Table

PLAIN = 2
"""The last version of marshal that writes equal values as equal bytes."""


def compile_programs(programs: "Iterable[Program]") -> "tuple[Table, tuple[Diagnostic, ...]]":
    """The table of these programs, and every problem of their notation.

    Programs come in the order of their layers. An entry with a problem is left out, which makes its
    program unknown. A path that two entries of one layer name is a problem too.
    """
    builder = _Builder()
    for program in programs:
        builder.add(program)
    return builder.table(), tuple(builder.diagnostics)


def extend(
    table: "Table", programs: "Iterable[Program]", names: "Collection[str]"
) -> "tuple[Table, tuple[Diagnostic, ...]]":
    """The table with `programs` in the place of all that it says about the programs `names`.

    What it says about others stays as it is. Raises `LookupError` where the table is damaged.
    """
    (places, small), diagnostics = compile_programs(programs)
    shards, blobs = list(table[0]), table[1]
    added: list[bytes] = []

    def add(blob: bytes) -> int:
        added.append(blob)
        return len(blobs) + len(added) - 1

    changed: dict[int, dict[str, int]] = {}
    for name in sorted(names):
        at = shard(name)
        known = changed.setdefault(at, marshal.loads(blobs[shards[at]]))  # noqa: S302
        found = marshal.loads(small[places[at]]).get(name)  # noqa: S302
        known.pop(name, None)
        if found is not None:
            index = marshal.loads(small[found])  # noqa: S302
            moved = {rest: add(small[number]) for rest, number in index.items()}
            known[name] = add(marshal.dumps(moved, PLAIN))
    for at, known in changed.items():
        shards[at] = add(marshal.dumps(known, PLAIN))
    return (tuple(shards), Joined(blobs, added)), diagnostics


class Joined:
    """Blobs, and more of them after those."""

    def __init__(self, first: "Blobs", more: "Sequence[bytes]") -> None:
        self._first = first
        self._more = more

    def __len__(self) -> int:
        return len(self._first) + len(self._more)

    def __getitem__(self, number: int) -> bytes:
        """A blob. Raises `LookupError` for one that is damaged."""
        count = len(self._first)
        return self._first[number] if number < count else self._more[number - count]


class _Builder:
    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Declaration]] = {}
        self.children: dict[str, set[str]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.blobs: dict[tuple[int, frozenset[str], str, str, str], bytes] = {}

    def add(self, program: Program) -> None:
        declaration, layer = Declaration(program), program.origin.layer
        paths = [" ".join(name.split()) for name in program.names]
        for path in paths:
            if layer in self.entries.get(path, ()):
                declaration.problem(f"`{path}` is described twice in this layer", "merge the two")
        for path in paths:
            layers = self.entries.setdefault(path, {})
            layers[layer] = declaration
            self._adopt(path)
            if declaration.diagnostics:
                del layers[layer]
        self.diagnostics += declaration.diagnostics

    def _adopt(self, path: str) -> None:
        """Make the path a child of its parent, and that of its own."""
        parent, _, child = path.rpartition(" ")
        if parent and child not in self.children.setdefault(parent, set()):
            self.children[parent].add(child)
            self._adopt(parent)

    def table(self) -> "Table":
        """The table. A path that only has subcommands gets an entry that takes nothing else."""
        nothing = Declaration(Program(("",)))
        numbers: dict[bytes, int] = {}
        indexes: dict[str, dict[str, int]] = {}
        for path in dict.fromkeys([*self.children, *self.entries]):
            children = frozenset(self.children.get(path, ()))
            layers = self.entries.get(path) or ({"": nothing} if children else {})
            for declaration in [*layers.values()][-1:]:
                program, _, rest = path.partition(" ")
                blob = self._blob(declaration, children, self._help(path), *self._adds(path))
                indexes.setdefault(program, {})[rest] = numbers.setdefault(blob, len(numbers))
        shards: list[dict[str, int]] = [{} for _ in range(SHARDS)]
        for program, index in indexes.items():
            packed = marshal.dumps(index, PLAIN)
            shards[shard(program)][program] = numbers.setdefault(packed, len(numbers))
        places = [numbers.setdefault(marshal.dumps(s, PLAIN), len(numbers)) for s in shards]
        return tuple(places), tuple(numbers)

    def _help(self, path: str) -> str:
        """What shows help: said by the entry itself, else by the nearest one above it."""
        while path:
            for declaration in [*self.entries.get(path, {}).values()][-1:]:
                if declaration.program.help:
                    return declaration.program.help
            path = path.rpartition(" ")[0]
        return ""

    def _adds(self, path: str) -> tuple[str, str]:
        """What the project adds: `loads` of the nearest entry that says it, all their settings."""
        loads, settings, above = "", "", path
        while above:
            for declaration in [*self.entries.get(above, {}).values()][-1:]:
                said = declaration.program.loads
                loads = loads or (said if above == path else inherited(said))
                settings = f"{settings} {declaration.program.settings}"
            above = above.rpartition(" ")[0]
        return loads, settings.strip()

    def _blob(
        self,
        declaration: Declaration,
        children: frozenset[str],
        asks: str,
        loads: str,
        settings: str,
    ) -> bytes:
        """An entry. Names that share a declaration share the blob."""
        key = (id(declaration), children, asks, loads, settings)
        blob = self.blobs.get(key)
        if blob is None:
            entry = declaration.entry(children, asks, loads, settings)
            blob = marshal.dumps(entry.packed(), PLAIN)  # type: ignore[arg-type]
            self.blobs[key] = blob
        return blob
