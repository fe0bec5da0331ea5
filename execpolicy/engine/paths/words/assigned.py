"""What the variables of a request are set to in its own text: where it is not certain which value
one has, it may be each of these."""

from _collections_abc import Iterator, Sequence

from execpolicy.engine.paths.computed_paths import end_of_computed
from execpolicy.engine.paths.targets import unquoted
from execpolicy.engine.unwrap import ExpandedOperation
from execpolicy.model.operation import Assign, Assignment, Exec, Word, added

MAX_FILLED = 32
"""Texts that are made of one word."""
MAX_DEPTH = 3
"""Variables whose value is that of another one."""

_KNOWN = {"HOME": ("~",), "PWD": (".",)}
"""What variables have that a shell sets itself."""
_OTHERWISE = ("-", "=", "+")
"""What stands before a word in `${NAME:-WORD}` (bash manual, 3.5.3)."""


class Assigned:
    """The values of the variables of one request."""

    __slots__ = ("_known", "_values")

    def __init__(self, steps: "Sequence[ExpandedOperation]") -> None:
        self._values: dict[str, dict[str, None]] = {}
        self._known: dict[tuple[str, int], list[str]] = {}
        before: tuple[Assignment, ...] = ()
        for step in steps:
            every = _assignments(step)
            new = added(every, before)
            before = every if type(step.operation) is Exec else before
            for one in new:
                for value in one.among or (one.value,):
                    if value is not None:
                        text = unquoted(value)
                        self._values.setdefault(one.name, {})[text] = None

    def filled(self, word: Word) -> "Iterator[str]":
        """The words, without quotes, that one may be, each variable of it with a value of the
        text; none where it has another computed part."""
        if not isinstance(word, str):
            yield from self._filled(unquoted(word), MAX_DEPTH)

    def _filled(self, text: str, depth: int) -> list[str]:
        asked = text, depth
        if asked not in self._known:
            found = [""]
            for part in _parts(text):
                values = [*self._values_of(part, depth)]
                found = [f"{before}{value}" for before in found for value in values][:MAX_FILLED]
            self._known[asked] = found
        return self._known[asked]

    def _values_of(self, part: str, depth: int) -> "Iterator[str]":
        if part[0] not in "$`":
            yield part
            return
        name, rest = _parameter(part)
        values = [*_KNOWN.get(name, ()), *self._values.get(name, ())]
        if rest[:1] in _OTHERWISE:
            values.append(rest[1:])
        for value in values if depth else ():
            yield from self._filled(value, depth - 1)


def _assignments(step: "ExpandedOperation") -> tuple[Assignment, ...]:
    operation = step.operation
    if type(operation) is Exec:
        return operation.env
    return (operation.assignment,) if isinstance(operation, Assign) else ()


def _parameter(part: str) -> tuple[str, str]:
    """The name in an expansion, and what stands after it; none in that of a command."""
    if part[0] == "`":
        return "", ""
    inside = part[2:-1] if part[:2] == "${" else part[1:]
    end = next((n for n, c in enumerate(inside) if not (c.isalnum() or c == "_")), len(inside))
    return inside[:end], inside[end:].removeprefix(":")


def _parts(text: str) -> "Iterator[str]":
    """The pieces of a word: a literal one, or an expansion."""
    at = 0
    while at < len(text):
        ends = (end for sign in "$`" if (end := text.find(sign, at)) >= 0)
        end = end_of_computed(text, at) if text[at] in "$`" else min(ends, default=len(text))
        yield text[at:end]
        at = end
