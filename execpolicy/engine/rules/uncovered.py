"""What the open end of an allow rule does not cover."""

from execpolicy.catalogue import Reading
from execpolicy.catalogue.reading.granted import REACHING
from execpolicy.catalogue.reading.open_tail import is_beyond
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Exec, Word
from execpolicy.model.verdict import Match, Source
from execpolicy.store.snapshot import Snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def beyond(
    operation: Exec, reading: Reading, snapshot: Snapshot, words_named: int
) -> "Iterator[Match]":
    """What a rule that names the first `words_named` words does not mean.

    That is an option that makes a program run something else, and a word computed by a command,
    where that can carry data out: `ping $(cat secret).example.com`.
    """
    named = tuple(word for word in operation.argv[:words_named] if isinstance(word, str))
    for cause in reading.effects:
        if is_beyond(cause, reading.effects, named):
            why, effects = f"{cause.effect} ({cause.why})", (cause.effect,)
            decision = snapshot.defaults.decide(cause.effect)
            yield Match(
                Source.CATALOGUE,
                decision,
                why,
                reading.origin,
                effects=effects,
                argv=operation.argv,
            )
    if any(cause.effect in REACHING for cause in reading.effects):
        yield from carried_out(operation)


def carried_out(operation: Exec) -> "Iterator[Match]":
    """A refusal where a command that reaches another machine is given what a command prints."""
    if any(map(_from_a_command, operation.argv)):
        why = "sends what a command prints to the network"
        yield Match(Source.READER, Decision.PROMPT, why, argv=operation.argv)


def _from_a_command(word: Word) -> bool:
    """Whether the output of a command is part of a word."""
    return isinstance(word, Dynamic) and ("$(" in word.source or "`" in word.source)
