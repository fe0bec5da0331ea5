"""Compiles rules files to a part. Off the hot path: a process that finds the part cached never
imports this, nor the language that it imports."""

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs, extend
from execpolicy.language.compile import Compiled, compile_sources
from execpolicy.language.evaluate.evaluate import Source
from execpolicy.language.limits import decode
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Diagnostic, Span
from execpolicy.model.rule import (
    OVERLAYS,
    HostSet,
    NetworkRule,
    PathRule,
    PlaceRule,
    PrefixRule,
    Rule,
    SandboxRule,
)
from execpolicy.policy.packed_rules import PackedRules
from execpolicy.policy.place_keys import keys_of
from execpolicy.policy.policy import by_kind
from execpolicy.store.compiled.inputs import builtin_files, contents
from execpolicy.store.compiled.parts import CompiledLayers
from execpolicy.store.sources.files import RulesFile
from execpolicy.store.summary import Summary
from execpolicy.support import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.catalogue.catalogue import Table
    from execpolicy.model.written.program import Program


def compile_part(
    files: "Sequence[RulesFile]",
    below: CompiledLayers | None = None,
    memory: "dict[object, object] | None" = None,
) -> CompiledLayers:
    """These files as one part. `below` are the shipped rules, where these files come on top.

    `memory` holds what earlier calls compiled, by file and content.
    """
    compiled = _remembered(files, {} if memory is None else memory)
    every = [_restricted(c, f) for c, f in zip(compiled, files, strict=True)]
    diagnostics = [d for c in every for d in c.diagnostics]
    table, problems = _extended(below, [p for c in every for p in c.programs])
    named = {f.path for f in files}
    diagnostics.extend(d for d in problems if d.span.file in named)
    diagnostics += _of_examples(every, table or (below.table if below else None))
    rules = [r for c in every for r in c.rules]
    others = [r for r in rules if not isinstance(r, (PrefixRule, SandboxRule))]
    laid = [r for r in others if isinstance(r, PlaceRule) and r.place in OVERLAYS]
    return CompiledLayers(
        packed=PackedRules.of([r for r in rules if isinstance(r, PrefixRule)]).data,
        others=by_kind(others),
        keys=(keys_of(laid),),
        sandbox=tuple(r for r in rules if isinstance(r, SandboxRule)),
        table=table,
        postures=tuple(p for c in every for p in c.postures),
        environments=tuple(e for c in every for e in c.environments),
        files=tuple(map(_summary, files, every)),
        diagnostics=tuple(diagnostics),
        digest=digest.of_parts(contents(files)),
    )


def _of_examples(every: "Sequence[Compiled]", table: "Table | None") -> list[Diagnostic]:
    """The problems of examples that need the catalogue to be tried."""
    if not any(c.examples for c in every):
        return []
    from execpolicy.store.compiled.examples import failing

    return failing(every, Catalogue(table) if table else Catalogue())


def _summary(file: RulesFile, compiled: Compiled) -> Summary:
    rules, programs = len(compiled.rules), len(compiled.programs)
    return Summary(file.layer, file.path, rules, programs, file.trusted, file.real)


def _extended(
    below: CompiledLayers | None, programs: "list[Program]"
) -> "tuple[Table | None, tuple[Diagnostic, ...]]":
    """The catalogue of the shipped rules with these programs; None where there are none.

    An entry for a subcommand changes how its program is read, so the shipped files that are about
    the same programs are compiled again, and no others.
    """
    if not programs:
        return None, ()
    if below is None or below.table is None:
        return compile_programs(programs)
    names = {_first(path) for program in programs for path in program.names if path.split()}
    shipped = Catalogue(below.table)
    entries = (shipped.entry(path) for name in names for path in shipped.paths_of(name))
    places = {entry.origin.file for entry in entries if entry}
    files = [file for file in builtin_files() if file.path in places]
    lower = [p for c in compile_files(files) for p in c.programs if names & {*map(_first, p.names)}]
    try:
        return extend(below.table, [*lower, *programs], names)
    except LookupError:  # a damaged cache
        every = [p for c in compile_files(builtin_files()) for p in c.programs]
        return compile_programs([*every, *programs])


def _first(path: str) -> str:
    """The program that a path of the catalogue is about."""
    return path.split()[0] if path.split() else ""


def _remembered(
    files: "Sequence[RulesFile]", memory: "dict[object, object]"
) -> tuple[Compiled, ...]:
    """Each file compiled, from memory if neither it nor what is before it declares otherwise.

    What a file means depends on no other file, save that its examples know the host executables of
    those before it: a file that declares some has all files compiled together.
    """
    fresh = [f for f in files if f not in memory]
    if any(b"host_executable" in f.data for f in files):
        fresh = list(files)
    memory.update(zip(fresh, compile_files(fresh), strict=True))
    for stale in [key for key in memory if isinstance(key, RulesFile) and key not in files]:
        del memory[stale]
    return tuple(c for f in files if isinstance(c := memory[f], Compiled))


def compile_files(files: "Sequence[RulesFile]", *, codex: bool = False) -> tuple[Compiled, ...]:
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
    results = iter(compile_sources(sources, codex=codex))
    return tuple(
        Compiled(file.path, (), (), (), (), (refused[number],))
        if number in refused
        else next(results)
        for number, file in enumerate(files)
    )


def _restricted(compiled: Compiled, file: RulesFile) -> Compiled:
    """What is left of a file that may only tighten, with a warning that says what was ignored."""
    if file.trusted:
        return compiled
    tight = tuple(rule for rule in compiled.rules if _only_tightens(rule))
    postures = tuple(p.replace(trusted=False) for p in compiled.postures)
    variables = tuple(
        e.replace(harmless=(), directories=(), ignores_environment=())
        for e in compiled.environments
    )
    ignored = [r.origin.line for r in compiled.rules if r not in tight]
    ignored += [p.origin.line for p in compiled.programs]
    ignored += [
        e.origin.line
        for e in compiled.environments
        if e.harmless or e.directories or e.ignores_environment
    ]
    warnings = (_ignored(file, ignored),) if ignored else ()
    return compiled.replace(
        rules=tight,
        programs=(),
        postures=postures,
        environments=variables,
        diagnostics=compiled.diagnostics + warnings,
    )


def _only_tightens(rule: "Rule") -> bool:
    """Whether a rule never loosens, so that a file that is not trusted may have it."""
    if isinstance(rule, PlaceRule):
        return rule.place in OVERLAYS
    if isinstance(rule, PrefixRule | PathRule | NetworkRule):
        return rule.decision > Decision.ALLOW
    return isinstance(rule, SandboxRule | HostSet)


def _ignored(file: RulesFile, lines: list[int]) -> Diagnostic:
    count = len(lines)
    rules = "1 rule that would loosen is" if count == 1 else f"{count} rules that would loosen are"
    message = f"{rules} ignored: the file is not trusted"
    others = ", and be writable by no one else (`chmod go-w`)"
    hints = {
        "project": "read it, then run `execpolicy trust`",
        "system": f"it and its directory must belong to root{others}",
        "user": f"it and its directory must belong to you{others}",
    }
    span = Span(file.path, min(lines))
    hint = file.remedy or hints.get(file.layer)
    return Diagnostic("untrusted", message, span, hint, "warning")
