"""From `program(...)` calls to the table: plain data, one group of entries a program."""

import marshal

from execpolicy.catalogue.declaration import Declaration
from execpolicy.errors import Diagnostic
from execpolicy.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.catalogue.catalogue import Table

PLAIN = 2
"""The last version of marshal that writes equal values as equal bytes."""

Group = dict[str, tuple[tuple[str, ...], bytes]]
"""The rest of a path behind the program's name → its subcommands, its entry."""


def compile_programs(programs: "Iterable[Program]") -> "tuple[Table, tuple[Diagnostic, ...]]":
    """The table of these programs, and every problem of their notation.

    Programs come in the order of their layers. An entry with a problem is left out, which makes its
    program unknown. A path that two entries of one layer name is a problem too.
    """
    builder = _Builder()
    for program in programs:
        builder.add(program)
    return builder.table(), tuple(builder.diagnostics)


class _Builder:
    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Declaration]] = {}
        self.children: dict[str, set[str]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.blobs: dict[tuple[int, bool], bytes] = {}

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
        """The groups. A path that only has subcommands gets an entry that takes nothing else."""
        nothing = Declaration(Program(("",)))
        groups: dict[str, Group] = {}
        for path in dict.fromkeys([*self.children, *self.entries]):
            children = self.children.get(path, set())
            layers = self.entries.get(path) or ({"": nothing} if children else {})
            for declaration in [*layers.values()][-1:]:
                program, _, rest = path.partition(" ")
                blob = self._blob(declaration, bool(children))
                groups.setdefault(program, {})[rest] = tuple(sorted(children)), blob
        packed = {program: _pack(group) for program, group in groups.items()}
        distinct = {data: number for number, data in enumerate(dict.fromkeys(packed.values()))}
        return {program: distinct[data] for program, data in packed.items()}, tuple(distinct)

    def _blob(self, declaration: Declaration, parent: bool) -> bytes:
        """An entry's fields but its subcommands. Names that share a declaration share the blob."""
        blob = self.blobs.get((id(declaration), parent))
        if blob is None:
            fields = declaration.fields(parent)
            blob = self.blobs[id(declaration), parent] = marshal.dumps(fields, PLAIN)
        return blob


def _pack(group: Group) -> bytes:
    """A program's group: its paths without its name, and the distinct entries they have."""
    blobs = {
        blob: number for number, blob in enumerate(dict.fromkeys(b for _, b in group.values()))
    }
    paths = {rest: (children, blobs[blob]) for rest, (children, blob) in group.items()}
    return marshal.dumps((paths, tuple(blobs)), PLAIN)
