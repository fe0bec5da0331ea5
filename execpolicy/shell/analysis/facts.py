"""The facts of a text, from its events and from what was collected of them."""

from _collections_abc import Mapping, Sequence

from execpolicy.model.operation import COMMANDS, Access, Exec, Operation
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.analysis.collect import Collector
from execpolicy.shell.analysis.descriptors import HERE, is_input, mixes_messages
from execpolicy.shell.analysis.pipelines import may_redirect
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import QUOTED, CompoundRedirects, Event, SimpleCommand, Word

_NONE: frozenset[int] = frozenset()
_UNNAMED: frozenset[str] = frozenset()
_HIDING = frozenset(("<(…)", ">(…)"))
"""The ways in to commands that are the input or the output of another one by a name."""


def facts(
    collected: Collector,
    events: list[Event],
    found: "Sequence[Operation]",
    origins: "Sequence[Event]",
) -> TextFacts:
    """What holds of the operations that were `found` in `events`, each one in its origin."""
    dots = collected.variables.tainted
    returns = hides = dots or bool(collected.variables.functions)
    follows = mixes = False
    for event in events:
        context = event.context
        returns = returns or context.loop
        hides = hides or (context.via != () and _is_named(event))
        follows = follows or context.succeeded is not None
        mixes = mixes or event.mixed
    for effect in collected.effects.values():
        returns, dots = returns or effect.returns, dots or effect.dots
    for made in () if hides else found:
        hides = hides or (type(made) is Access and made.mode == "read")
    return TextFacts(
        returns,
        hides,
        collected.variables.tainted or (mixes and any(map(_diverts, events))),
        dots,
        *_words(collected.script),
        _orders(found, origins) if follows else (),
        _mixed(collected, events, origins) if mixes else _NONE,
        collected.script.discloses or any(map(_feeds, events)),
        collected.variables.tainted
        or collected.script.detaches
        or (hides and any(map(_is_named, events))),
    )


def _is_named(event: Event) -> bool:
    """Whether it is the input or the output of another command by a name: no shell waits for it."""
    return not _HIDING.isdisjoint(event.context.via)


def of_words(script: Script) -> TextFacts:
    """What holds of a text by its words alone; of what it runs nothing is known."""
    words = _words(script)
    return TextFacts(True, True, True, True, *words, discloses=script.discloses, detaches=True)


def _words(script: Script) -> "tuple[frozenset[str], frozenset[str], tuple[str, ...]]":
    """The variables whose value a text takes, those it evaluates, and what its words are."""
    words = [word.text or _value(word) for word in script.beside]
    names = frozenset([name for name in script.names if name != COMMANDS])
    return names, frozenset(script.evaluated) or _UNNAMED, tuple(words)


def _feeds(event: Event) -> bool:
    """Whether a value is fed to what is not one command: to a compound, or by a number."""
    if not isinstance(event, SimpleCommand | CompoundRedirects):
        return False
    alone = isinstance(event, SimpleCommand)
    here = [r for r in event.redirects if r.operator in HERE and not (alone and is_input(r))]
    return any(r.target.names or (r.body is not None and r.body.names) for r in here)


def _diverts(event: Event) -> bool:
    """Whether a redirection takes what is printed to another stream: all of these but `2>&1`."""
    redirects = event.redirects if isinstance(event, SimpleCommand | CompoundRedirects) else ()
    errors = (r.descriptor == "2" and r.target.text == "1" for r in redirects if mixes_messages(r))
    return not all(errors)


def _value(word: Word) -> str:
    return "".join([part.text if part.kind <= QUOTED else "$x" for part in word.parts])


def _mixed(collected: Collector, events: list[Event], origins: "Sequence[Event]") -> frozenset[int]:
    """The operations with messages among what they print: all of them where a function is called
    so, or `exec` says it for the commands after it."""
    commands = [event for event in events if isinstance(event, SimpleCommand) and event.mixed]
    if collected.variables.functions or any(map(may_redirect, commands)):
        return frozenset(range(len(origins)))
    return frozenset([n for n, event in enumerate(origins) if event.mixed])


def _orders(found: "Sequence[Operation]", origins: "Sequence[Event]") -> tuple[int, ...]:
    """For each operation the one after which it runs, and only if that ended well.

    In a text that could not be read to its end, commands may stand in another order.
    """
    commands = [
        id(event) if isinstance(made, Exec) and made.via == event.context.via else 0
        for made, event in zip(found, origins, strict=True)
    ]
    numbers = {made: number for number, made in enumerate(commands)}
    again = {made for number, made in enumerate(commands) if numbers[made] != number}
    for made in again:
        del numbers[made]
    before = [_before(event, numbers) for event in origins]
    return tuple([other if other < number else -1 for number, other in enumerate(before)])


def _before(event: Event, numbers: Mapping[int, int]) -> int:
    """The number of the command that certainly ended well before `event`; -1 where there is none,
    or where that is several commands, one for each value of a variable."""
    before = event.context.succeeded
    while before is not None:
        number = numbers.get(id(before))
        if number is not None:
            return number
        before = before.context.succeeded
    return -1
