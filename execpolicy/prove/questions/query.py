"""Which commands that begin with some words may run, and do something: examples, shortest first."""

from collections.abc import Iterator

from execpolicy.catalogue import Catalogue, read
from execpolicy.catalogue.descend import descend
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Dynamic, Word
from execpolicy.model.program import EFFECTS
from execpolicy.prove.commands import CommandSearch, requested
from execpolicy.prove.guards import Surroundings
from execpolicy.prove.policy_walk import PolicyWalk
from execpolicy.prove.rule_table import group_of
from execpolicy.prove.side import CONFINED, DECISION, Side, decisions
from execpolicy.support.record import Value

MAX_INNER = 4


class Passing(Value):
    """A command that runs without a question, as the user writes it, and its effects."""

    shown: str
    effects: tuple[str, ...]


def passing(
    side: Side, words: tuple[str, ...], effects: tuple[str, ...], field: str = DECISION
) -> Iterator[Passing]:
    """Each sort of command that begins with `words`, is allowed and has one of `effects`.

    Without `effects`, whatever it does. Those of one form stand once: another option or operand
    with the same subcommand, the same effects and the same places is no other example.
    """
    seen = set()
    for command in sorted(_commands(side, words), key=_plainest):
        done = effects_of(command, side.catalogue)
        if effects and done.isdisjoint(effects):
            continue
        request, shown = requested(command)
        verdict = side.judge(request)
        places = frozenset(place for match in verdict.matches for place in match.places)
        name = descend(tuple(w for w in command if isinstance(w, str)), side.catalogue).name
        form = name, done, places, any(isinstance(word, Dynamic) for word in command)
        if decisions(verdict)[field == CONFINED] is Decision.ALLOW and form not in seen:
            seen.add(form)
            yield Passing(shown, tuple(effect for effect in EFFECTS if effect in done))


def _plainest(command: tuple[Word, ...]) -> tuple[int, int, str]:
    return len(command), len(str(command)), str(command)


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
