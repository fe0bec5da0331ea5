"""What is said about one operation: by rules, else by the catalogue, and by the reader itself."""

from _collections_abc import Iterator, Mapping

from execpolicy.catalogue import Cause, Reading, read
from execpolicy.engine.catalogued import by_effects, confined, in_surroundings, opening, undone
from execpolicy.engine.rules.rules import OuterRule, Weighed, by_rule, uncovered
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import (
    MCP,
    Access,
    Assign,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Word,
)
from execpolicy.model.program import UNSEEN
from execpolicy.model.rule import BASES, PROJECT, PrefixRule
from execpolicy.model.verdict import JudgedOperation, Match, Source
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import startup
from execpolicy.support.record import Value


def match(
    step: ExpandedOperation, number: int, scene: Scene, outer_rule: OuterRule | None
) -> tuple[JudgedOperation, tuple[PrefixRule, ...]]:
    """An operation with all its matches, and the allow rules whose words are those of its command:
    these may reach into the commands inside it."""
    operation = step.operation
    if step.outer is not None:
        scene = scene.at(number)
    if isinstance(operation, Exec) and step.reading is not None:
        return _exec(RequestCommand(operation, step.reading, number, scene), outer_rule)
    if isinstance(operation, Access):
        bases = scene.overlays.of(operation, number).bases
        place = max((base.place for base in bases), key=BASES.index)
        matches = tuple(_access(operation, number, scene))
        return JudgedOperation(operation, matches, place), ()
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
_NOTHING = Weighed((), (), ())


class Subjects(Value):
    """What is said about the files, hosts and variables that a command names.

    `allowed` are the numbers of the effects that an allow rule for one of them lets happen,
    `places` the classes of the paths by the number of the effect.
    """

    matches: tuple[Match, ...]
    allowed: frozenset[int]
    places: "Mapping[int, tuple[str, ...]]"


_NO_SUBJECTS = Subjects((), frozenset(), {})


def _exec(
    command: RequestCommand, outer_rule: OuterRule | None
) -> tuple[JudgedOperation, tuple[PrefixRule, ...]]:
    """All matches of a command, and the allow rules that hold for it."""
    shadowing = command.scene.planted(command.operation.argv[0])
    command = in_surroundings(command, shadowing)
    if shadowing is not None and outer_rule is not None:
        from execpolicy.engine.rules.environments import outer_rules

        outer_rule = outer_rules(outer_rule, command, shadowing)
    spellings = _spellings(command.operation.argv, command.reading, command.scene.snapshot)
    met = _rules_met(command, spellings, shadowing)
    weighed = _weighed(met, outer_rule, command)
    matches = [by_rule(rule, command.operation.argv) for rule in weighed.tight]
    matches += _beside(command, spellings, weighed.numbers)
    matches += weighed.matches
    if weighed.allowing:
        matches += _allowed(weighed.allowing, command)
    subjects = _subjects(command)
    matches += subjects.matches
    matches += _secrets(command, weighed.naming)
    if not (weighed.allowing or weighed.tight):
        if outer_rule is not None and outer_rule.match is not None:
            matches.append(outer_rule.match)
        else:
            answered = subjects.allowed | weighed.numbers
            effects = by_effects(command, answered, subjects.places)
            matches += _lowered(effects, met.confined, command) if met.confined else effects
    if not [m for m in matches if m.decision]:
        matches += _unnamed(command)
    return JudgedOperation(command.operation, tuple(matches)), met.allowing


def _rules_met(
    command: RequestCommand, spellings: "list[tuple[Word, ...]]", shadowing: str | None
) -> RulesMet:
    """The rules that begin like a command.

    Where PATH finds a program of the project in its place, `shadowing`, only those allow it that
    mean code of the project.
    """
    policy = command.scene.snapshot.policy
    if policy.matches_none(spellings):
        return _NO_RULES
    tightening = policy.tightening(spellings)
    argv = command.operation.argv
    allowing = policy.allowing(argv, spellings)
    confined = policy.allowing(argv, spellings, confined=True)
    if shadowing is not None and (allowing or confined):
        from execpolicy.engine.rules.environments import of_project

        allowing = of_project(allowing, command, shadowing)
        confined = of_project(confined, command, shadowing)
    return RulesMet(tightening, _in_place(allowing, command), _in_place(confined, command))


def _weighed(met: RulesMet, outer_rule: OuterRule | None, command: RequestCommand) -> Weighed:
    """What is left of the rules by their conditions; all of them where none has any."""
    limited = outer_rule.limited if outer_rule is not None else ()
    if met is _NO_RULES and not limited:
        return _NOTHING
    rules = (*met.tightening, *met.allowing)
    if not (limited or [rule for rule in rules if rule.conditions]):
        return Weighed(met.tightening, met.allowing, met.allowing)
    from execpolicy.engine.rules.grants import weigh

    return weigh(met.tightening, met.allowing, limited, command)


def _allowed(rules: tuple[PrefixRule, ...], command: RequestCommand) -> "Iterator[Match]":
    """What allow rules say, and what none of them means."""
    yield from (by_rule(rule, command.operation.argv) for rule in rules)
    words_named = max(len(rule.pattern) for rule in rules)
    yield from uncovered(command, words_named)


def _lowered(
    effects: list[Match], rules: tuple[PrefixRule, ...], command: RequestCommand
) -> list[Match]:
    """What the catalogue says, allowed in the sandbox where a rule for it says so."""
    from execpolicy.engine.rules.confining import lowered

    return lowered(rules, command, effects)


def _unnamed(command: RequestCommand) -> "Iterator[Match]":
    """What is laid over the directory where a command may change files that it does not name."""
    changing = [cause for cause in command.reading.effects if cause.effect != "read"]
    if any(map(_names_no_file, changing)) and command.scene.is_kept(command.number):
        from execpolicy.engine.paths.subjects import unnamed

        yield from unnamed(command)


def _names_no_file(cause: Cause) -> bool:
    """Whether what does more than read may change files that it does not name."""
    return cause.is_code or not isinstance(cause.subject, Access)


def _beside(
    command: RequestCommand, spellings: "list[tuple[Word, ...]]", lifted: frozenset[int]
) -> "Iterator[Match]":
    """What asks whatever rules allow: variables that are set, words that may be refused ones.

    `lifted`: the numbers of the effects that rules with conditions allow.
    """
    operation, scene = command.operation, command.scene
    snapshot = scene.snapshot
    if operation.env:
        from execpolicy.engine.assignments import environment

        yield from environment(command, lifted)
    if scene.steering:
        from execpolicy.engine.assignments import inherited

        yield from inherited(operation, scene.steering, snapshot)
    computed = not _LITERAL.issuperset(map(type, operation.argv))
    if computed:
        yield from _possible(operation, spellings, snapshot)
    if (computed or isinstance(operation.stdin, Dynamic)) and scene.secrets:
        from execpolicy.engine.paths.subjects import printed

        yield from printed(command)


def _in_place(rules: tuple[PrefixRule, ...], command: RequestCommand) -> tuple[PrefixRule, ...]:
    """The allow rules that hold where the command runs.

    A program of the project, or one that runs code of it, is meant in the session's root.
    """
    where, number = command.scene.where, command.number
    if not rules or not _is_bound(command) or where.in_root(number):
        return rules
    if where.in_root(number, below=True):
        return tuple(rule for rule in rules if rule.below)
    return ()


def _is_bound(command: RequestCommand) -> bool:
    """Whether what this runs depends on the directory: a relative program, code of the project."""
    name = command.operation.argv[0]
    if isinstance(name, str) and "/" in name and name[:1] not in ("/", "~"):
        return True
    return any(cause.effect == "execute" for cause in command.reading.effects)


def _names_secret(rule: PrefixRule, reading: Reading) -> bool:
    """Whether an allow rule names the very call that shows a secret, down to the option."""
    words = [token for tokens in rule.pattern for token in tokens]
    if len(rule.pattern) < len(reading.path):
        return False
    return all(c.is_inherent or c.by.is_named_by(words) for c in reading.secrets)


def _secrets(command: RequestCommand, allowing: tuple[PrefixRule, ...]) -> list[Match]:
    """A program that shows a secret which it keeps itself, or gets from elsewhere."""
    reading, defaults = command.reading, command.scene.snapshot.defaults
    shown = reading.secrets
    if not shown or any(_names_secret(rule, reading) for rule in allowing):
        return []
    decision = max(Decision.PROMPT, defaults.decide("read", ("credentials",)))
    return [
        Match(
            Source.PLACE,
            decision,
            f"shows a secret ({cause.why})" if cause.why else "shows a secret",
            reading.origin,
            effects=("read",),
            argv=command.operation.argv,
            places=("credentials",),
        )
        for cause in shown
    ]


def _subjects(command: RequestCommand) -> Subjects:
    """What is said about the files, hosts and variables that a command names."""
    effects = command.reading.effects
    touching = [(at, c.subject) for at, c in enumerate(effects) if c.subject is not None]
    if not touching:
        return _NO_SUBJECTS
    startup.ahead("paths")
    from execpolicy.engine.paths.subjects import accessed, connected, shown

    matches: list[Match] = []
    allowed: list[int] = []
    places: dict[int, tuple[str, ...]] = {}
    for at, subject in touching:
        if isinstance(subject, Access):
            ruled = accessed(subject, command.number, command.scene)
            places[at] = ruled.places
        elif isinstance(subject, Connect):
            ruled = connected(subject, command.scene.snapshot)
        else:
            ruled = shown(subject, command.operation, command.number, command.scene)
        matches += ruled.matches
        if ruled.allowed:
            allowed.append(at)
    return Subjects(tuple(matches), frozenset(allowed), places)


_LITERAL = frozenset((str,))


def _spellings(
    argv: tuple[Word, ...], reading: Reading, snapshot: Snapshot
) -> "list[tuple[Word, ...]]":
    """The words as written, and all looser ways to see the same command: the program of some path
    may be the one of that name, whose entry says which options stand in front of a subcommand."""
    spellings = [argv] if argv == reading.canonical else [argv, reading.canonical]
    for one in tuple(spellings):
        name = one[0] if one else ""
        if type(name) is str and "/" in name:
            bare = (name.rpartition("/")[2], *one[1:])
            spellings.append(bare)
            canonical = read(bare, snapshot.catalogue).canonical
            if canonical != bare:
                spellings.append(canonical)
    if argv[1:] and not UNSEEN.isdisjoint([cause.effect for cause in reading.effects]):
        from execpolicy.engine.rules.spellings import of_code

        spellings.extend(of_code(reading.canonical, reading))
    program = argv[0]
    if type(program) is str and program[:5] == MCP:
        from execpolicy.engine.rules.spellings import of_server

        spellings.extend(of_server(argv))
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
    command = _sourcing(number + 1, scene) if operation.sourced else None
    if command is not None:
        if all(c.is_code for c in command.reading.effects):
            # What it may do to the commands after it, in the sandbox it may do by itself.
            inside = scene.snapshot.defaults.confined("execute", (PROJECT,))
        if not scene.snapshot.policy.matches_none((command.operation.argv,)):
            from execpolicy.engine.rules.grants import sourced

            allowed = sourced(command)
            if allowed is not None:
                return allowed
    why = f"`{printable(operation.text, 60)}`: {operation.why}"
    return Match(Source.READER, Decision.PROMPT, why, confined=inside)


def _sourcing(number: int, scene: Scene) -> RequestCommand | None:
    """The `source` at a step, if it is that of a literal file and nothing more."""
    step = scene.steps[number] if number < len(scene.steps) else None
    if step is None or step.reading is None or not isinstance(step.operation, Exec):
        return None
    operation = step.operation
    literal = _LITERAL.issuperset(map(type, operation.argv))
    literal = literal and not operation.env and operation.stdin is None
    return RequestCommand(operation, step.reading, number, scene) if literal else None


def _other(operation: Operation, number: int, scene: Scene) -> "Iterator[Match]":
    """Matches of an operation that is not a command."""
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

    hosts = connected(operation, snapshot).matches
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
    ruled = accessed(operation, number, scene)
    yield from ruled.matches
    if ruled.allowed or any(m.source is Source.RULE for m in ruled.matches):
        return
    path = operation.path if isinstance(operation.path, str) else operation.path.source
    effect = opening(operation, number, scene)
    counted = () if operation.extent == "names" else ruled.places
    inside, undo = confined(effect, counted, operation, defaults), False
    if effect == "destroy" and inside is Decision.PROMPT:
        inside = undone(operation, counted, number, scene)
        undo = inside is not Decision.PROMPT
    yield Match(
        Source.CATALOGUE,
        defaults.decide(effect, counted),
        f"{operation.mode}s `{printable(path, 60)}`",
        effects=(effect,),
        places=ruled.places,
        posture=defaults.layer(effect, counted),
        confined=inside,
        undo=undo,
    )
