"""Arithmetic: `$((…))`, `((…))`, `$[…]` and subscripts (bash manual, section 6.5).

The value of a name in it is evaluated again: after `x='a[$(cmd)]'`, `$((x))` runs `cmd`. So each
name must hold a number, or the text asks.
"""

from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import MAX_DEPTH, BoundError, UnreadableError
from execpolicy.shell.syntax.tree import (
    ELEMENTS,
    LITERAL,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    LoopVariable,
    Substitution,
    WordPart,
)
from execpolicy.shell.syntax.words import arithmetic

_TEXTS = (VALUE, SPLIT, ELEMENTS)
_IN_QUOTES = frozenset("$`\"\\{}\n'")
_COMPUTED = WordPart(VALUE)


def subscript(p: Parser) -> None:
    """`expression ]`, read as arithmetic; the key of an associative array is a plain word."""
    checked(p, "]", p.pos, "a subscript")


def checked(p: Parser, closer: str, start: int, what: str) -> bool:
    """`expression closer`, whose opening was read; the closer is read unless it is a brace.

    False if it may be something else than arithmetic.
    """
    p.script.descend()
    parts = expression(p, closer)
    if closer != "}":
        p.pos += len(closer)
    p.script.depth -= 1
    return check(p, parts, start, what)


def check(p: Parser, parts: list[WordPart], start: int, what: str) -> bool:
    """Say which names an expression sets, and what must hold numbers for it to be harmless.

    False if it is not an expression that is understood.
    """
    needed: list[str | Substitution] = []
    needed += [part.text for part in parts if part.kind in (VARIABLE, QUOTED_VARIABLE)]
    needed += [part.substitution for part in parts if part.kind == VALUE and part.substitution]
    if any(part.kind in _TEXTS and part.substitution is None for part in parts):
        p.unsupported(start, f"{what} on a computed text")
        return False
    found = arithmetic.names(part.text if part.kind <= QUOTED else None for part in parts)
    if found is None:
        p.unsupported(start, f"{what} that is not understood")
        return False
    for name in found.written:
        bind(p, name, number=True)
    needed += found.read
    p.script.evaluated.update(found.read, found.written)
    p.script.evaluated.update(need for need in needed if isinstance(need, str))
    if needed:
        why = f"{what} on a name that may hold more than a number"
        p.unsupported(start, why, tuple(dict.fromkeys(needed)))
    return True


def bind(p: Parser, name: str, number: bool = False) -> None:
    """Say that a variable is set here."""
    p.script.count_words(1)
    place = p.at(p.pos)
    p.inside.append(LoopVariable(place, place, name, number=number))


def expression(p: Parser, closer: str) -> list[WordPart]:
    """What an expression is made of, up to `closer` outside of any bracket."""
    parts: list[WordPart] = []
    brackets: list[str] = []
    text = p.text
    while True:
        i = p.pos
        c = text[i]
        if not brackets and c == closer[0]:
            if text.startswith(closer, i):
                return parts
            raise UnreadableError("parentheses that may be arithmetic or not")
        if c in "([":
            brackets.append(")" if c == "(" else "]")
            if len(brackets) > MAX_DEPTH:
                raise BoundError(f"nested deeper than {MAX_DEPTH}")
        elif c in ")]" and (not brackets or brackets.pop() != c):
            raise UnreadableError("brackets that do not match in arithmetic")
        if c in "$`'\"\\{}" or i == p.last:
            _special(p, parts, c)
        else:
            parts.append(WordPart(LITERAL, c))
            p.pos = i + 1


def _special(p: Parser, parts: list[WordPart], c: str) -> None:
    """A quote, or what a `$` or a backquote begins, in an expression."""
    if c == "`" or (c == "$" and p.text[p.pos + 1] not in "'\""):
        p.grammar.quoted_part(p, parts, c)
    elif c == '"':
        p.pos += 1
        p.grammar.double_quoted(p, parts)
    elif c == "'":
        bare_quote(p, c)
        parts.append(_COMPUTED)
    else:
        if c == "\\":
            p.continued()
        raise UnreadableError("arithmetic that is not understood")


def bare_quote(p: Parser, quote: str) -> None:
    """A quote whose meaning inside `"${…}"` depends on the operator and on the shell."""
    end = p.text.find(quote, p.pos + 1)
    if end < 0 or not _IN_QUOTES.isdisjoint(p.text[p.pos + 1 : end]):
        raise UnreadableError('a quote inside `"${…}"`')
    p.whole(p.pos, end)
    p.pos = end + 1
