"""`[[ … ]]` (bash manual, section 3.2.5.2)."""

from execpolicy.shell.chars import BREAK, is_number
from execpolicy.shell.syntax.redirections import Redirections
from execpolicy.shell.syntax.state import MAX_DEPTH, BoundError, UnreadableError
from execpolicy.shell.syntax.tree import (
    DIGITS,
    LITERAL,
    NUMBER,
    QUOTED_VARIABLE,
    VARIABLE,
    Piece,
    Word,
)

_NUMERIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_PATTERN = frozenset(("=", "==", "!=", "=~"))
_TOKENS = frozenset(("&&", "||", "(", ")", "<", ">"))


class Conditional(Redirections):
    """Reads a conditional command: only what it computes matters, not what it decides."""

    __slots__ = ()

    def conditional(self) -> None:
        """What follows `[[`, up to and with `]]`."""
        start = self.pos - 2
        if self.script.posix:
            raise UnreadableError("`[[` is not read by every `sh`")
        self.script.descend()
        parts: list[str | Word] = []
        parentheses = 0
        while True:
            self._cond_blank()
            symbol = self._token(parts)
            if symbol == "]]":
                break
            parentheses += (symbol == "(") - (symbol == ")")
            if parentheses < 0:
                raise UnreadableError("a `[[` that is not understood")
            if parentheses > MAX_DEPTH:
                raise BoundError(f"nested deeper than {MAX_DEPTH}")
            if not symbol:
                pattern = bool(parts) and _operator(parts[-1]) in _PATTERN
                parts.append(self._cond_word(pattern))
            else:
                parts.append(symbol)
        if parentheses or not parts:
            raise UnreadableError("a `[[` that is not understood")
        self._judge_numbers(start, parts)
        self.script.count_words(len(parts))
        self.script.depth -= 1

    def _cond_blank(self) -> None:
        self.blank()
        while self.text[self.pos] == "\n":
            self.inner_newline()
            self.blank()

    def _token(self, parts: "list[str | Word]") -> str:
        """Step over an operator; an empty string where a word stands."""
        text, i = self.text, self.pos
        if text.startswith("]]", i) and text[i + 2] in BREAK:
            self.pos = i + 2
            return "]]"
        if parts and _operator(parts[-1]) == "=~" and text[i] == "(":
            return ""
        if text[i] in "<>" and text[i + 1] == "(":
            return ""
        for length in (2, 1):
            symbol = text[i : i + length]
            if symbol in _TOKENS:
                self.pos = i + length
                self.whole_operator()
                return symbol
        if text[i] in BREAK:
            raise UnreadableError("a `[[` that is not understood")
        return ""

    def _cond_word(self, pattern: bool) -> Word:
        """A word; as a pattern or regular expression it may hold parentheses."""
        start = self.pos
        pieces: list[Piece] = []
        while True:
            c = self.text[self.pos]
            if pattern and c == "(":
                self._group(pieces)
            elif pattern and c == "|" and self.text[self.pos + 1] not in "|" and pieces:
                pieces.append((LITERAL, c))
                self.pos += 1
            elif not self._piece(pieces):
                break
        if not pieces:
            raise UnreadableError("a `[[` that is not understood")
        raw = self.text[start : self.pos]
        text = raw if all(kind == LITERAL for kind, _ in pieces) else None
        return Word(self.at(start), self.at(self.pos), text, pieces)

    def _group(self, pieces: list[Piece]) -> None:
        """A parenthesis in a pattern, with all it holds."""
        self.script.descend()
        self.pos += 1
        while self.text[self.pos] != ")":
            c = self.text[self.pos]
            if c == "(":
                self._group(pieces)
            elif c in " \t|&;<>\n" and not (c in "<>" and self.text[self.pos + 1] == "("):
                if c == "\n":
                    raise UnreadableError("a pattern of several lines")
                self.pos += 1
            elif not self._piece(pieces):
                raise UnreadableError("unterminated `(` in a pattern")
        pieces.append((LITERAL, "()"))
        self.pos += 1
        self.script.depth -= 1

    def _judge_numbers(self, start: int, parts: "list[str | Word]") -> None:
        """`-eq` and the like evaluate both sides, and `-v` a subscript."""
        for i, part in enumerate(parts):
            operator = _operator(part)
            if operator in _NUMERIC and 0 < i < len(parts) - 1:
                self._number(start, parts[i - 1])
                self._number(start, parts[i + 1])
            elif operator == "-t" and self.script.zsh and i + 1 < len(parts):
                self._number(start, parts[i + 1])
            elif operator in ("-v", "-R") and i + 1 < len(parts):
                operand = parts[i + 1]
                if isinstance(operand, str) or operand.text is None or "[" in operand.text:
                    self.unclear(start, f"`{operator}` evaluates a subscript")

    def _number(self, start: int, operand: "str | Word") -> None:
        if isinstance(operand, str):
            self.unclear(start, "a `[[` that is not understood")
        elif not (operand.text is not None and is_number(operand.text)):
            if all(k in _EVALUATED for k, _ in operand.pieces) or operand.text is not None:
                self.judge(operand.pieces or [(LITERAL, operand.text or "")], start, "`[[`")
            else:
                self.unclear(start, "`[[` evaluates this as arithmetic")


_EVALUATED = frozenset((LITERAL, NUMBER, DIGITS, QUOTED_VARIABLE, VARIABLE))


def _operator(part: "str | Word") -> str:
    return part if isinstance(part, str) else part.text or ""
