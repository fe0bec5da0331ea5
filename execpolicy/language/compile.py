"""Judges the calls a rules file made and gives its rules, or every problem it has."""

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from execpolicy.language import limits
from execpolicy.language.builtins.examples import Argv, Examples, covers, steps
from execpolicy.language.builtins.table import BUILTINS, CODEX_BUILTINS, Builtin, Item
from execpolicy.language.calls import Evaluated
from execpolicy.language.evaluate.evaluate import Source, evaluate
from execpolicy.language.problems import Problems
from execpolicy.model.effect_defaults import Environment, Posture
from execpolicy.model.errors import Diagnostic, PolicyError, printable
from execpolicy.model.rule import HostExecutable, Origin, PathRule, PrefixRule, Rule
from execpolicy.model.written.program import Program
from execpolicy.support.record import Value

_SHOWN = 20


class Compiled(Value):
    """What one file says, in the order written, and its problems.

    `examples` are those that only the catalogue can judge: of rules with conditions.
    """

    file: str
    rules: tuple[Rule, ...]
    programs: tuple[Program, ...]
    postures: tuple[Posture, ...]
    environments: tuple[Environment, ...]
    diagnostics: tuple[Diagnostic, ...]
    examples: tuple[Examples, ...] = ()


def compile_text(text: str, file: str = "<rules>", layer: str = "user") -> Compiled:
    """Evaluate and judge one text.

    Raises `PolicyError` with all its problems.

    >>> compile_text('prefix_rule(pattern = ["git", "push"], decision = "prompt")').rules[0].pattern
    (('git',), ('push',))
    """
    (compiled,) = compile_sources([(layer, Source(file, text))])
    if compiled.diagnostics:
        raise PolicyError(compiled.diagnostics)
    return compiled


def compile_sources(
    sources: Sequence[tuple[str, Source]], *, codex: bool = False
) -> list[Compiled]:
    """Evaluate and judge files in order, each with the layer it belongs to.

    Host executables of earlier files are known to later ones. As `codex` does, problems of syntax
    end at the first, at the place that Starlark gives it.
    """
    hosts: dict[str, HostExecutable] = {}
    every = []
    with _without_collector():
        results = evaluate([source for _, source in sources])
        for (layer, source), evaluated in zip(sources, results, strict=True):
            if not codex:
                evaluated = evaluated.replace(problems=_all_syntax(source, evaluated.problems))
            compiled = compile_calls(source, evaluated, layer, hosts, codex=codex)
            hosts.update({r.name: r for r in compiled.rules if isinstance(r, HostExecutable)})
            every.append(compiled)
    return every


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the cycle collector: loading makes many objects at once and keeps all of them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compile_calls(
    source: Source,
    evaluated: Evaluated,
    layer: str,
    hosts: Mapping[str, HostExecutable],
    *,
    codex: bool = False,
) -> Compiled:
    """Judge a file's calls. `hosts` are the host executables of the files before it.

    `codex`: what Codex refuses in a call that it has, too, is a problem.
    """
    problems = Problems(source.file, source.text)
    made = list(_judged(source, evaluated, layer, problems, CODEX_BUILTINS if codex else BUILTINS))
    examples = [one for one in made if isinstance(one, Examples)]
    items: list[Item] = []
    for one in made:
        items += one.rules if isinstance(one, Examples) else (one,)
    known = {**hosts, **{i.name: i for i in items if isinstance(i, HostExecutable)}}
    _run_all(examples, known, problems)
    items = _bounded(items, problems)
    compiled = _compiled(source.file, items, [*problems.found, *evaluated.problems])
    return compiled.replace(examples=tuple(e for e in examples if e.rules[0].conditions))


def _judged(
    source: Source,
    evaluated: Evaluated,
    layer: str,
    problems: Problems,
    builtins: Mapping[str, Builtin],
) -> Iterator[Item | Examples]:
    """What each call makes, in their order, until the file has as many problems as are told."""
    for call in evaluated.calls:
        if problems.is_full:
            return
        origin = Origin(layer, source.file, call.line)
        made = builtins[call.name].judge(call, origin, problems.at(call.line))
        if made is not None:
            yield made


def _all_syntax(source: Source, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Starlark stops at the first syntax error; the grammar of the language tells of all."""
    if not any(d.code == "syntax" and d.span.line for d in found):
        return found
    if len(source.text) > limits.MAX_GRAMMAR_CHARS:
        return found
    from execpolicy.language.syntax.syntax import parse

    try:
        parse(source.text, source.file)
    except PolicyError as error:
        return error.diagnostics
    return found


def _bounded(items: list[Item], problems: Problems) -> list[Item]:
    """The items but those that would make each decision slow."""
    left = dict(limits.MAX_WEIGHT)
    kept: list[Item] = []
    for item in items:
        name, weight = _weight(item)
        if weight:
            told = left[name] < 0
            left[name] -= weight
            if left[name] < 0:
                if not told:
                    message = f"this file has more than {limits.MAX_WEIGHT[name]} patterns of"
                    problems.at(item.origin.line)("limit", f"{message} `{name}`")
                continue
        kept.append(item)
    return kept


def _weight(item: Item) -> tuple[str, int]:
    if isinstance(item, PathRule):
        return "path_rule", len(item.paths)
    if isinstance(item, PrefixRule) and item.canonical:
        exceptions = sum(len(t) for pattern in item.unless for t in pattern)
        return "canonical_matching", sum(map(len, item.pattern)) + exceptions
    return "", 0


def _run_all(
    calls: list[Examples], hosts: Mapping[str, HostExecutable], problems: Problems
) -> None:
    """Run the examples of a file, as long as they take no time worth the name."""
    left = limits.MAX_STEPS
    for call in calls:
        left -= steps(call, hosts)
        if left < 0 or problems.is_full:
            message = "the examples of this file would take too long to run"
            hint = "write fewer of them, or shorter lists of alternatives and exceptions"
            problems.at(call.line)("limit", message, hint)
            return
        _run(call, hosts, problems)


def _run(call: Examples, hosts: Mapping[str, HostExecutable], problems: Problems) -> None:
    """Run a call's examples; each that fails is a problem that names what matched instead."""
    for argv in () if call.rules[0].conditions else call.not_match:
        if covers(call.rules, argv, hosts):
            message = f"`not_match` example `{_shown(argv)}` is matched by `{_pattern(call)}`"
            problems.at(call.line)("example", message, "narrow the pattern", " ".join(argv))
    for argv in call.match:
        if not covers(call.rules, argv, hosts):
            message = f"`match` example `{_shown(argv)}` is not matched by `{_pattern(call)}`"
            problems.at(call.line)("example", message, _instead(call, argv), " ".join(argv))


def _instead(call: Examples, argv: Argv) -> str:
    """Where the example leaves the pattern."""
    for at, tokens in enumerate(call.rules[0].pattern[1:], 1):
        if at >= len(argv):
            return f"the example ends where the pattern wants `{_joined(tokens)}`"
        if argv[at] not in tokens:
            return f"the example has `{argv[at]}` where the pattern wants `{_joined(tokens)}`"
    heads = _joined([rule.pattern[0][0] for rule in call.rules])
    if argv[0] != heads:
        return f"the example has `{argv[0]}` where the pattern wants `{heads}`"
    return "an exception in `unless` or `exact` keeps the rule from it"


def _pattern(call: Examples) -> str:
    heads = tuple(rule.pattern[0][0] for rule in call.rules)
    pattern = (heads, *call.rules[0].pattern[1:])
    return " ".join(map(_joined, pattern))


def _joined(tokens: Sequence[str]) -> str:
    """The alternatives of a position, not all of very many."""
    shown = tokens[:_SHOWN]
    return "|".join(shown) + "|…" * (len(shown) < len(tokens))


def _shown(argv: Argv) -> str:
    return printable(" ".join(argv), 80)


def _compiled(file: str, items: list[Item], problems: list[Diagnostic]) -> Compiled:
    return Compiled(
        file,
        tuple(i for i in items if not isinstance(i, Program | Posture | Environment)),
        tuple(i for i in items if isinstance(i, Program)),
        tuple(i for i in items if isinstance(i, Posture)),
        tuple(i for i in items if isinstance(i, Environment)),
        tuple(sorted(problems, key=lambda d: (d.span.line, d.span.column))),
    )
