"""From files to a snapshot, by way of the cache."""

from _collections_abc import Callable, Sequence

from execpolicy.model.errors import PolicyError
from execpolicy.store.compiled import cache, inputs
from execpolicy.store.compiled.parts import CompiledLayers, assemble, of_data, to_data
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import RulesFile
from execpolicy.store.sources.own import own_rules
from execpolicy.support import digest
from execpolicy.support.resources import BUILTIN

_began: list[str] = []
"""The stamp of the shipped rules that this process met first: its code is of that version, whatever
is installed while it runs."""


def load(
    files: "Sequence[RulesFile]",
    *,
    builtin: bool = True,
    cached: bool = True,
    memory: "dict[object, object] | None" = None,
    folders: "Sequence[str]" = (),
) -> Snapshot:
    """One snapshot of the shipped rules and these files, the lowest layer first.

    `folders` are the directories that files were looked for in. `memory` keeps what was compiled
    for the next call, so that only files that changed are compiled again.
    """
    memory = {} if memory is None else memory
    mark, shipped = _shipped(memory, cached) if builtin else ("", None)
    parts = [] if shipped is None else [shipped]
    if files:
        parts.append(_layers_part(files, mark, shipped, cached, memory))
    layers = dict.fromkeys([*([BUILTIN] if builtin else []), *(f.layer for f in files)])
    own = own_rules(files, folders, [part.others for part in parts])
    return assemble(parts, tuple(layers), [own])


def strict(snapshot: Snapshot, files: "Sequence[RulesFile]") -> None:
    """Raise `PolicyError` if one of these files, that the user named, has a problem."""
    named = {f.path for f in files}
    problems = tuple(d for d in snapshot.diagnostics if d.span.file in named)
    if any(d.severity == "error" for d in problems):
        raise PolicyError(problems)


def _builtin_part(mark: str, cached: bool) -> CompiledLayers:
    """The shipped rules from the cache, else from the package, else compiled."""

    def make() -> CompiledLayers:
        from execpolicy.store.compiled import prebuilt

        found = prebuilt.read() if cached else None
        if found is not None:
            return found
        from execpolicy.store.compiled.compiler import compile_part

        return compile_part(inputs.builtin_files())

    return _kept(BUILTIN, mark, make) if cached else make()


def _kept(name: str, mark: str, make: "Callable[[], CompiledLayers]") -> CompiledLayers:
    """A part from the cache, else made and kept there, by one process at a time.

    Where many begin at once, each would else compile with a fraction of the machine, and take
    longer than its rules are given. What an older version of the code made is not for a newer one.
    """
    mark = digest.of_parts([mark.encode(), *(each.encode() for each in _began)])
    found = _recall(name, mark)
    if found is not None:
        return found
    from execpolicy.store.sources import locks

    def keep() -> CompiledLayers:
        made = make()
        cache.write(name, mark, *to_data(made))
        return made

    return locks.once(cache.place(name), lambda: _recall(name, mark), keep)


def _begin(mark: str) -> None:
    if not _began:
        _began.append(mark)


def _shipped(memory: "dict[object, object]", cached: bool) -> tuple[str, CompiledLayers]:
    """The stamp of the shipped rules, and these, compiled or read once for each version of them.

    They are read where the build of the package put them while these are what it compiled.
    """
    if cached:
        from execpolicy.store.compiled import prebuilt

        found = prebuilt.fresh()
        if found is not None:
            mark, part = found
            _begin(mark)
            known = memory.setdefault(mark, part)
            return mark, known if isinstance(known, CompiledLayers) else part
    mark = inputs.looks()
    _begin(mark)
    kept = memory.get(mark)
    if not isinstance(kept, CompiledLayers):
        kept = memory[mark] = _builtin_part(mark, cached)
    return mark, kept


def _layers_part(
    files: "Sequence[RulesFile]",
    below: str,
    shipped: CompiledLayers | None,
    cached: bool,
    memory: "dict[object, object]",
) -> CompiledLayers:
    """These files compiled, kept under a name for the set of them and their content's stamp.

    `below` is the stamp of the shipped rules, empty where there are none.
    """
    places = [f"{f.layer}\0{f.path}".encode("utf-8", "surrogateescape") for f in files]
    name = "layers-" + digest.of_parts([*places, str(bool(below)).encode()])[:32]
    mark = digest.of_parts([below.encode(), *inputs.contents(files)])

    def make() -> CompiledLayers:
        from execpolicy.store.compiled.compiler import compile_part

        return compile_part(files, shipped, memory)

    return _kept(name, mark, make) if cached else make()


def _recall(name: str, mark: str) -> CompiledLayers | None:
    """A part from the cache; None if there is none, or if it is not one."""
    found = cache.read(name, mark)
    try:
        return None if found is None else of_data(found[0], found[1])
    except (TypeError, ValueError, IndexError, KeyError):
        return None
