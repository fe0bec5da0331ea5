"""`execpolicy test`: run tables of cases against rules."""

import os
import sys
from collections.abc import Sequence

from execpolicy.cases.case import Suite
from execpolicy.cases.coverage import RULE, Coverage, Part, coverage, named
from execpolicy.cases.read import ENDING, read
from execpolicy.cases.run import Result, engine_of, run
from execpolicy.cases.update import update
from execpolicy.commands.arguments import (
    DIRECTORY,
    Kind,
    OptionSyntax,
    Syntax,
    Takes,
    counted,
    looked_in,
    parse,
)
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.render import report_cases
from execpolicy.engine.engine import Engine
from execpolicy.language.evaluate.worker import ahead
from execpolicy.language.limits import MAX_BYTES
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.sources import settings
from execpolicy.store.sources.files import read_rules
from execpolicy.store.sources.layers import find
from execpolicy.support.record import Value

SYNTAX = Syntax(
    "test",
    (
        OptionSyntax(("--coverage",), "coverage"),
        OptionSyntax(("--update",), "update"),
        OptionSyntax(("--junit",), "junit", Takes("file", Kind.FILE, ending=".xml")),
        OptionSyntax(("--cwd",), "cwd", DIRECTORY),
    ),
    Takes("file", Kind.FILE, ending=ENDING),
)


UNREACHABLE = {
    "never": "its exceptions take all",
    "unmet": "no command meets its conditions",
    **dict.fromkeys(("dead", "contradiction"), "a stricter rule decides, which says "),
}
MOST_NAMED = 3


class SuiteOptions(Value):
    """What the command line says."""

    paths: tuple[str, ...] = ()
    coverage: bool = False
    update: bool = False
    junit: str | None = None
    cwd: str | None = None


class _Ran(Value):
    """A suite that ran: its engine and its results."""

    suite: Suite
    engine: Engine
    results: tuple[Result, ...]


def main(arguments: Sequence[str]) -> ExitCode:
    """Run the cases and print what failed. ERROR if any did."""
    parsed = parse(SYNTAX, arguments)
    options = SuiteOptions(parsed.operands, **parsed.fields)  # type: ignore[arg-type]
    looked_in(options.cwd, options.paths)
    code, ran = ExitCode.ALLOW, []
    engines: dict[object, Engine] = {}
    with ahead():
        for path in _files(options):
            try:
                ran.append(_run(read(path), engines))
            except ExecPolicyError as error:
                print(error, file=sys.stderr)
                code = ExitCode.ERROR
    results = [r for one in ran for r in one.results]
    failed = _update(results) if options.update else _report(ran)
    print(f"{counted(len(results), 'case')}, {failed} failed")
    if options.junit:
        from execpolicy.commands.render import report_junit

        with open(options.junit, "w", encoding="utf-8") as file:
            file.write(report_junit.junit([(one.suite.file, one.results) for one in ran]))
    covered = not options.coverage or _coverage(ran)
    return ExitCode.ERROR if failed or not covered else code


def _run(suite: Suite, engines: dict[object, Engine]) -> _Ran:
    if suite.problems:
        raise ExecPolicyError("\n".join(d.render() for d in suite.problems))
    key = suite.rules, suite.builtin
    engine = engines.get(key)
    if engine is None:
        engine = engines[key] = engine_of(suite)
    return _Ran(suite, engine, run(suite, engine))


def _report(ran: Sequence[_Ran]) -> int:
    failed = 0
    for one in ran:
        for result in one.results:
            if result.failure:
                failed += 1
                sys.stdout.write(report_cases.failure(result, one.engine.snapshot))
    return failed


def _update(results: Sequence[Result]) -> int:
    """Show and write what changes; how many cases could not be written."""
    for result in results:
        if result.verdict.decision is not result.case.decision:
            sys.stdout.write(report_cases.change(result))
    left = update(results)
    for result in left:
        print(f"{result.case.span}: change this by hand: {result.failure}")
    return len(left)


def _coverage(ran: Sequence[_Ran]) -> bool:
    """Print what no case of any suite reaches; whether all is reached."""
    parts: dict[Part, None] = {}
    reached: set[Part] = set()
    together: dict[tuple[tuple[str, ...], bool], list[_Ran]] = {}
    for one in ran:
        together.setdefault((one.suite.rules, one.suite.builtin), []).append(one)
    idle: dict[Part, str] = {}
    for (rules, builtin), same in together.items():
        results = [r for one in same for r in one.results]
        found = coverage(results, same[0].engine.snapshot, rules)
        parts |= dict.fromkeys(found.parts)
        reached |= set(found.parts) - set(found.missed)
        idle |= _idle(rules, builtin)
    left = [part for part in parts if part not in idle]
    empty = {origin for origin, _ in idle} - {o for o, what in left if what.startswith(RULE)}
    left = [part for part in left if part[0] not in empty]
    missed = tuple(part for part in left if part not in reached)
    sys.stdout.write(report_cases.coverage(Coverage(tuple(left), missed, tuple(idle.items()))))
    return not missed and not idle


def _idle(rules: Sequence[str], builtin: bool) -> dict[Part, str]:
    """The rules that no case can reach, and why."""
    from execpolicy.commands.proving import side
    from execpolicy.lint.checks.idle_rules import idle_rules
    from execpolicy.lint.run import context_of

    files = [read_rules("user", path, MAX_BYTES) for path in rules]
    found = {}
    for each in idle_rules(context_of(files, builtin, side, [])):
        if each.kind in UNREACHABLE:
            by = ", ".join(f"{r.decision.word} ({r.origin})" for r in each.others[:MOST_NAMED])
            found[each.rule.origin, named(each.rule)] = UNREACHABLE[each.kind] + by
    return found


def _files(options: SuiteOptions) -> list[str]:
    paths = options.paths
    if not paths:
        found = find(options.cwd, settings.load().codex).directories
        beside = [p for d in found for p in (d.path, *_neighbouring_directories(d.path))]
        paths = tuple(p for p in dict.fromkeys(beside) if os.path.isdir(p) and _names(p))
    files = [file for path in paths for file in _case_files(path)]
    if not files:
        raise ExecPolicyError(f"there are no `*{ENDING}` files: name some, or write one")
    return files


def _neighbouring_directories(directory: str) -> tuple[str, str]:
    return os.path.join(directory, "tests"), os.path.join(os.path.dirname(directory), "tests")


def _names(directory: str) -> list[str]:
    return sorted(n for n in os.listdir(directory) if n.endswith(ENDING) and n != ENDING)


def _case_files(path: str) -> list[str]:
    if os.path.isdir(path):
        return [os.path.join(path, name) for name in _names(path)]
    return [path]
