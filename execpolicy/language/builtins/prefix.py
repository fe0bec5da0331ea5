"""`prefix_rule`: a decision about commands that begin with its words."""

from execpolicy.language.builtins.arguments import decision_of, justification_of
from execpolicy.language.builtins.conditions import NAMES, conditions_of
from execpolicy.language.builtins.examples import Argv, Examples, parse
from execpolicy.language.builtins.signature import Given, Parameter, Signature, strings
from execpolicy.language.calls import Plain
from execpolicy.language.problems import Reporter
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, Pattern, PrefixRule

PREFIX = Signature(
    "prefix_rule",
    (
        Parameter("pattern", ("list",), required=True),
        Parameter("decision", ("string",)),
        Parameter("match", ("list",)),
        Parameter("not_match", ("list",)),
        Parameter("justification", ("string",)),
        Parameter("canonical_matching", ("bool",)),
        Parameter("unless", ("list",)),
        Parameter("exact", ("bool",)),
        *(Parameter(name, ("list",)) for name in NAMES),
        Parameter("confined", ("bool",)),
        Parameter("below", ("bool",)),
    ),
    positional=6,
)


def prefix_rule(given: Given, origin: Origin, report: Reporter) -> Examples | None:
    """The rules of a call, one for each alternative of the first token, and their examples.

    None after a problem was reported. The order of the checks is that of Codex.
    """
    before = report.problems.count
    decision = decision_of(given.get("decision", "allow"), report)
    justification = justification_of(given.get("justification"), report)
    pattern = _pattern(given["pattern"], "pattern", report)
    match = _examples(given.get("match"), "match", report)
    not_match = _examples(given.get("not_match"), "not_match", report)
    unless = _unless(given.get("unless"), pattern, report)
    conditions = conditions_of(given, decision, report)
    confined = _confined(given.get("confined"), decision, report)
    if report.problems.count > before:
        return None
    rules = tuple(
        PrefixRule(
            ((head,), *pattern[1:]),
            decision,
            justification,
            origin,
            bool(given.get("canonical_matching")),
            unless,
            bool(given.get("exact")),
            bool(given.get("below")),
            conditions,
            confined,
        )
        for head in pattern[0]
    )
    return Examples(rules, match, not_match, origin.line)


def _confined(value: Plain, decision: Decision, report: Reporter) -> bool:
    if value and decision is not Decision.ALLOW:
        message = f"`confined` has no meaning in a rule that says {decision.word}"
        report("condition", message, "such a rule holds in the sandbox, too", "confined")
    return bool(value)


def _pattern(value: Plain, name: str, report: Reporter) -> Pattern:
    """A pattern with a tuple of alternatives a position; reported and empty where it is none."""
    if not isinstance(value, list) or not value:
        report("pattern", f"`{name}` is empty", "give at least the program's name", name)
        return ()
    tokens: list[tuple[str, ...]] = []
    for element in value:
        if isinstance(element, str):
            tokens.append((element,))
        elif alternatives := strings(element):
            tokens.append(alternatives)
        else:
            message = f"an element of `{name}` must be a string or a non-empty list of strings"
            report("pattern", message, at=name)
            return ()
    return tuple(tokens)


def _examples(value: Plain, name: str, report: Reporter) -> tuple[Argv, ...]:
    if not value or not isinstance(value, list):
        return ()
    words = []
    for example in value:
        try:
            words.append(parse(example))
        except ValueError as error:
            shown = f" `{example}`" if isinstance(example, str) else ""
            at = example.split("\n")[0] if isinstance(example, str) else name
            report("example", f"invalid example{shown} in `{name}`: {error}", at=at or name)
    return tuple(words)


def _unless(value: Plain, pattern: Pattern, report: Reporter) -> tuple[Pattern, ...]:
    """The exceptions. Each must be able to begin like the rule itself, or it never applies."""
    if not value or not isinstance(value, list):
        return ()
    exceptions = tuple(_exception(element, pattern, report) for element in value)
    named = [frozenset(tokens) for tokens in pattern]
    for exception in exceptions:
        shared = zip(exception, named, strict=False)
        if exception and named and any(b.isdisjoint(a) for a, b in shared):
            shown = " ".join(tokens[0] for tokens in exception)
            report(
                "unless",
                f"the exception `{shown}` never applies: the pattern does not begin like it",
                "write the whole command, program first",
                "unless",
            )
    return exceptions


def _exception(value: Plain, pattern: Pattern, report: Reporter) -> Pattern:
    """One exception; a word alone is reported with the list that it may be meant as."""
    if not isinstance(value, str):
        return _pattern(value, "unless", report)
    begun = [tokens[0] for tokens in pattern]
    words = value.split()
    meant = words if words[:1] == begun[:1] else [*begun, *words]
    listed = ", ".join(f'"{word}"' for word in meant)
    message = "each exception in `unless` must be a list of words, not a string"
    report("unless", message, f"write `unless = [[{listed}]]`", value)
    return ()
