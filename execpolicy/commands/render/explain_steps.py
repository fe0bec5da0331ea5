"""What `explain` adds to a verdict: how each operation was read, and what nearly matched."""

from _collections_abc import Iterator

from execpolicy.catalogue.catalogue import Catalogue, Known
from execpolicy.catalogue.kinds.kind import Kind, Literals, OneOf, WithEffects
from execpolicy.catalogue.option import Option as CatalogueOption
from execpolicy.catalogue.reading.tokens import Tokens
from execpolicy.commands.render.explain_places import Placed, placed
from execpolicy.engine.unwrap import ExpandedOperation, unwrap
from execpolicy.engine.wire import operations_to_wire, to_wire
from execpolicy.model.operation import Dynamic, Exec, Request, Word, show
from execpolicy.model.rule import PrefixRule, is_prefix
from execpolicy.model.verdict import JudgedOperation, Verdict
from execpolicy.places.resolver import Resolver
from execpolicy.store.snapshot import Snapshot
from execpolicy.support.record import Value

MAX_NEAR = 3


class Near(Value):
    """A rule that did not match: the word that differed, and what the rule wants there.

    `word` is None where the command ends before, `wanted` is empty where the rule matched but is
    does not apply for another reason, which `why` tells.
    """

    rule: PrefixRule
    at: int
    word: str | None
    wanted: tuple[str, ...]
    why: str


class ExplainedOption(Value):
    """How the catalogue reads an option: its name, its values, and what it does."""

    name: str
    values: tuple[str, ...]
    meaning: str


class Explained(Value):
    """An operation with the way it was read."""

    judged: JudgedOperation
    step: ExpandedOperation
    options: tuple[ExplainedOption, ...]
    near: tuple[Near, ...]
    places: tuple[Placed, ...] = ()

    def to_wire(self) -> dict[str, object]:
        """The explanation as JSON."""
        wire: dict[str, object] = {"inside": self.step.outer}
        span = self.judged.operation.span
        wire["span"] = None if span is None else list(span)
        if self.step.reading is not None:
            wire["read_as"] = [show(w) for w in self.step.reading.canonical]
            wire["effects"] = [
                {"effect": c.effect, "why": c.why} for c in self.step.reading.effects
            ]
            wire["options"] = [
                {"name": o.name, "values": list(o.values), "meaning": o.meaning}
                for o in self.options
            ]
        wire["places"] = [place.to_wire() for place in self.places]
        wire["near"] = [
            {"pattern": [list(t) for t in n.rule.pattern], "decision": n.rule.decision.word}
            | {"origin": str(n.rule.origin), "word": n.word, "wanted": list(n.wanted), "why": n.why}
            for n in self.near
        ]
        return wire


def explained(
    request: Request,
    snapshot: Snapshot,
    verdict: Verdict,
    resolver: Resolver | None = None,
) -> tuple[Explained, ...]:
    """Each judged operation of the verdict with the way it was read.

    With a resolver, also the places of its paths.
    """
    steps = unwrap(request, snapshot)
    places = placed(request, steps, snapshot, resolver) if resolver else [()] * len(steps)
    heads = _by_head(snapshot) if any(isinstance(s.operation, Exec) for s in steps) else {}
    found = []
    for step, judged, where in zip(steps, verdict.judged, places, strict=True):
        options = tuple(_options(step, snapshot.catalogue))
        found.append(Explained(judged, step, options, _near(step, heads), where))
    found += [Explained(one, ExpandedOperation(one.operation), (), (), ()) for one in verdict.texts]
    return tuple(found)


def explained_wire(verdict: Verdict, found: tuple[Explained, ...]) -> dict[str, object]:
    """The verdict as JSON has it, each operation with its explanation."""
    operations = zip(operations_to_wire(verdict), found, strict=True)
    listed = [{**o, "explanation": one.to_wire()} for o, one in operations]
    return {**to_wire(verdict), "operations": listed}


def _by_head(snapshot: Snapshot) -> dict[str, list[PrefixRule]]:
    heads: dict[str, list[PrefixRule]] = {}
    for rule in snapshot.policy.rules:
        for token in rule.pattern[0]:
            heads.setdefault(token.rpartition("/")[2].casefold(), []).append(rule)
    return heads


def _near(step: ExpandedOperation, heads: dict[str, list[PrefixRule]]) -> tuple[Near, ...]:
    """The rules about the same program that come nearest without matching."""
    operation, reading = step.operation, step.reading
    if not isinstance(operation, Exec) or reading is None or not isinstance(operation.argv[0], str):
        return ()
    name = operation.argv[0].rpartition("/")[2]
    spelled = (operation.argv, reading.canonical, (name, *reading.canonical[1:]))
    found = []
    for rule in heads.get(name.casefold(), ()):
        if not any(rule.matches(argv) for argv in (spelled if rule.decision else spelled[:1])):
            found.append(max((_difference(rule, argv) for argv in spelled), key=lambda n: n.at))
    found.sort(key=lambda near: (-near.at, str(near.rule.origin)))
    return tuple(found[:MAX_NEAR])


def _difference(rule: PrefixRule, argv: tuple[Word, ...]) -> Near:
    """The first place where a rule and a command differ."""
    for at, tokens in enumerate(rule.pattern):
        if at >= len(argv):
            return Near(rule, at, None, tokens, "the command ends there")
        if not is_prefix((tokens,), (argv[at],), rule.canonical):
            why = "the word is computed" if isinstance(argv[at], Dynamic) else "the word differs"
            return Near(rule, at, show(argv[at]), tokens, why)
    end = len(rule.pattern)
    if rule.exact and len(argv) > end:
        return Near(rule, end, show(argv[end]), (), "the rule is exact: nothing may follow")
    for pattern in rule.unless:
        if is_prefix(pattern, argv, rule.canonical):
            exception = " ".join("|".join(tokens) for tokens in pattern)
            return Near(rule, end, None, (), f"its exception `{exception}` applies")
    return Near(rule, 0, show(argv[0]), (), "an allow rule covers only the words as written")


def _options(step: ExpandedOperation, catalogue: Catalogue) -> "Iterator[ExplainedOption]":
    """Every option before and after the subcommand, as the catalogue knows it."""
    operation, reading = step.operation, step.reading
    if not isinstance(operation, Exec) or reading is None:
        return
    name = reading.path[0]
    found = catalogue.lookup(name)
    argv, at = (name, *operation.argv[1:]), 1
    while found is not None:
        tokens = Tokens(found.entry, argv, at)
        for each in tokens.options:
            yield ExplainedOption(each.name, tuple(map(show, each.values)), _meaning(each.option))
        for problem in tokens.problems:
            yield ExplainedOption(problem.why, (), "not in the catalogue, so its effect is unknown")
        if tokens.child is None:
            return
        path, at = f"{found.path} {tokens.child}", tokens.at
        below = catalogue.entry(path)
        found = None if below is None else Known(path, below)


def _meaning(option: CatalogueOption) -> str:
    effects = option.effects
    parts = [f"raises the effect to {', '.join(effects)}"] if effects else []
    if option.count and option.kinds:
        parts.append("its value is " + " or ".join(dict.fromkeys(map(_kind, option.kinds))))
    return "; ".join(parts) or "a flag that changes nothing that matters"


def _kind(kind: Kind) -> str:
    """A kind in words; those that are not plain words are choices among others."""
    if isinstance(kind, str):
        return _KINDS.get(kind, f"of the kind `{kind}`")
    if isinstance(kind, WithEffects):
        return f"{_kind(kind.kind)} that raises the effect to {', '.join(kind.effects)}"
    if isinstance(kind, Literals):
        return "one of some words"
    parts = kind.kinds if isinstance(kind, OneOf) else (kind.words, kind.kind)
    return " or ".join(map(_kind, parts))


_KINDS = {
    "text": "plain text",
    "file": "a file to read",
    "out": "a file to write",
    "new-tree": "a directory to make",
    "into": "a file or directory to write",
    "program": "a program to run",
    "cwd": "the directory to work in",
    "host": "a host to reach",
}
