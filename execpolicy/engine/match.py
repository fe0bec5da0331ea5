"""What is said about one operation: by rules, else by the catalogue, and by the reader itself."""

from execpolicy.catalogue import Cause, Reading
from execpolicy.engine.catalogued import by_effects, confined, in_surroundings, removal
from execpolicy.engine.rules.rules import OuterRule, beyond, by_rule
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import (
    Access,
    Assign,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Word,
)
from execpolicy.model.rule import BASES, PROJECT, PrefixRule
from execpolicy.model.verdict import JudgedOperation, Match, Source
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import startup
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.engine.rules.grants import Weighed


def match(
    step: ExpandedOperation, number: int, scene: Scene, outer_rule: "OuterRule | None"
) -> "tuple[JudgedOperation, tuple[PrefixRule, ...]]":
    """All matches of one step, and the allow rules that hold for its command."""
    operation = step.operation
    if step.outer is not None:
        scene = scene.at(number)
    if isinstance(operation, Exec) and step.reading is not None:
        return _exec(operation, step.reading, number, scene, outer_rule)
    if isinstance(operation, Access):
        bases = scene.overlays.of(operation, number).bases
        place = max((base.place for base in bases), key=BASES.index)
        return JudgedOperation(operation, tuple(_access(operation, number, scene)), place), ()
    return JudgedOperation(operation, tuple(_other(operation, number, scene))), ()


class RulesMet(Value):
    """The rules that begin like a command.

    `tightening` are those that ask or forbid, `allowing` those that allow, `confined` those that
    allow in the sandbox alone.
    """

    tightening: tuple[PrefixRule, ...] = ()
    allowing: tuple[PrefixRule, ...] = ()
    confined: tuple[PrefixRule, ...] = ()


_NO_RULES = RulesMet()


def _exec(
    operation: Exec, reading: Reading, number: int, scene: Scene, outer_rule: OuterRule | None
) -> "tuple[JudgedOperation, tuple[PrefixRule, ...]]":
    """All matches of a command, and the allow rules that hold for it."""
    reading, shadowed = in_surroundings(operation, reading, number, scene)
    outer_rule = None if shadowed else outer_rule
    spellings = _spellings(operation.argv, reading)
    met = _NO_RULES
    if not scene.snapshot.policy.silent(spellings):
        met = _rules_met(operation, reading, number, scene, spellings, shadowed=shadowed)
    weighed = _weighed(met, outer_rule, operation, reading, number, scene)
    tight, allowing, naming = met.tightening, met.allowing, met.allowing
    if weighed:
        tight, allowing, naming = weighed.tight, weighed.allowing, weighed.naming
    matches = [by_rule(rule, operation.argv) for rule in tight]
    matches += _beside(operation, reading, spellings, scene)
    if weighed:
        matches += weighed.matches
    if allowing:
        matches += [by_rule(rule, operation.argv) for rule in allowing]
        words_named = max(len(rule.pattern) for rule in allowing)
        matches += beyond(operation, reading, scene.snapshot, words_named)
    said, allowed_subjects, places = _subjects(operation, reading, number, scene)
    matches += said
    matches += _secrets(operation, reading, scene.snapshot, naming)
    if not (allowing or tight):
        if outer_rule is not None and outer_rule.match is not None:
            matches.append(outer_rule.match)
        else:
            allowed_subjects |= weighed.numbers if weighed else frozenset()
            effects = by_effects(operation, reading, number, scene, allowed_subjects, places)
            matches += _lowered(effects, met.confined, operation, reading, number, scene)
    asked = any(m.decision for m in matches)
    if not asked and any(map(_unnamed, reading.effects)) and scene.is_kept(number):
        from execpolicy.engine.paths.subjects import unnamed

        matches += unnamed(operation, reading, number, scene)
    return JudgedOperation(operation, tuple(matches)), met.allowing


def _rules_met(
    operation: Exec,
    reading: Reading,
    number: int,
    scene: Scene,
    spellings: "list[tuple[Word, ...]]",
    *,
    shadowed: bool,
) -> RulesMet:
    """The rules that begin like a command. None of them allows what the project `shadowed`."""
    policy = scene.snapshot.policy
    tightening = policy.tightening(spellings)
    if shadowed:
        return RulesMet(tightening)
    allowing = policy.allowing(operation.argv, spellings)
    confined = policy.allowing(operation.argv, spellings, confined=True)
    return RulesMet(
        tightening,
        _in_place(allowing, operation, reading, number, scene),
        _in_place(confined, operation, reading, number, scene),
    )


def _weighed(
    met: RulesMet,
    outer_rule: OuterRule | None,
    operation: Exec,
    reading: Reading,
    number: int,
    scene: Scene,
) -> "Weighed | None":
    """What is left of the rules by their conditions; None where none has any."""
    limited = outer_rule.limited if outer_rule is not None else ()
    rules = (*met.tightening, *met.allowing)
    if not (limited or any(rule.conditions for rule in rules)):
        return None
    from execpolicy.engine.rules.grants import Command, weigh

    command = Command(operation, reading, number, scene)
    return weigh(met.tightening, met.allowing, limited, command)


def _lowered(
    effects: list[Match],
    rules: tuple[PrefixRule, ...],
    operation: Exec,
    reading: Reading,
    number: int,
    scene: Scene,
) -> list[Match]:
    """What the catalogue says, allowed in the sandbox where a rule for it says so."""
    if not rules:
        return effects
    from execpolicy.engine.rules.confining import lowered
    from execpolicy.engine.rules.grants import Command

    return lowered(rules, Command(operation, reading, number, scene), effects)


def _unnamed(cause: Cause) -> bool:
    """Whether it may change files that it does not name."""
    return cause.effect != "read" and (cause.is_code or not isinstance(cause.subject, Access))


def _beside(
    operation: Exec,
    reading: Reading,
    spellings: "list[tuple[Word, ...]]",
    scene: Scene,
) -> "Iterator[Match]":
    """What asks whatever rules allow: variables that are set, words that may be refused ones."""
    snapshot = scene.snapshot
    if operation.env:
        from execpolicy.engine.assignments import environment

        yield from environment(operation, reading, snapshot)
    computed = not _LITERAL.issuperset(map(type, operation.argv))
    if computed:
        yield from _possible(operation, spellings, snapshot)
    if (computed or isinstance(operation.stdin, Dynamic)) and scene.secrets:
        from execpolicy.engine.paths.subjects import printed

        yield from printed(operation, reading, scene)
    if operation.argv[0] in _TRACING:
        from execpolicy.engine.paths.subjects import traced

        yield from traced(operation, scene)


def _in_place(
    rules: tuple[PrefixRule, ...], operation: Exec, reading: Reading, number: int, scene: Scene
) -> tuple[PrefixRule, ...]:
    """The allow rules that hold where the command runs.

    A program of the project, or one that runs code of it, is meant in the session's root.
    """
    if not rules or not _is_bound(operation, reading) or scene.where.in_root(number):
        return rules
    if scene.where.in_root(number, below=True):
        return tuple(rule for rule in rules if rule.below)
    return ()


def _is_bound(operation: Exec, reading: Reading) -> bool:
    """Whether what this runs depends on the directory: a relative program, code of the project."""
    name = operation.argv[0]
    if isinstance(name, str) and "/" in name and name[:1] not in ("/", "~"):
        return True
    return any(cause.effect == "execute" for cause in reading.effects)


def _names_secret(rule: PrefixRule, reading: Reading) -> bool:
    """Whether an allow rule names the very call that shows a secret, down to the option."""
    words = [token for tokens in rule.pattern for token in tokens]
    if len(rule.pattern) < len(reading.path):
        return False
    return all(c.is_inherent or c.by.is_named_by(words) for c in reading.secrets)


def _secrets(
    operation: Exec, reading: Reading, snapshot: Snapshot, allowing: tuple[PrefixRule, ...]
) -> list[Match]:
    """A program that shows a secret which it keeps itself, or gets from elsewhere."""
    shown = reading.secrets
    if not shown or any(_names_secret(rule, reading) for rule in allowing):
        return []
    decision = max(Decision.PROMPT, snapshot.defaults.decide("read", ("credentials",)))
    return [
        Match(
            Source.PLACE,
            decision,
            f"shows a secret ({cause.why})" if cause.why else "shows a secret",
            reading.origin,
            effects=("read",),
            argv=operation.argv,
            places=("credentials",),
        )
        for cause in shown
    ]


def _subjects(
    operation: Exec, reading: Reading, number: int, scene: Scene
) -> "tuple[list[Match], set[int], dict[int, tuple[str, ...]]]":
    """What is said about the files and hosts that a command names.

    Also the numbers of the effects that an allow rule for one of them lets happen, and the classes
    of the paths by the number of the effect.
    """
    said: list[Match] = []
    allowed_subjects = set[int]()
    places: dict[int, tuple[str, ...]] = {}
    touching = [(at, c.subject) for at, c in enumerate(reading.effects) if c.subject is not None]
    if not touching:
        return said, allowed_subjects, places
    startup.ahead("paths")
    from execpolicy.engine.paths.subjects import accessed, connected, shown

    for at, subject in touching:
        if isinstance(subject, Access):
            found, lifted, places[at] = accessed(subject, number, scene)
        elif isinstance(subject, Connect):
            found, lifted = connected(subject, scene.snapshot)
        else:
            found, lifted = shown(subject, operation, scene), False
        said += found
        if lifted:
            allowed_subjects.add(at)
    return said, allowed_subjects, places


_LITERAL = frozenset((str,))
_RUNS = frozenset(("execute", "unknown"))
_TRACING = frozenset(("set", "bash", "sh", "zsh", "dash", "ksh", "mksh", "ash"))
"""What prints each command with `-x`."""


def _spellings(argv: tuple[Word, ...], reading: Reading) -> "list[tuple[Word, ...]]":
    """The words as written, and all looser ways to see the same command."""
    spellings = [argv] if argv == reading.canonical else [argv, reading.canonical]
    for one in tuple(spellings):
        if one and isinstance(one[0], str) and "/" in one[0]:
            spellings.append((one[0].rpartition("/")[2], *one[1:]))
    if len(argv) > 1 and not _RUNS.isdisjoint([cause.effect for cause in reading.effects]):
        from execpolicy.engine.rules.spellings import of_code

        spellings.extend(of_code(reading.canonical, reading))
    return spellings


def _possible(
    operation: Exec, spellings: "list[tuple[Word, ...]]", snapshot: Snapshot
) -> "Iterator[Match]":
    """A dynamic word never matches a token, but it may turn out to be one that a rule refuses."""
    rules = {id(r): r for r in snapshot.policy.could_tighten(spellings)}
    for rule in rules.values():
        pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
        why = f"may be `{pattern}`, for which a rule says {rule.decision.word}"
        yield Match(Source.READER, Decision.PROMPT, why, rule.origin, argv=operation.argv)


def _opaque(operation: Opaque, number: int, scene: Scene) -> Match:
    inside = None
    if operation.sourced:
        words = tuple(operation.text.split())
        if _is_sourced_code(words, number + 1, scene):
            inside = scene.snapshot.defaults.confined("execute", (PROJECT,))
        if not scene.snapshot.policy.silent((words,)):
            from execpolicy.engine.rules.grants import sourced

            allowed = sourced(operation, number, scene)
            if allowed is not None:
                return allowed
    why = f"`{printable(operation.text, 60)}`: {operation.why}"
    return Match(Source.READER, Decision.PROMPT, why, confined=inside)


def _is_sourced_code(words: tuple[str, ...], number: int, scene: Scene) -> bool:
    """Whether a step is the `source` of these words, of a file that has a place.

    What it may do to the commands after it, in the sandbox it may do by itself.
    """
    step = scene.steps[number] if number < len(scene.steps) else None
    if step is None or step.reading is None or not isinstance(step.operation, Exec):
        return False
    return step.operation.argv == words and all(c.is_code for c in step.reading.effects)


def _other(operation: Operation, number: int, scene: Scene) -> "Iterator[Match]":
    """Matches of an operation that is no command."""
    if isinstance(operation, Opaque):
        yield _opaque(operation, number, scene)
    elif isinstance(operation, Assign):
        from execpolicy.engine.assignments import assigned

        yield from assigned(operation, scene.snapshot)
    elif isinstance(operation, Connect):
        yield from _connected(operation, scene.snapshot)


def _connected(operation: Connect, snapshot: Snapshot) -> "Iterator[Match]":
    """Matches of a host that the shell reaches, or a tool of a host."""
    from execpolicy.engine.paths.subjects import allowing_hosts, by_network, connected

    hosts, _ = connected(operation, snapshot)
    yield from hosts
    rules = allowing_hosts(operation, snapshot)
    yield from (by_network(rule) for rule in rules)
    if hosts or rules:
        return
    host = operation.host if isinstance(operation.host, str) else operation.host.source
    yield Match(
        Source.CATALOGUE,
        snapshot.defaults.decide("network"),
        f"connects to `{printable(host, 60)}`",
        effects=("network",),
        posture=snapshot.defaults.layer("network"),
    )


def _access(operation: Access, number: int, scene: Scene) -> "Iterator[Match]":
    """Matches of a path that the shell opens, or a tool of a host."""
    from execpolicy.engine.paths.subjects import accessed

    defaults = scene.snapshot.defaults
    matches, lifted, places = accessed(operation, number, scene)
    yield from matches
    if lifted or any(m.source is Source.RULE for m in matches):
        return
    path = operation.path if isinstance(operation.path, str) else operation.path.source
    effect = removal(operation, number, scene) if operation.mode == "remove" else operation.mode
    counted = () if operation.extent == "names" else places
    yield Match(
        Source.CATALOGUE,
        defaults.decide(effect, counted),
        f"{operation.mode}s `{printable(path, 60)}`",
        effects=(effect,),
        places=places,
        posture=defaults.layer(effect, counted),
        confined=confined(effect, counted, operation, defaults),
    )
