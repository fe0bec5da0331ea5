"""Turns line ends and indentation into tokens, and refuses what only a look at the text shows.

Inside brackets line ends mean nothing. Outside, a line that is deeper than the one before opens a
block and a shallower one closes as many as it leaves. Blank lines and comments do not count.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Protocol

from execpolicy.language.syntax.tree import Leaf


class Token(Protocol):
    """What the lexer hands over: a text that knows its place."""

    type: str
    value: str
    start_pos: int
    line: int
    column: int
    end_line: int
    end_column: int


_LONE_RETURN = re.compile(r"\r(?!\n)")
_OPENING = frozenset(("LPAR", "LSQB", "LBRACE"))
_CLOSING = frozenset(("RPAR", "RSQB", "RBRACE"))
_STRINGS = frozenset(f"FSTRING_{part}_{n}" for part in ("START", "END") for n in (1, 2, 3, 6))
_TRACKED = _OPENING | _CLOSING | _STRINGS | {"COMPARE"}


class LayoutError(Exception):
    """Text that is wrong whatever the grammar says: a code, a message, its place, a hint."""

    def __init__(
        self, code: str, message: str, start: int, end: int, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.start = start
        self.end = end
        self.hint = hint


class Layout:
    """Runs between lexer and parser. The text it sees begins with a line end of its own, so that
    the first line of a file is like any other; places are given without it."""

    # Tokens the lexer must know in every state. A NAME, because a lexer that expects an operator
    # would otherwise split `inside` into `in` and `side`.
    always_accept = ("_NL", "NAME")

    def process(self, stream: Iterable[Token]) -> Iterator[Leaf]:
        """The tokens of the parser for those of the lexer."""
        return layout(map(_leaf, stream))


def layout(stream: Iterable[Leaf]) -> Iterator[Leaf]:
    """The tokens with the layout of lines, for those that stand in the text."""
    open_: list[Leaf] = []
    indents = [0]
    last = Leaf("", "", 0, 1, 1)
    line_open = False
    for leaf in stream:
        if leaf.type == "_NL":
            if open_:
                _check_bracketed(leaf, open_[-1])
                continue
            if line_open:
                yield _empty("_NL", last)
                line_open = False
            yield from _indentation(leaf, indents, last)
            continue
        before, last = last, leaf
        if leaf.type in _TRACKED:
            _track(leaf, before, open_)
        line_open = True
        yield leaf
    if open_:
        raise _unclosed(open_[-1])
    if line_open:
        yield _empty("_NL", last)
    for _ in indents[1:]:
        yield _empty("_DEDENT", last)


def _leaf(token: Token) -> Leaf:
    leaf = Leaf(token.type, token.value, token.start_pos - 1, token.line - 1, token.column)
    leaf.end_line = token.end_line - 1
    leaf.end_column = token.end_column
    return leaf


def _empty(kind: str, after: Leaf) -> Leaf:
    return Leaf(kind, "", after.end_pos, after.end_line, after.end_column)


def _track(leaf: Leaf, before: Leaf, open_: list[Leaf]) -> None:
    kind = leaf.type
    if kind in _OPENING or kind.startswith("FSTRING_START"):
        open_.append(leaf)
    elif open_ and (kind in _CLOSING or kind.startswith("FSTRING_END")):
        open_.pop()
    elif leaf.text == "!=" and _ends_hole(leaf, before, open_):
        # Codex takes `!` right after an operand of a hole for the start of `!r` or `!s`.
        raise LayoutError(
            "syntax",
            "unexpected `!=`",
            leaf.start_pos,
            leaf.end_pos,
            "write a space before `!=`, or brackets around the comparison",
        )


def _ends_hole(leaf: Leaf, before: Leaf, open_: list[Leaf]) -> bool:
    in_hole = len(open_) > 1 and open_[-2].type.startswith("FSTRING")
    return in_hole and leaf.start_pos == before.end_pos


def _indentation(end_of_line: Leaf, indents: list[int], last: Leaf) -> Iterator[Leaf]:
    """INDENT or DEDENTs for the line that a line end leads to."""
    text = end_of_line.text
    margin = text[text.rindex("\n") + 1 :]
    if "#" in margin:
        return  # the file ends in this comment
    end = end_of_line.end_pos
    if "\t" in margin:
        raise _tab(end - len(margin) + margin.index("\t"))
    indent = margin.count(" ")
    if indent > indents[-1]:
        indents.append(indent)
        yield _empty("_INDENT", end_of_line)
    above = indent
    while indent < indents[-1]:
        above = indents.pop()
        yield _empty("_DEDENT", last)
    if indent != indents[-1]:
        raise LayoutError(
            "indentation",
            "indentation fits no block around it",
            end - len(margin),
            end,
            f"indent by {indents[-1]} or {above} spaces",
        )


def _check_bracketed(end_of_line: Leaf, opener: Leaf) -> None:
    """A line end inside brackets: nothing, unless tabs follow or the brackets are a string."""
    if opener.type.startswith("FSTRING"):
        raise _unclosed(opener)
    offset = end_of_line.start_pos
    if alone := _LONE_RETURN.search(end_of_line.text):
        place = offset + alone.start()
        raise LayoutError("character", "a carriage return inside a line", place, place + 1)
    for line in end_of_line.text.split("\n"):
        code = line.split("#", 1)[0]
        if "\t" in code:
            raise _tab(offset + code.index("\t"))
        offset += len(line) + 1


def _tab(offset: int) -> LayoutError:
    return LayoutError(
        "tab", "a tab outside a string", offset, offset + 1, "indent with spaces, four a level"
    )


def _unclosed(opener: Leaf) -> LayoutError:
    if opener.type.startswith("FSTRING"):
        code, message = "string", "a string that does not end"
    else:
        code, message = "bracket", f"`{opener.text}` is never closed"
    return LayoutError(code, message, opener.start_pos, opener.end_pos)
