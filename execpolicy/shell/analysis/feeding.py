"""Which pipeline the words of a computed value come from.

Four shapes are known: `$(a | b)`, and the variable of `for x in $(a | b)`, of
`a | b | while read -r x` and of `while read -r x; …; done < <(a | b)`. A pipeline counts only where
it is all that the value can come from; in any doubt the answer is `UNKNOWN`, and the value asks.
"""

from _collections_abc import Sequence

from execpolicy.shell.analysis import pipelines
from execpolicy.shell.analysis.outputs import Outputs, silences
from execpolicy.shell.syntax.tree import (
    QUOTED_VARIABLE,
    VARIABLE,
    Event,
    LoopVariable,
    SimpleCommand,
    Word,
    WordPart,
)

Programs = tuple[str, ...]
"""The programs of a pipeline in their order; none where it is not known."""
UNKNOWN: Programs = ()


def feeding(outputs: Outputs, parts: list[WordPart], place: int) -> Programs:
    """What prints each word that a value of these parts becomes at `place`."""
    if len(parts) != 1 or outputs.variables.separates:  # IFS is not what it is at the start
        return UNKNOWN
    part = parts[0]
    if part.kind in (VARIABLE, QUOTED_VARIABLE):
        return _of_variable(outputs, part.text, place)
    return _of_substitution(outputs, part)


def _of_substitution(outputs: Outputs, part: WordPart) -> Programs:
    found = part.substitution
    if found is None:
        return UNKNOWN
    return _of_pipeline(outputs, outputs.events[found.first : found.last])


def _of_variable(outputs: Outputs, name: str, place: int) -> Programs:
    binding = outputs.variables.only(name)
    if binding is None or not isinstance(binding.how, LoopVariable):
        return UNKNOWN
    words = binding.how.words
    if words is None:
        return _of_lines(outputs, binding.event, place)
    if len(words) != 1 or len(words[0].parts) != 1:
        return UNKNOWN
    reached = binding.how.start <= place <= binding.how.until
    return _of_substitution(outputs, words[0].parts[0]) if reached else UNKNOWN


def _of_lines(outputs: Outputs, reader: Event, place: int) -> Programs:
    """What the one variable of a `while read` takes its lines from.

    `reader` is the `read`, which must be the condition of the loop, and `place` a part of its body.
    Where the text has functions, one may be called in the loop and take lines itself.
    """
    events = outputs.events
    if not isinstance(reader, SimpleCommand) or not pipelines.takes_lines(reader):
        return UNKNOWN
    whole_line = len(reader.words) == (3 if pipelines.is_raw(reader) else 2)  # `read [-r] x`
    if not (whole_line and reader.leads and pipelines.reaches(reader, place, events)):
        return UNKNOWN
    fed = reader.context.fed
    if outputs.variables.functions or not pipelines.is_read_whole(reader, events):
        return UNKNOWN
    if not fed:  # `while read …; done < <(a | b)`, unless an `exec <` may have come in between
        replaced = any(map(pipelines.may_redirect, events))
        source = None if replaced else pipelines.source(reader, events)
        return _of_pipeline(outputs, source) if source else UNKNOWN
    return _names(outputs, fed) if pipelines.is_undisturbed(reader, events) else UNKNOWN


def _of_pipeline(outputs: Outputs, events: "Sequence[Event]") -> Programs:
    """The programs, where these events are one pipeline and nothing else.

    The last command knows those that feed it, with those that feed all of the substitution.
    """
    last = events[-1] if events else None
    if not isinstance(last, SimpleCommand):
        return UNKNOWN
    pipeline = (*last.context.fed, last)[-len(events) :]
    same = len(pipeline) == len(events) and all(map(_is_same, pipeline, events))
    return _names(outputs, pipeline) if same else UNKNOWN


def _is_same(one: SimpleCommand | None, event: Event) -> bool:
    return one is event


def _names(outputs: Outputs, pipeline: "Sequence[SimpleCommand | None]") -> Programs:
    """The programs of simple commands that pass on what they print, and nothing of stderr.

    None stands for a part of a pipeline that is no simple command, as a loop.
    """
    if outputs.variables.tainted or outputs.variables.trap_output:
        return UNKNOWN
    names = [_name(command) for command in pipeline if command is not None]
    found = tuple(name for name in names if name)
    if len(found) < len(pipeline) or any(command and command.mixed for command in pipeline):
        return UNKNOWN
    return found if outputs.variables.functions.keys().isdisjoint(found) else UNKNOWN


def _name(command: SimpleCommand) -> str:
    """The program of a command without other redirections than `2>/dev/null`, else nothing."""
    first = command.words[0] if command.words and not command.assignments else None
    if not isinstance(first, Word) or not all(map(silences, command.redirects)):
        return ""
    return first.text or ""
