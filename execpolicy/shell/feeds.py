"""What a `read` in a pipeline takes its lines from, and where its variable is still known.

`a | while read -r x; do …; done`: whatever shell runs it, `x` holds a line of what `a` prints from
the `read` to the end of that part of the pipeline.
"""

from execpolicy.shell.chars import names
from execpolicy.shell.descriptors import is_input
from execpolicy.shell.events import Command, Event, Files, Word

_LOOP = "while"
_DEAF = names("echo printf test [ : true false continue break")
"""Builtins that leave their input alone."""


def takes_lines(command: Command) -> bool:
    """Whether this is `read -r name…`, with or without `IFS=`."""
    texts = [word.text if isinstance(word, Word) else None for word in command.words]
    if texts[:2] != ["read", "-r"] or len(texts) < 3 or command.redirects:
        return False
    if any(text is None or text[:1] == "-" for text in texts[2:]):
        return False
    return all(s.name == "IFS" and _is_empty(s.value) for s in command.settings)


def _is_empty(value: Word | None) -> bool:
    return value is None or value.text == ""


def begins_loop(command: Command, text: str) -> bool:
    """Whether the command runs before all else in a `while`."""
    return text[: command.start].rstrip(" \t").endswith(_LOOP)


def reaches(reader: Command, place: int, events: list[Event]) -> bool:
    """Whether what stands at `place` runs behind the `read`, in the same part of its pipeline."""
    around = [e for e in events if isinstance(e, Command) and e.start <= place <= e.end]
    if place < reader.end or not around:
        return False
    return _beside(max(around, key=lambda e: e.start), reader)


def _beside(command: Command, reader: Command) -> bool:
    context, fed = command.context, reader.context.fed
    size = len(fed)
    if context.function is not None or reader.context.function is not None:
        return False
    inner = context.fed[size:]
    return context.fed[:size] == fed and all(c and c.start >= reader.end for c in inner)


def is_undisturbed(reader: Command, events: list[Event]) -> bool:
    """Whether the `read` certainly reads from the pipeline."""
    for event in events:
        if isinstance(event, Files) and event.context.fed == reader.context.fed:
            if any(is_input(redirect) for redirect in event.redirects):
                return False
        elif isinstance(event, Command) and event.redirects and event.words:
            first = event.words[0]
            if not isinstance(first, Word) or first.text in (None, "exec", "command", "builtin"):
                return False
    return True


def is_alone(reader: Command, events: list[Event]) -> bool:
    """Whether nothing else takes a part of the lines, so that a later one begins in its middle."""
    size = len(reader.context.fed)
    for event in events:
        if not isinstance(event, Command) or event is reader or not event.words:
            continue
        own = len(event.context.fed) > size or any(map(is_input, event.redirects))
        first = event.words[0]
        deaf = isinstance(first, Word) and first.text in _DEAF
        if not (own or deaf) and event.context.fed[:size] == reader.context.fed:
            return False
    return True
