"""Names in an arithmetic expression (bash manual, section 6.5).

bash evaluates the value of a name as an expression of its own, and runs the substitutions in its
subscripts: `x='a[$(cmd)]'; echo $((x))` runs `cmd`. Only what holds a number is harmless.
"""

from _collections_abc import Container, Iterable

from execpolicy.shell.chars import DIGITS, NAME, NAME_START
from execpolicy.support.record import Value

_MARK = "\x01"
"""Stands for a computed number in an expression."""

_OPERATORS = frozenset("+-*/%<>=!&|^~?:,() \t\n[]")
_SPACE = " \t\n"
_DIGITS = NAME | {"#", "@"}
"""What the digits of a number may be, in a base of its own: `16#ff`."""


class Names(Value):
    """The names that an expression reads, and those that it sets, in their order."""

    read: list[str]
    written: list[str]


def names(parts: "Iterable[str | None]") -> Names | None:
    """The names in an expression, None if it is not a plain one.

    A part is a text, or None for a number that is computed.
    """
    text = "".join([_MARK if part is None else part for part in parts])
    found = Names([], [])
    i = 0
    while i < len(text):
        end = _token_end(text, i)
        if end is None or (text[i] in NAME_START and not _name(text, i, end, found)):
            return None
        i = end
    return found


def _token_end(text: str, i: int) -> int | None:
    """Where the token that begins at `i` ends; None for one that no plain expression has."""
    c = text[i]
    if c == _MARK:
        joined = text[i + 1 : i + 2]
        return None if joined and (joined in NAME or joined in (_MARK, "[", "#")) else i + 1
    if c in NAME_START:
        end = _skip(text, i + 1, NAME)
    elif c in DIGITS:
        end = _skip(text, i, _DIGITS)
    elif c in _OPERATORS:
        return i + 1
    else:
        return None
    return None if text[end : end + 1] == _MARK and text[end - 1] in NAME else end


def _name(text: str, start: int, end: int, found: Names) -> bool:
    """Take a name for read, for written, or for both; False where it is called or computed."""
    after = _skip(text, end, _SPACE)
    if after < len(text) and text[after] == "[":
        after = _skip(text, _closing(text, after) + 1, _SPACE)
    if text[after : after + 1] in ("(", _MARK):
        return False
    name = text[start:end]
    rest = text[after : after + 3]
    assigned = rest[:1] == "=" and rest[:2] != "=="
    changed = _changes(rest) or text[max(0, start - 9) : start].rstrip(_SPACE)[-2:] in ("++", "--")
    if assigned or changed:
        found.written.append(name)
    if not assigned:
        found.read.append(name)
    return True


def _changes(rest: str) -> bool:
    if rest[:2] in ("++", "--") or rest in ("<<=", ">>="):
        return True
    return rest[1:2] == "=" and rest[0] in "+-*/%&|^"


def _skip(text: str, i: int, characters: "Container[str]") -> int:
    while i < len(text) and text[i] in characters:
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
