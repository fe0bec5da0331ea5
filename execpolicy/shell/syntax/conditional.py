"""`[[ … ]]` (bash manual, section 3.2.5.2)."""

from execpolicy.shell.chars import BREAK, is_number
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import MAX_DEPTH, BoundError, UnreadableError
from execpolicy.shell.syntax.tree import (
    DIGITS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    VARIABLE,
    Word,
    WordPart,
)
from execpolicy.shell.syntax.words import expression
from execpolicy.shell.syntax.words.word import part

_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_PATTERN = frozenset(("=", "==", "!=", "=~"))
_OF_VALUE = frozenset(("-n", "-z", "-v", "-R", *_NUMERIC))
"""These tell no more of a value than whether it is empty; numbers are asked about as such."""
_OPERATORS = frozenset(("&&", "||", "(", ")", "<", ">"))
_EVALUATED = frozenset((LITERAL, NUMBER, DIGITS, QUOTED_VARIABLE, VARIABLE))


def conditional(p: Parser) -> None:
    """`[[ ( operator | word )… ]]`, of which `[[` is read.

    Only what it computes matters, not what it decides.
    """
    start = p.pos - 2
    if p.script.posix:
        raise UnreadableError("`[[` is not read by every `sh`")
    p.script.descend()
    tokens = _tokens(p)
    _check_numbers(p, start, tokens)
    if any(map(_compares, tokens, ["", *tokens], [*tokens[1:], ""])):
        p.script.discloses = True
    p.script.count_words(len(tokens))
    p.script.depth -= 1


def _tokens(p: Parser) -> "list[str | Word]":
    """The operators and words, up to `]]`."""
    tokens: list[str | Word] = []
    parentheses = 0
    while True:
        _blank(p)
        symbol = _sign(p, tokens)
        if symbol == "]]":
            break
        parentheses += (symbol == "(") - (symbol == ")")
        if parentheses < 0:
            raise UnreadableError("a `[[` that is not understood")
        if parentheses > MAX_DEPTH:
            raise BoundError(f"nested deeper than {MAX_DEPTH}")
        if not symbol:
            pattern = bool(tokens) and _text(tokens[-1]) in _PATTERN
            tokens.append(_operand(p, pattern))
        else:
            tokens.append(symbol)
    if parentheses or not tokens:
        raise UnreadableError("a `[[` that is not understood")
    return tokens


def _blank(p: Parser) -> None:
    """Blanks, comments and line breaks."""
    p.blank()
    while p.text[p.pos] == "\n":
        p.inner_newline()
        p.blank()


def _sign(p: Parser, tokens: "list[str | Word]") -> str:
    """Step over an operator; an empty string where a word stands."""
    text, i = p.text, p.pos
    if text.startswith("]]", i) and text[i + 2] in BREAK:
        p.pos = i + 2
        return "]]"
    if tokens and _text(tokens[-1]) == "=~" and text[i] == "(":
        return ""
    if text[i] in "<>" and text[i + 1] == "(":
        return ""
    for length in (2, 1):
        symbol = text[i : i + length]
        if symbol in _OPERATORS:
            p.pos = i + length
            p.whole_operator()
            return symbol
    if text[i] in BREAK:
        raise UnreadableError("a `[[` that is not understood")
    return ""


def _operand(p: Parser, pattern: bool) -> Word:
    """A word; as a pattern or regular expression it may hold parentheses."""
    start = p.pos
    parts: list[WordPart] = []
    mark = len(p.script.names)
    while True:
        c = p.text[p.pos]
        if pattern and c == "(":
            _group(p, parts)
        elif pattern and c == "|" and p.text[p.pos + 1] not in "|" and parts:
            parts.append(WordPart(LITERAL, c))
            p.pos += 1
        elif not part(p, parts):
            break
    if not parts:
        raise UnreadableError("a `[[` that is not understood")
    raw = p.text[start : p.pos]
    text = raw if all(each.kind == LITERAL for each in parts) else None
    names = tuple(p.script.names[mark:])
    found = Word(p.at(start), p.at(p.pos), text, parts, names)
    p.script.beside.append(found)
    return found


def _group(p: Parser, parts: list[WordPart]) -> None:
    """A parenthesis in a pattern, with all it holds."""
    p.script.descend()
    p.pos += 1
    while p.text[p.pos] != ")":
        c = p.text[p.pos]
        if c == "(":
            _group(p, parts)
        elif c in " \t|&;<>\n" and not (c in "<>" and p.text[p.pos + 1] == "("):
            if c == "\n":
                raise UnreadableError("a pattern of several lines")
            parts.append(WordPart(LITERAL, c))
            p.pos += 1
        elif not part(p, parts):
            raise UnreadableError("unterminated `(` in a pattern")
    parts.append(WordPart(LITERAL, "()"))
    p.pos += 1
    p.script.depth -= 1


def _check_numbers(p: Parser, start: int, tokens: "list[str | Word]") -> None:
    """`-eq` and the like evaluate both sides, and `-v` a subscript."""
    for i, token in enumerate(tokens):
        operator = _text(token)
        if operator in _NUMERIC and 0 < i < len(tokens) - 1:
            _number(p, start, tokens[i - 1])
            _number(p, start, tokens[i + 1])
        elif operator == "-t" and p.script.zsh and i + 1 < len(tokens):
            _number(p, start, tokens[i + 1])
        elif operator in ("-v", "-R") and i + 1 < len(tokens):
            operand = tokens[i + 1]
            if isinstance(operand, str) or operand.text is None or "[" in operand.text:
                p.unsupported(start, f"`{operator}` evaluates a subscript")


def _compares(token: "str | Word", before: "str | Word", after: "str | Word") -> bool:
    """Whether something computed is compared with what is not empty, or is the name of a file."""
    operator = _text(token)
    if operator in _PATTERN or operator in ("<", ">"):
        sides = [side for side in (before, after) if isinstance(side, Word)]
        return any(side.names for side in sides) and not any(map(_is_empty, sides))
    named = isinstance(after, Word) and after.names
    return bool(named) and operator[:1] == "-" and operator not in _OF_VALUE


def _is_empty(word: Word) -> bool:
    return all(part.kind <= QUOTED and not part.text for part in word.parts)


def _number(p: Parser, start: int, operand: "str | Word") -> None:
    if isinstance(operand, str):
        p.unsupported(start, "a `[[` that is not understood")
    elif not (operand.text is not None and is_number(operand.text)):
        if operand.text is not None or all(part.kind in _EVALUATED for part in operand.parts):
            parts = operand.parts or [WordPart(LITERAL, operand.text or "")]
            expression.check(p, parts, start, "`[[`")
        else:
            p.unsupported(start, "`[[` evaluates this as arithmetic")


def _text(token: "str | Word") -> str:
    return token if isinstance(token, str) else token.text or ""
