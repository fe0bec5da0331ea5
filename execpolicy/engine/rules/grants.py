"""What rules with conditions say about one command: whether one applies, what another lifts.

An allow rule with conditions answers for the effects it names, in its places, at its hosts; of the
others the posture decides, as if no rule matched. A rule that tightens applies only where the
command, with all that runs inside it, has such an effect and such an option.
"""

from _collections_abc import Iterable, Iterator, Sequence

from execpolicy.catalogue import Cause
from execpolicy.catalogue.conditions.given import Holds, gives, texts_of
from execpolicy.catalogue.conditions.granted import (
    REACHING,
    has,
    lifts_effect,
    lifts_host,
    named_hosts,
    names,
)
from execpolicy.catalogue.conditions.open_tail import exceeds
from execpolicy.catalogue.reading.cause import CommandPart
from execpolicy.engine.rules.input import covers
from execpolicy.engine.rules.rules import Weighed, by_rule, carried_out, named
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.decision import Decision
from execpolicy.model.operation import (
    MODE_EFFECTS,
    Access,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Variable,
    show,
)
from execpolicy.model.rule import CONFIGURED, EVERY_REMOTE, IN_PLACE, Conditions, PrefixRule
from execpolicy.model.verdict import Match, Source
from execpolicy.support.record import Value


class Grant(Value):
    """What an allow rule with conditions lifts: the effects by their numbers."""

    rule: PrefixRule
    numbers: frozenset[int]
    effects: tuple[str, ...]


def weigh(
    tight: tuple[PrefixRule, ...],
    held: tuple[PrefixRule, ...],
    covering: "Sequence[tuple[PrefixRule, tuple[str, ...]]]",
    command: RequestCommand,
) -> Weighed:
    """What the rules whose words match say about a command.

    `held` are allow rules for its words, `covering` those on the command around it.
    """
    argv = command.operation.argv
    asking, asked = _tightening([r for r in tight if r.conditions], command)
    own = [(rule, named(rule, argv)) for rule in held if rule.conditions]
    found = grants((*own, *covering), command)
    allowing = tuple(rule for rule in held if not rule.conditions)
    matches = [*asking, *(by_rule(g.rule, argv, g.effects) for g in found)]
    if REACHING.intersection(e for grant in found for e in grant.effects):
        matches += carried_out(command.operation)
    return Weighed(
        tuple(rule for rule in tight if not rule.conditions),
        allowing,
        (*allowing, *(grant.rule for grant in found if "read" in grant.effects)),
        tuple(matches),
        asked.union(*(grant.numbers for grant in found)),
    )


def _tightening(
    rules: "Sequence[PrefixRule]", command: RequestCommand
) -> "tuple[list[Match], frozenset[int]]":
    """What tightening rules with conditions say, and which effects need no other answer."""
    said: list[Match] = []
    asked = set[int]()
    defaults = command.scene.snapshot.defaults
    for rule in rules:
        found = applies(rule, command)
        wanted = rule.conditions.effects if rule.conditions else ()
        if found is Holds.YES:
            said.append(by_rule(rule, command.operation.argv))
            for number, cause in enumerate(command.reading.effects):
                if names(wanted, cause.effect) and rule.decision >= defaults.decide(cause.effect):
                    asked.add(number)
        elif found:
            said.append(_perhaps(rule, command.operation))
    return said, frozenset(asked)


def _perhaps(rule: PrefixRule, operation: Exec) -> Match:
    pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
    conditions = rule.conditions or Conditions()
    what = " or ".join(f"`{name}`" for name in (conditions.options or conditions.effects))
    why = f"may be `{pattern}` with {what}, for which a rule says {rule.decision.word}"
    return Match(Source.READER, Decision.PROMPT, why, rule.origin, argv=operation.argv)


def applies(rule: PrefixRule, command: RequestCommand) -> Holds:
    """Whether a tightening rule whose words match applies to the command."""
    wanted = rule.conditions
    if wanted is None:
        return Holds.YES
    found = Holds.YES
    if wanted.effects:
        found = has(wanted.effects, _all_causes(command))
    if wanted.options and found:
        catalogue = command.scene.snapshot.catalogue
        found = min(found, gives(_bare(command.operation), wanted.options, catalogue))
    return found


def _bare(operation: Exec) -> "tuple[str | Dynamic, ...]":
    """The words with the program's name alone."""
    name = operation.argv[0]
    return (
        (name.rpartition("/")[2], *operation.argv[1:]) if isinstance(name, str) else operation.argv
    )


def _all_causes(command: RequestCommand) -> "Iterator[Cause]":
    """The effects of the command and of all that runs inside it."""
    yield from command.reading.effects
    inside = {command.number}
    steps = command.scene.steps
    for number in range(command.number + 1, len(steps)):
        step = steps[number]
        if step.outer in inside:
            inside.add(number)
            if step.reading is not None:
                yield from step.reading.effects
            else:
                yield from _of_operation(step.operation)


def _of_operation(operation: Operation) -> "Iterator[Cause]":
    if isinstance(operation, Access):
        yield Cause(MODE_EFFECTS[operation.mode], "")
    elif isinstance(operation, Connect):
        yield Cause("network", "")
    elif isinstance(operation, Opaque):
        yield Cause("unknown", operation.why)


def grants(
    rules: "Iterable[tuple[PrefixRule, tuple[str, ...]]]", command: RequestCommand
) -> tuple[Grant, ...]:
    """What each of the allow rules lifts, those that lift nothing left out.

    Each rule comes with the words that it names.
    """
    found = []
    places = Happening(command)
    for rule, words in rules:
        if not covers(rule, command):
            continue
        causes = command.reading.effects
        numbers = [n for n, c in enumerate(causes) if _lifts(rule, c, words, command, places)]
        if numbers:
            effects = tuple(dict.fromkeys(causes[n].effect for n in numbers))
            found.append(Grant(rule, frozenset(numbers), effects))
    return tuple(found)


def _lifts(
    rule: PrefixRule,
    cause: Cause,
    words: tuple[str, ...],
    command: RequestCommand,
    places: "Happening",
) -> bool:
    causes = command.reading.effects
    wanted = rule.conditions
    if not lifts_effect(rule, cause.effect) or wanted is None:
        return False
    told = cause.by.part is CommandPart.STDIN and bool(wanted.stdin)
    if cause.effect not in wanted.effects and not told and exceeds(cause, causes, words):
        return False
    if wanted.places and _runs_the_unknown(cause) and not cause.by.is_named_by(words):
        return False
    rest = command.operation.argv[len(rule.pattern) :]
    if wanted.places and cause.effect == "execute" and rest:
        from execpolicy.catalogue.kinds.listening import listens

        if listens(rest):
            return False
    if cause.effect in REACHING:
        argv = command.operation.argv
        held = lifts_host(
            *(rule, cause, causes, argv, command.scene.snapshot.catalogue, words),
            lambda: _configured(command),
            lambda: _is_usual(command, words),
        )
        away = CONFIGURED in wanted.hosts and not rule.exact and not named_hosts(causes)
        away = away or (rule.exact and _is_moved(command))
        held = held and not (wanted.only_gets and not rule.exact and _may_tell(command))
        return held and (not away or places.here.issubset(IN_PLACE))
    return not wanted.places or places.of(cause).issubset(wanted.places)


def _may_tell(command: RequestCommand) -> bool:
    """Whether an address, or what goes with it, may hold what was read before: a word is computed,
    or an address names a user (`https://user:password@host`)."""
    words = command.operation.argv
    if any(isinstance(word, Dynamic) for word in words):
        return True
    return any("@" in show(w).partition("://")[2].partition("/")[0] for w in words)


def _is_moved(command: RequestCommand) -> bool:
    """Whether a command may run in another directory than the request: the same words send another
    file from there (`env -C / scp x host:`)."""
    where = command.scene.where
    return any(path != where.cwd for path in where.of(command.number) or ("",))


def _runs_the_unknown(cause: Cause) -> bool:
    """Whether a word has something run of which no place is known: a package, a command."""
    return cause.effect == "execute" and not cause.is_inherent and not cause.is_code


def _configured(command: RequestCommand) -> str | None:
    from execpolicy.engine.rules.remotes import configured_host

    return configured_host(command)


def _is_usual(command: RequestCommand, words: tuple[str, ...]) -> bool:
    """Whether no remote is written but those that a rule names, or that are meant without it."""
    written = frozenset(command.reading.remotes).difference(words)
    if not written and EVERY_REMOTE.isdisjoint(command.operation.argv):
        return True
    from execpolicy.engine.rules.remotes import is_usual

    return is_usual(written, command)


class Happening:
    """The base classes where the effects of a command happen."""

    __slots__ = ("_command", "_here")

    def __init__(self, command: RequestCommand) -> None:
        self._command = command
        self._here: frozenset[str] | None = None

    def of(self, cause: Cause) -> frozenset[str]:
        """Where an effect happens. One that names no path happens in the working directory, and
        wherever a word may lead."""
        if isinstance(cause.subject, Access):
            found = self._bases(cause.subject)
            wide = cause.is_code or cause.subject.extent in _WIDE  # its words may lead elsewhere
            return found | self.here if wide else found
        return frozenset() if isinstance(cause.subject, Variable) else self.here

    @property
    def here(self) -> frozenset[str]:
        """The working directory, and wherever a word may lead."""
        if self._here is None:
            self._here = frozenset().union(*map(self._bases, self._looked_at()))
        return self._here

    def _bases(self, access: Access) -> frozenset[str]:
        overlays = self._command.scene.overlays
        touched = overlays.of(access, self._command.number)
        return frozenset(base.place for base in touched.bases)

    def _looked_at(self) -> "Iterator[Access]":
        yield Access(".", "read", extent="names")
        command = self._command
        runs = any(cause.effect == "execute" for cause in command.reading.effects)
        texts = () if runs else texts_of(_bare(command.operation), command.scene.snapshot.catalogue)
        for word in self._command.operation.argv[1:]:
            if isinstance(word, Dynamic):
                if word not in texts:
                    yield Access(word, "read", extent="names")
            else:
                yield from (Access(p, "read", extent="names") for p in may_be_paths(word))


def may_be_paths(word: str) -> "Iterator[str]":
    """The parts of a word that a program may take for a path elsewhere.

    >>> [*may_be_paths("--mount=type=bind,src=/etc")], [*may_be_paths("-I../x")]
    (['/etc'], ['../x'])
    >>> [*may_be_paths("https://example.com/a")], [*may_be_paths("feat: add x")]
    ([], [])
    """
    if "://" in word and not word.lower().partition("://")[0].endswith("file"):
        return
    for part in word.translate(_SEPARATORS).split("\0"):
        if part[:1] == "-":
            part = part[2:]
        if "/" in part or part in ("..", "~"):
            yield part
        elif part == word and part:
            yield part  # a link may lead elsewhere


_WIDE = frozenset(("entry", "repository"))
_SEPARATORS = str.maketrans(dict.fromkeys("=:,;@ ", "\0"))


def sourced(command: RequestCommand) -> Match | None:
    """What an allow rule says that names the very file which a shell reads commands from.

    Only a rule that is exact and names `execute` means the file's content, whatever that then is,
    in the session's root.
    """
    scene, argv = command.scene, command.operation.argv
    words = [word for word in argv if isinstance(word, str)]
    if not scene.where.in_root(command.number):
        return None
    rules = [r for r in scene.snapshot.policy.allowing(argv, (argv,)) if r.exact and r.conditions]
    for grant in grants([(rule, tuple(words)) for rule in rules], command):
        wanted = grant.rule.conditions
        if wanted is not None and "execute" in wanted.effects:
            return by_rule(grant.rule, argv, grant.effects)
    return None
