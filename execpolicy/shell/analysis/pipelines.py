"""What a `read` in a pipeline takes its lines from, and where its variable is still known.

`a | while read -r x; do …; done`: whatever shell runs it, `x` holds a line of what `a` prints from
the `read` to the end of that part of the pipeline.
"""

from execpolicy.shell.analysis.descriptors import is_input
from execpolicy.shell.chars import names
from execpolicy.shell.syntax.tree import (
    QUOTED,
    QUOTED_VARIABLE,
    VALUE,
    VARIABLE,
    CompoundRedirects,
    Event,
    SimpleCommand,
    Substitution,
    Word,
)
from execpolicy.support.resources import words_of

IGNORE_INPUT = names(
    "echo printf test [ : true false continue break cd declare exit export let local pwd return "
    "set shift unset"
)
"""Builtins of every shell that leave their input alone."""
_INPUTS = ("/dev/stdin", "/dev/fd", "/proc")
"""What names the input of a command, as `-` does."""
_VARIABLES = (VARIABLE, QUOTED_VARIABLE)


def takes_lines(command: SimpleCommand) -> bool:
    """Whether this is `read name…` or `read -r name…`, with or without `IFS=`."""
    texts = [word.text if isinstance(word, Word) else None for word in command.words]
    variables = texts[2:] if is_raw(command) else texts[1:]
    if texts[:1] != ["read"] or not variables or command.redirects:
        return False
    if any(text is None or text[:1] == "-" for text in variables):
        return False
    return all(s.name == "IFS" and _is_empty(s.value) for s in command.assignments)


def is_raw(command: SimpleCommand) -> bool:
    """Whether this `read` leaves backslashes as they are."""
    return [w.text for w in command.words[1:2] if isinstance(w, Word)] == ["-r"]


def _is_empty(value: Word | None) -> bool:
    return value is None or value.text == ""


def reaches(reader: SimpleCommand, place: int, events: list[Event]) -> bool:
    """Whether what stands at `place` runs after the `read`, in the same part of its pipeline."""
    around = [e for e in events if isinstance(e, SimpleCommand) and e.start <= place <= e.end]
    if place < reader.end or not around:
        return False
    return _beside(max(around, key=lambda e: e.start), reader)


def _beside(command: SimpleCommand, reader: SimpleCommand) -> bool:
    context, fed = command.context, reader.context.fed
    size = len(fed)
    if context.function is not None or reader.context.function is not None:
        return False
    inner = context.fed[size:]
    return context.fed[:size] == fed and all(c and c.start >= reader.end for c in inner)


def source(reader: SimpleCommand, events: list[Event]) -> list[Event] | None:
    """The events of `names` in `while read …; do …; done < <(names)`, where nothing else is fed."""
    loop = reader.fed
    redirected = (e for e in events if isinstance(e, CompoundRedirects))
    fed = [each for each in redirected if any(map(is_input, each.redirects))]
    if loop is None or fed != [loop] or len(loop.redirects) != 1 or len(loop.inside) != 2:
        return None
    (redirect,), (_, names) = loop.redirects, loop.inside
    if redirect.operator != "<" or not isinstance(names, Substitution) or names.via != "<(…)":
        return None
    kinds = [part.kind for part in redirect.target.parts]
    return events[names.first : names.last] if kinds == [QUOTED, VALUE] else None


def is_undisturbed(reader: SimpleCommand, events: list[Event]) -> bool:
    """Whether the `read` certainly reads from the pipeline."""
    compounds = [event for event in events if isinstance(event, CompoundRedirects)]
    beside = [event for event in compounds if event.context.fed == reader.context.fed]
    fed = any(is_input(redirect) for event in beside for redirect in event.redirects)
    return not fed and not any(map(may_redirect, events))


def may_redirect(event: Event) -> bool:
    """Whether this may be an `exec` that gives all later commands another input."""
    if not isinstance(event, SimpleCommand) or not event.redirects or not event.words:
        return False
    first = event.words[0]
    return not isinstance(first, Word) or first.text in (None, "exec", "command", "builtin")


def is_read_whole(reader: SimpleCommand, events: list[Event]) -> bool:
    """Whether no command beside the `read` takes a part of a line: the next one begins in it.

    A command that is given the variable reads the file that it names, and not the lines.
    """
    size, name = len(reader.context.fed), _last_text(reader)
    end = max((event.end for event in events), default=0) if size else _loop_end(events)
    for event in events:
        if not isinstance(event, SimpleCommand) or event is reader or not event.words:
            continue
        own = len(event.context.fed) > size or any(map(is_input, event.redirects))
        beside = event.context.fed[:size] == reader.context.fed
        if own or not beside or not reader.end <= event.start < end:
            continue
        first = event.words[0]
        texts = [word.text for word in event.words if isinstance(word, Word)]
        if isinstance(first, Word) and _leaves_input(first.text):
            continue
        given = any(_is_variable(word, name) for word in event.words)
        if not given or any(t == "-" or (t or "").startswith(_INPUTS) for t in texts):
            return False
    return True


def _leaves_input(name: str | None) -> bool:
    """Whether a command leaves its input alone."""
    return name in IGNORE_INPUT or name in words_of("commands")["unread"]


def _loop_end(events: list[Event]) -> int:
    """Where the input of the one loop is named, after all that is in it."""
    redirected = (event.redirects for event in events if isinstance(event, CompoundRedirects))
    return min((r.start for redirects in redirected for r in redirects if is_input(r)), default=0)


def _last_text(reader: SimpleCommand) -> str | None:
    last = reader.words[-1]
    return last.text if isinstance(last, Word) else None


def _is_variable(word: object, name: str | None) -> bool:
    """Whether a word is this variable and no more."""
    parts = word.parts if isinstance(word, Word) else []
    return len(parts) == 1 and parts[0].kind in _VARIABLES and parts[0].text == name


def is_alone(reader: SimpleCommand, events: list[Event]) -> bool:
    """Whether nothing else takes a part of the lines, so that a later one begins in its middle."""
    size = len(reader.context.fed)
    for event in events:
        if not isinstance(event, SimpleCommand) or event is reader or not event.words:
            continue
        own = len(event.context.fed) > size or any(map(is_input, event.redirects))
        first = event.words[0]
        leaves = isinstance(first, Word) and first.text in IGNORE_INPUT
        if not (own or leaves) and event.context.fed[:size] == reader.context.fed:
            return False
    return True
