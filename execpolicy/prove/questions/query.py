"""Which commands that begin with some words may run, and do something: examples, shortest first."""

from collections.abc import Iterator

from execpolicy.catalogue import Catalogue, read
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Word
from execpolicy.prove.commands import CommandSearch, requested
from execpolicy.prove.guards import Surroundings
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.rule_table import group_of
from execpolicy.prove.side import CONFINED, DECISION, Side, decisions

MAX_INNER = 4


def passing(
    side: Side, words: tuple[str, ...], effects: tuple[str, ...], field: str = DECISION
) -> Iterator[str]:
    """Each sort of command that begins with `words`, is allowed and has one of `effects`.

    Without `effects`, whatever it does. Those of one form stand once: an option or an operand more
    that adds no other effect is no other example.
    """
    for command in sorted(_commands(side, words), key=lambda each: (len(each), str(each))):
        if effects and effects_of(command, side.catalogue).isdisjoint(effects):
            continue
        request, shown = requested(command)
        if decisions(side.judge(request))[field == CONFINED] is Decision.ALLOW:
            yield shown


def _commands(side: Side, words: tuple[str, ...]) -> Iterator[tuple[Word, ...]]:
    """The words, with all that rules name behind them, and with what the catalogue does."""
    around = Surroundings(False, True, True, True)
    search = CommandSearch((side, side), around, (DECISION,))
    begun = {words: None}
    group = group_of(words[0])
    if group in search.table.groups:
        for found in PolicyWalk(search.table, group, everything=True).classes(search.canonical):
            if found.words[: len(words)] == words:
                begun[found.words] = None
    for command in begun:
        yield command
        yield from ((*command, *tail) for tail in search.following(command))


def effects_of(words: tuple[Word, ...], catalogue: Catalogue, depth: int = 0) -> frozenset[str]:
    """The effects of a command, and of the commands inside it."""
    reading = read(words, catalogue)
    found = {cause.effect for cause in reading.effects}
    for inner in reading.inner:
        if inner.argv and depth < MAX_INNER:
            found |= effects_of(inner.argv, catalogue, depth + 1)
    return frozenset(found)
