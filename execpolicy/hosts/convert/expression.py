"""Regular expressions of a list that are plain enough to be patterns with `*`.

pattern     = branch { "|" branch }
branch      = { piece }
piece       = atom [ "*" | "+" | "?" ]
atom        = "(" [ "?:" ] pattern ")" | "[" chars "]" | "\\" char | "." | "^" | "$" | char
"""

from collections.abc import Iterator

MAX_PATTERNS = 64
_ANY = frozenset(".sSwWdD")
"""Atoms of one character of many; `\\s` is written as one blank."""


class _PlainError(Exception):
    """The expression is not plain."""


def patterns(expression: str) -> tuple[list[str], bool] | None:
    """The patterns that stand for an expression which a command begins with; None where none do.

    Whether they match no more than it does comes with them.

    >>> patterns("^git (push|commit)")
    (['git push*', 'git commit*'], True)
    >>> patterns(r"rm\\s+-rf.*/$"), patterns("(?=x)")
    ((['rm -rf*/'], False), None)
    """
    reader = _PatternReader(expression.removeprefix("^"))
    try:
        found = list(reader.pattern())
        if reader.at < len(reader.text):
            return None
    except (_PlainError, RecursionError):
        return None
    return [_squeezed(one) for one in found], reader.exact


def _squeezed(pattern: str) -> str:
    """Without two `*` side by side, and with one at the end where the end is not fixed."""
    pattern = pattern[:-1] if pattern.endswith("\0") else f"{pattern}*"
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern


class _PatternReader:
    """The text and where it is read. `exact` until something matches more than it should."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.exact = text, 0, True

    def pattern(self) -> Iterator[str]:
        yield from self.branch()
        while self.text[self.at : self.at + 1] == "|":
            self.at += 1
            yield from self.branch()

    def branch(self) -> list[str]:
        found = [""]
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            ends = self.piece()
            found = [a + b for a in found for b in ends]
            if len(found) > MAX_PATTERNS or any("\0" in one[:-1] for one in found):
                raise _PlainError
        return found

    def piece(self) -> list[str]:
        found = self.atom()
        sign = self.text[self.at : self.at + 1]
        if sign in ("{", "*", "+", "?") and sign:
            self.at += 1
            if sign == "{":
                raise _PlainError
            if found == [" "]:  # blanks: `\\s+`, `\\s*`
                return [" "] if sign == "+" else ["", " "]
            self.exact = self.exact and found == ["*"] and sign == "*"
            return ["", *found] if sign == "?" else ["*"]
        if found == ["*"]:
            self.exact = False
        return found

    def atom(self) -> list[str]:
        char, self.at = self.text[self.at], self.at + 1
        if char == "(":
            return self.group()
        if char == "[":
            end = self.text.find("]", self.at + 1)
            if end < 0:
                raise _PlainError
            inside, self.at = self.text[self.at : end], end + 1
            self.exact = False
            return [" "] if inside in ("\\s", " ") else ["*"]
        if char == "\\":
            return self.escaped()
        if char == "$":
            return ["\0"]
        if char in "^*+?{}":
            raise _PlainError
        return ["*"] if char == "." else [char]

    def group(self) -> list[str]:
        if self.text.startswith("?:", self.at):
            self.at += 2
        elif self.text.startswith("?", self.at):
            raise _PlainError
        found = list(self.pattern())
        if self.text[self.at : self.at + 1] != ")":
            raise _PlainError
        self.at += 1
        return found

    def escaped(self) -> list[str]:
        char, self.at = self.text[self.at : self.at + 1], self.at + 1
        if char == "s":
            return [" "]
        if char == "b":
            return [""] if self.at < len(self.text) else self.boundary()
        if char.isalnum() or not char:
            if char not in _ANY:
                raise _PlainError
            return ["*"]
        return [char]

    def boundary(self) -> list[str]:
        """The end of a word at the end: alone, or with more words."""
        self.exact = False
        return [" "]
