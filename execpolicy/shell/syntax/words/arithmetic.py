"""Names in an arithmetic expression (bash manual, section 6.5).

bash evaluates the value of a name as an expression of its own, and runs the substitutions in its
subscripts: `x='a[$(cmd)]'; echo $((x))` runs `cmd`. Only what holds a number is harmless.
"""

from execpolicy.shell.chars import DIGITS, NAME, NAME_START
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MARK = "\x01"
"""Stands for a computed number in an expression."""

_OPERATORS = frozenset("+-*/%<>=!&|^~?:,() \t\n[]")
_SPACE = " \t\n"


class Names(Value):
    """The names that an expression reads, and those that it sets, in their order."""

    read: list[str]
    written: list[str]


def names(parts: "Iterable[str | None]") -> Names | None:
    """The names in an expression, None if it is no plain one.

    A part is a text, or None for a number that is computed.
    """
    text = "".join([_MARK if part is None else part for part in parts])
    read: list[str] = []
    written: list[str] = []
    i = 0
    while i < len(text):
        c = text[i]
        if c in NAME_START:
            end = i + 1
            while end < len(text) and text[end] in NAME:
                end += 1
            if not _name(text, i, end, read, written):
                return None
            i = end
        elif c in DIGITS:
            i = _number(text, i)
        elif c == _MARK:
            i += 1
            if i < len(text) and (text[i] in NAME or text[i] in (_MARK, "[", "#")):
                return None
        elif c in _OPERATORS:
            i += 1
        else:
            return None
        if c != _MARK and i < len(text) and text[i] == _MARK and text[i - 1] in NAME:
            return None
    return Names(read, written)


def _number(text: str, i: int) -> int:
    while i < len(text) and (text[i] in NAME or text[i] in "#@"):
        i += 1
    return i


def _name(text: str, start: int, end: int, read: list[str], written: list[str]) -> bool:
    after = _skip(text, end)
    if after < len(text) and text[after] == "[":
        after = _skip(text, _closing(text, after) + 1)
    if text[after : after + 1] in ("(", _MARK):
        return False
    name = text[start:end]
    rest = text[after : after + 3]
    assigned = rest[:1] == "=" and rest[:2] != "=="
    changed = _changes(rest) or text[max(0, start - 9) : start].rstrip(_SPACE)[-2:] in ("++", "--")
    if assigned or changed:
        written.append(name)
    if not assigned:
        read.append(name)
    return True


def _changes(rest: str) -> bool:
    if rest[:2] in ("++", "--") or rest in ("<<=", ">>="):
        return True
    return rest[1:2] == "=" and rest[0] in "+-*/%&|^"


def _skip(text: str, i: int) -> int:
    while i < len(text) and text[i] in _SPACE:
        i += 1
    return i


def _closing(text: str, i: int) -> int:
    depth = 0
    while i < len(text):
        depth += (text[i] == "[") - (text[i] == "]")
        if depth == 0:
            return i
        i += 1
    return i
