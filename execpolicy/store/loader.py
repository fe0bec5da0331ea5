"""Reads rules files and makes one snapshot of them."""

import hashlib
import os

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.compile import compile_programs
from execpolicy.errors import Diagnostic, PolicyError, Span
from execpolicy.language.compile import Compiled, compile_sources
from execpolicy.language.evaluate import Source
from execpolicy.language.limits import MAX_BYTES, decode
from execpolicy.policy import Policy
from execpolicy.resources import rules_directory
from execpolicy.store.snapshot import Snapshot, Stance, Variables
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class RulesFile(Value):
    """A file of a layer: where it is, and its bytes or why they could not be read."""

    layer: str
    path: str
    data: bytes
    problem: Diagnostic | None = None


def read_file(layer: str, path: str) -> RulesFile:
    """A rules file as it is now. A file that cannot be read carries the reason."""
    try:
        with open(path, "rb") as file:
            return RulesFile(layer, path, file.read(MAX_BYTES + 1))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problem = Diagnostic("read", f"cannot read the file: {reason.lower()}", Span(path))
        return RulesFile(layer, path, b"", problem)


def builtin_files() -> tuple[RulesFile, ...]:
    """The shipped rules, sorted by name."""
    directory = rules_directory()
    names = sorted(n for n in os.listdir(directory) if n.endswith(".rules"))
    return tuple(read_file("builtin", os.path.join(directory, name)) for name in names)


def compile_files(files: "Sequence[RulesFile]") -> tuple[Compiled, ...]:
    """Each file judged by itself, in order. Later files know the host executables of earlier."""
    sources: list[tuple[str, Source]] = []
    refused: dict[int, Diagnostic] = {}
    for number, file in enumerate(files):
        text, problem = decode(file.data, file.path)
        problem = file.problem or problem
        if problem:
            refused[number] = problem
        else:
            sources.append((file.layer, Source(file.path, text)))
    results = iter(compile_sources(sources))
    return tuple(
        Compiled(file.path, (), (), (), (), (refused[number],))
        if number in refused
        else next(results)
        for number, file in enumerate(files)
    )


def snapshot(files: "Sequence[RulesFile]") -> Snapshot:
    """One snapshot of these files. Broken ones are left out, and raise its floor."""
    every = compile_files(files)
    table, problems = compile_programs(p for c in every for p in c.programs)
    diagnostics = tuple(d for c in every for d in c.diagnostics) + problems
    digest = hashlib.sha256()
    for file in files:
        digest.update(b"%d:%b:%d:" % (len(file.layer), file.layer.encode(), len(file.data)))
        digest.update(file.data)
    return Snapshot(
        policy=Policy(r for c in every for r in c.rules),
        catalogue=Catalogue(table),
        stance=Stance(p for c in every for p in c.postures),
        variables=Variables(e for c in every for e in c.environments),
        layers=tuple(dict.fromkeys(f.layer for f in files)),
        digest=digest.hexdigest()[:16],
        floor=_floor(diagnostics),
        diagnostics=diagnostics,
    )


def _floor(diagnostics: tuple[Diagnostic, ...]) -> str | None:
    """Why the decision cannot be lower than PROMPT: what a broken file forbade is not known."""
    files = dict.fromkeys(d.span.file for d in diagnostics if d.severity == "error")
    if not files:
        return None
    return "rules could not be loaded: " + ", ".join(f"`{name}`" for name in files)


def strict(snapshot: Snapshot, files: "Sequence[RulesFile]") -> None:
    """Raise `PolicyError` if one of these files, named by a person, has a problem."""
    named = {f.path for f in files}
    problems = tuple(d for d in snapshot.diagnostics if d.span.file in named)
    if any(d.severity == "error" for d in problems):
        raise PolicyError(problems)
