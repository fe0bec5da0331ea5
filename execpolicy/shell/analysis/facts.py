"""The facts of a text, from its events and from what was collected of them."""

from execpolicy.model.operation import COMMANDS, Access, Exec, Operation
from execpolicy.model.text_facts import TextFacts
from execpolicy.shell.analysis.collect import Collector
from execpolicy.shell.analysis.pipelines import may_redirect
from execpolicy.shell.syntax.state import Script
from execpolicy.shell.syntax.tree import QUOTED, Command, CompoundRedirects, Definition, Event, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HIDING = frozenset(("<(…)", ">(…)"))
"""The ways in to commands that are the input or the output of another one by a name."""


def facts(
    collected: Collector,
    events: list[Event],
    found: "Sequence[Operation]",
    origins: "Sequence[Event]",
) -> TextFacts:
    """What holds of the operations that were `found` in `events`, each one in its origin."""
    returns = hides = dots = collected.variables.tainted
    follows = mixes = False
    for event in events:
        context = event.context
        returns = returns or context.loop or context.function is not None
        hides = hides or (bool(context.via) and not _HIDING.isdisjoint(context.via))
        if isinstance(event, Definition):
            returns = hides = True
        elif isinstance(event, Command | CompoundRedirects):
            follows = follows or context.succeeded is not None
            mixes = mixes or (isinstance(event, Command) and event.mixed)
    for effect in collected.effects.values():
        returns, dots = returns or effect.returns, dots or effect.dots
    hides = hides or any(isinstance(o, Access) and o.mode == "read" for o in found)
    return of_script(collected.script).replace(
        returns=returns,
        hides_input=hides,
        dots=dots,
        after=_orders(found, origins) if follows else (),
        mixed=_mixed(collected, events, origins) if mixes else frozenset(),
    )


def of_script(script: Script) -> TextFacts:
    """What holds of a text by its words alone; of what it runs nothing is known."""
    names, evaluated = frozenset(script.names) - {COMMANDS}, frozenset(script.evaluated)
    words = [word.text if word.text is not None else _value(word) for word in script.made]
    return TextFacts(True, True, True, names, evaluated, tuple(words))


def _value(word: Word) -> str:
    return "".join([part.text if part.kind <= QUOTED else "$x" for part in word.parts])


def _mixed(collected: Collector, events: list[Event], origins: "Sequence[Event]") -> frozenset[int]:
    """The operations with messages among what they print: all of them where a function is called
    so, or `exec` says it for the commands after it."""
    commands = [event for event in events if isinstance(event, Command) and event.mixed]
    if collected.variables.functions or any(map(may_redirect, commands)):
        return frozenset(range(len(origins)))
    return frozenset([n for n, e in enumerate(origins) if isinstance(e, Command) and e.mixed])


def _orders(found: "Sequence[Operation]", origins: "Sequence[Event]") -> tuple[int, ...]:
    """For each operation the one after which it runs, and only if that ended well."""
    commands = [
        id(event) if isinstance(made, Exec) and made.via == event.context.via else 0
        for made, event in zip(found, origins, strict=True)
    ]
    return tuple([_before(event, commands) for event in origins])


def _before(event: Event, commands: list[int]) -> int:
    """The number of the command that certainly ended well before `event`; -1 where there is none,
    or where that is several commands, one for each value of a variable."""
    before = event.context.succeeded
    while before is not None:
        if commands.count(id(before)) == 1:
            return commands.index(id(before))
        before = before.context.succeeded
    return -1
