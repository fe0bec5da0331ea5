"""What a `read` in a pipeline takes its lines from, and where its variable is still known.

`a | while read -r x; do …; done`: whatever shell runs it, `x` holds a line of what `a` prints from
the `read` to the end of that part of the pipeline.
"""

from execpolicy.shell.analysis.descriptors import is_input
from execpolicy.shell.chars import names
from execpolicy.shell.syntax.tree import Command, CompoundRedirects, Event, Word

_LOOP, _DONE = "while", "done"
_DEAF = names("echo printf test [ : true false continue break")
"""Builtins that leave their input alone."""


def takes_lines(command: Command) -> bool:
    """Whether this is `read name…` or `read -r name…`, with or without `IFS=`."""
    texts = [word.text if isinstance(word, Word) else None for word in command.words]
    variables = texts[2:] if is_raw(command) else texts[1:]
    if texts[:1] != ["read"] or not variables or command.redirects:
        return False
    if any(text is None or text[:1] == "-" for text in variables):
        return False
    return all(s.name == "IFS" and _is_empty(s.value) for s in command.assignments)


def is_raw(command: Command) -> bool:
    """Whether this `read` leaves backslashes as they are."""
    return [w.text for w in command.words[1:2] if isinstance(w, Word)] == ["-r"]


def _is_empty(value: Word | None) -> bool:
    return value is None or value.text == ""


def begins_loop(command: Command, text: str) -> bool:
    """Whether the command runs before all else in a `while`."""
    return text[: command.start].rstrip(" \t").endswith(_LOOP)


def reaches(reader: Command, place: int, events: list[Event]) -> bool:
    """Whether what stands at `place` runs after the `read`, in the same part of its pipeline."""
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


def source(reader: Command, events: list[Event], text: str) -> list[Event] | None:
    """The events of `names` in `while read …; do …; done < <(names)`, the only loop of its text."""
    redirected = [e.redirects for e in events if isinstance(e, CompoundRedirects)]
    fed = [redirects for redirects in redirected if any(map(is_input, redirects))]
    if len(fed) != 1 or len(fed[0]) != 1 or text.count(_DONE) != 1:
        return None
    (redirect,) = fed[0]
    start, end = redirect.target.start, redirect.target.end
    if redirect.operator != "<" or text[start : start + 2] != "<(" or text[end - 1] != ")":
        return None
    if reader.end > start or not text[: redirect.start].rstrip(" \t").endswith(_DONE):
        return None
    inside = [n for n, event in enumerate(events) if start <= event.start and event.end <= end]
    return events[inside[0] : inside[-1] + 1] if inside else None


def is_undisturbed(reader: Command, events: list[Event]) -> bool:
    """Whether the `read` certainly reads from the pipeline."""
    compounds = [event for event in events if isinstance(event, CompoundRedirects)]
    beside = [event for event in compounds if event.context.fed == reader.context.fed]
    fed = any(is_input(redirect) for event in beside for redirect in event.redirects)
    return not fed and not any(map(may_redirect, events))


def may_redirect(event: Event) -> bool:
    """Whether this may be an `exec` that gives all later commands another input."""
    if not isinstance(event, Command) or not event.redirects or not event.words:
        return False
    first = event.words[0]
    return not isinstance(first, Word) or first.text in (None, "exec", "command", "builtin")


def freezes(event: Event, name: str) -> bool:
    """Whether this is a `readonly x`: a later `read x` fails, and bash goes on with the old `x`."""
    if not isinstance(event, Command):
        return False
    texts = [word.text for word in event.words if isinstance(word, Word)]
    return "readonly" in texts and (name in texts or None in texts)


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
