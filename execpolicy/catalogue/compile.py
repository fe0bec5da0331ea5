"""From `program(...)` calls to the table: plain data, one small blob an entry."""

import marshal

from execpolicy.catalogue.declaration import Declaration
from execpolicy.errors import Diagnostic
from execpolicy.program import Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

Table = dict[str, tuple[bytes, ...]]
"""Path (`git push`) → its entries, one a layer, the last of which counts."""


def compile_programs(programs: "Iterable[Program]") -> tuple[Table, tuple[Diagnostic, ...]]:
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

    def table(self) -> Table:
        """The blobs. A path that only has subcommands gets an entry that takes nothing else."""
        paths = dict.fromkeys([*self.children, *self.entries])
        nothing = {"": Declaration(Program(("",)))}
        table = {}
        for path in paths:
            children = frozenset(self.children.get(path, ()))
            layers = self.entries.get(path) or (nothing if children else {})
            blobs = tuple(marshal.dumps(d.fields(children)) for d in layers.values())
            if blobs:
                table[path] = blobs
        return table
