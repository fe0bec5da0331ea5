"""Lints files: loads them as the engine does, and puts every check to them."""

import os
from collections.abc import Callable, Sequence
from threading import Thread

from execpolicy.catalogue import Catalogue
from execpolicy.catalogue.grammar.compile import compile_programs
from execpolicy.language.builtins.examples import Examples
from execpolicy.language.builtins.table import BUILTINS
from execpolicy.language.calls import BuiltinCall, Evaluated
from execpolicy.language.compile import Compiled, compile_calls
from execpolicy.language.evaluate.evaluate import Source, evaluate
from execpolicy.language.limits import decode
from execpolicy.language.problems import Problems
from execpolicy.language.syntax.tables import driver
from execpolicy.lint import ignore
from execpolicy.lint.checks import (
    catalogue_checks,
    conditions,
    evasion,
    examples,
    former_names,
    hosts,
    layers,
    portable,
    postures,
    rule_conflicts,
    script,
    tokens,
)
from execpolicy.lint.finding import Finding
from execpolicy.lint.registry import severity
from execpolicy.lint.subject import Context, Site, Subject, Whole
from execpolicy.model.errors import Diagnostic
from execpolicy.model.rule import HostExecutable, NetworkRule, Origin, PathRule
from execpolicy.prove.side import Side
from execpolicy.store import loader
from execpolicy.store.compiled.tables import KeptTables
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import RulesFile

_EACH = (
    *(tokens.check, catalogue_checks.check, conditions.check),
    *(evasion.check, layers.check, script.check, former_names.check),
)
_TOGETHER = (rule_conflicts.check, examples.check, hosts.check, postures.check)


def lint(
    files: Sequence[RulesFile],
    *,
    builtin: bool = True,
    codex: bool = False,
    side: Callable[[Snapshot], Side] | None = None,
) -> tuple[Finding, ...]:
    """Every finding in these files, in order of place. With `builtin` the shipped rules stand below
    them. `codex` adds what Codex does not accept; `side` decides commands, by which rules with
    conditions are compared."""
    problems: list[Finding] = []
    context = context_of(files, builtin, side, problems)
    subjects = context.subjects
    found: dict[str, list[Finding]] = {subject.file: [] for subject in subjects}
    checks = (*_EACH, portable.check) if codex else _EACH
    for subject in subjects:
        for diagnostic in _diagnostics(subject):
            found[subject.file].append(_finding(diagnostic))
        for check in checks:
            found[subject.file].extend(check(subject, context))
    for check_all in _TOGETHER:
        for finding in check_all(context):
            found[finding.span.file].append(finding)
    for subject in subjects:
        problems.extend(ignore.apply(subject, found[subject.file]))
    order = {file.path: number for number, file in enumerate(files)}
    problems.sort(key=lambda f: (order.get(f.span.file, -1), f.span.line, f.span.column, f.code))
    return tuple(dict.fromkeys(problems))


def context_of(
    files: Sequence[RulesFile],
    builtin: bool,
    side: Callable[[Snapshot], Side] | None,
    problems: list[Finding],
) -> Context:
    """All files together, with the policy that they make; what cannot be read is a problem."""
    subjects = _subjects(files, problems)
    context = _context(subjects, files, builtin, problems)
    if side is not None:
        context.whole = Whole(lambda: loader.load(files, builtin=builtin), side)
    return context


def _finding(diagnostic: Diagnostic) -> Finding:
    return Finding(diagnostic.replace(severity=severity(diagnostic.code)))


def _subjects(files: Sequence[RulesFile], problems: list[Finding]) -> list[Subject]:
    """Each file that can be read, evaluated and judged."""
    readable: list[tuple[RulesFile, Source]] = []
    for file in files:
        text, problem = decode(file.data, file.path)
        problem = file.problem or problem
        if problem:
            problems.append(_finding(problem))
        else:
            readable.append((file, Source(file.path, text)))
    known_hosts: dict[str, HostExecutable] = {}
    subjects = []
    # The parser is made while another process evaluates.
    making = Thread(target=driver, args=(KeptTables("syntax"),))
    making.start()
    results = evaluate([source for _, source in readable])
    making.join()
    for (file, source), evaluated in zip(readable, results, strict=True):
        compiled = compile_calls(source, evaluated, file.layer, known_hosts)
        known_hosts |= {r.name: r for r in compiled.rules if isinstance(r, HostExecutable)}
        subjects.append(_subject(file.layer, source, evaluated, compiled))
    return subjects


def _subject(layer: str, source: Source, evaluated: Evaluated, compiled: Compiled) -> Subject:
    subject = Subject(layer, source.text, compiled, evaluated.calls)
    scratch = Problems(source.file, source.text)
    for site in subject.sites:
        _judge(site, site.call, Origin(layer, source.file, site.call.line), scratch)
    return subject


def _judge(site: Site, call: BuiltinCall, origin: Origin, scratch: Problems) -> None:
    """What the call made; nothing if it has a problem, which is known already."""
    made = BUILTINS[call.name].judge(call, origin, scratch.at(call.line))
    if isinstance(made, Examples):
        site.examples = made
    elif isinstance(made, HostExecutable | NetworkRule | PathRule):
        site.rule = made


def _diagnostics(subject: Subject) -> tuple[Diagnostic, ...]:
    """The problems of loading; of syntax, those that the grammar finds, which are all."""
    found = subject.compiled.diagnostics
    evaluating = ("syntax", "starlark")
    if not subject.problems or not any(d.code in evaluating for d in found):
        return found
    return (*subject.problems, *(d for d in found if d.code not in evaluating))


def _context(
    subjects: Sequence[Subject],
    files: Sequence[RulesFile],
    builtin: bool,
    problems: list[Finding],
) -> Context:
    """What the files are seen against: the shipped rules, and the catalogue with their entries."""
    programs = [p for subject in subjects for p in subject.compiled.programs]
    table, wrong = compile_programs(programs)
    problems.extend(map(_finding, wrong))
    if not builtin:
        return Context(subjects, Catalogue(table))
    snapshot = loader.load(())
    catalogue = loader.load(files).catalogue if programs else snapshot.catalogue
    # A look at a shipped file compares it with the others.
    looked_at = {os.path.realpath(file.path) for file in files}
    return Context(
        subjects,
        catalogue,
        tuple(r for r in snapshot.policy.rules if r.origin.file not in looked_at),
        snapshot.variables.affects_execution,
        tuple(snapshot.policy.hosts.values()),
    )
