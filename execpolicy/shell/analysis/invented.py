"""Whether a script may put a word together as it likes.

Not put together are texts that were there before the script, names of files, and what a command is
known to print.
"""

from execpolicy.model.operation import COMMANDS
from execpolicy.shell.analysis.outputs import COUNTED, MAX_DEPTH, NOTHING, ONE, Outputs
from execpolicy.shell.analysis.variables import TEXTS
from execpolicy.shell.syntax.tree import (
    QUOTED,
    QUOTED_VARIABLE,
    VARIABLE,
    AssignmentWord,
    Event,
    SimpleCommand,
    Word,
    WordPart,
)

_ANYTHING = (COMMANDS, "@")
_ANY = Word(0, 0, None, [])
"""Stands for a value of which nothing is known."""


def invented(outputs: Outputs, word: Word, place: int, depth: int = 0) -> bool:
    """Whether a word may become there a text that its script puts together."""
    if outputs.variables.tainted or depth > MAX_DEPTH:
        return True
    return any(_is_invented(outputs, part, word, place, depth) for part in word.parts)


def _is_invented(outputs: Outputs, part: WordPart, word: Word, place: int, depth: int) -> bool:
    if part.kind <= QUOTED or part.kind in COUNTED:
        return False
    if part.kind in (VARIABLE, QUOTED_VARIABLE):
        return _is_set(outputs, part.text, place, depth)
    if part.substitution is not None:
        return outputs.of_output(part.substitution) in (NOTHING, ONE)
    return any(_is_set(outputs, name, place, depth) for name in word.names)  # `${x%.c}`, `"$@"`


def _is_set(outputs: Outputs, name: str, place: int, depth: int) -> bool:
    """Whether this script may give the variable any text."""
    variables = outputs.variables
    if not name.isidentifier():
        return name in _ANYTHING or bool(variables.functions) or variables.positional
    if name not in variables.bound:
        return name in TEXTS or name.startswith("BASH")
    for binding in variables.bound[name]:
        event, how = binding.event, binding.how
        if isinstance(how, AssignmentWord):
            values = how.elements or ([how.value] if how.value else [])
        elif how.words is None and (how.number or _names_files(outputs, event)):
            continue
        else:
            values = how.words or [_ANY]
        if any(v is _ANY or invented(outputs, v, how.start, depth + 1) for v in values):
            return True
    return False


def _names_files(outputs: Outputs, event: Event) -> bool:
    """Whether a `read` gets names of files, or another known output, from its pipeline."""
    return isinstance(event, SimpleCommand) and outputs.of_lines(event) not in (NOTHING, ONE)
