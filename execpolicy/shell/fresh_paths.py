"""The paths that a script makes anew: `$(mktemp)` stands for a name that nothing had before.

So it is as good as a literal path of that kind in `/tmp`: no rule names it, and nothing lies there.
Where `TMPDIR` leads elsewhere, the user said that temporary files lie there.
"""

from _collections_abc import Iterable, Iterator

from execpolicy.model.place import filled, new_path
from execpolicy.shell.analysis.outputs import Outputs
from execpolicy.shell.syntax.tree import (
    QUOTED,
    AssignmentWord,
    CompoundRedirects,
    Event,
    LoopVariable,
    SimpleCommand,
    Substitution,
    Word,
    WordPart,
)

_LEADING = frozenset(("PATH", "TMPDIR"))
_LIMITS = "ulimit"
"""With too few descriptors or too little memory no program starts, and the name is empty."""


def settle(events: list[Event], outputs: Outputs, salt: bytes) -> None:
    """Put the path in the place of each substitution that makes one, in all words.

    `salt` is what no other text has, so that no two of them make the same path.
    """
    if not _may_be_known(events, outputs):
        return
    for word in _words(events):
        for at, part in enumerate(word.parts):
            made = part.substitution and _made(part.substitution, outputs, salt)
            if made:
                word.parts[at] = WordPart(QUOTED, made)


def _may_be_known(events: list[Event], outputs: Outputs) -> bool:
    """Whether the text leaves it to the program what is printed, and to the user where."""
    variables = outputs.variables
    if variables.tainted or variables.trap_output or variables.separates:
        return False
    limited = any(word.text == _LIMITS for word in _words(events))
    return _LEADING.isdisjoint(variables.bound) and not limited


def _made(substitution: Substitution, outputs: Outputs, salt: bytes) -> str | None:
    """The path that the only command of a substitution makes and prints."""
    events = outputs.events[substitution.first : substitution.last]
    command = events[0] if len(events) == 1 else None
    if not isinstance(command, SimpleCommand) or command.mixed or command.assignments:
        return None
    argv, said = outputs.output_of(command)
    if said != "fresh":
        return None
    path = new_path([word for word in argv[1:] if isinstance(word, str)])
    if path is None or not all(isinstance(word, str) for word in argv):
        return None
    from zlib import crc32

    return filled(path, f"{crc32(salt, command.start):08x}")


def _words(events: "Iterable[Event]") -> "Iterator[Word]":
    """The words of all events that have parts."""
    for event in events:
        if isinstance(event, SimpleCommand):
            for each in (*event.words, *event.assignments):
                yield from _of(each)
        elif isinstance(event, LoopVariable):
            yield from event.words or ()
        if isinstance(event, SimpleCommand | CompoundRedirects):
            yield from (redirect.target for redirect in event.redirects)


def _of(word: "Word | AssignmentWord") -> "Iterable[Word]":
    if isinstance(word, Word):
        return (word,)
    return (*(word.elements or ()), *((word.value,) if word.value else ()))
