"""SQL as tokens: words, names, texts, numbers, operators and signs.

What databases read differently (comments, quotes, brackets) is not understood where that matters.
"""

from execpolicy.catalogue.scripts.cursor import Cursor, ScriptError
from execpolicy.catalogue.scripts.sql.words import OPERATORS, SECRETS
from execpolicy.support.record import Value

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
WORD = LETTERS + "0123456789$"
SPACE = " \t\n\r\f\v"
PLAIN = WORD + " \t\r.,*%+-"
_REMARK = frozenset(PLAIN + "\n:()=?")
_SIGNS = "+-*/<>=~!%^&|?:"
_SPECIAL = frozenset("~!%^&|?")
_NUMBER = frozenset("0123456789abcdefABCDEFxXoOLl_.")


class Token(Value):
    """A piece of a statement; words are in lower case.

    `kind` is `word`, `name` (in quotes), `text`, `number`, `sign`, or the bracket or point itself.
    """

    kind: str
    text: str


END = Token("", "")


class Words(Cursor):
    """Splits a text into statements and these into tokens."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.tokens: list[Token] = []

    def statements(self) -> list[list[Token]]:
        """The tokens of each statement, without the semicolons."""
        found = [self.tokens]
        while self.char:
            if self.char == ";":
                self.at += 1
                self.tokens = []
                found.append(self.tokens)
            else:
                self._token(self.char)
        return [tokens for tokens in found if tokens]

    def _add(self, kind: str, text: str) -> None:
        self.tokens.append(Token(kind, text))

    def _token(self, char: str) -> None:
        if char in LETTERS:
            self._add("word", self.take(WORD).lower())
        elif char.isdigit() and char.isascii():
            self._number()
        elif self.text.startswith(("--", "/*", "//"), self.at) or char == "#":
            self.at += 1
            self._remark(char)
        elif char in _SIGNS:
            self._signs()
        else:
            self.at += 1
            self._other(char)

    def _number(self) -> None:
        """A number may end where a word begins, or be the beginning of a name."""
        text = self.take(WORD + ".")
        if not _NUMBER.issuperset(text):
            raise ScriptError("a word begins right after a number")
        self._add("number", text)

    def _signs(self) -> None:
        """An operator, which ends where a comment begins; `=-` is two where no other sign is."""
        start = self.at
        while self.char and self.char in _SIGNS:
            if self.at > start and self.text.startswith(("--", "/*"), self.at):
                break
            self.at += 1
        run = self.text[start : self.at]
        if run not in OPERATORS and _SPECIAL.isdisjoint(run) and run.rstrip("+-") in OPERATORS:
            run = run.rstrip("+-")
        if run not in OPERATORS:
            raise ScriptError(f"`{run}` may be an operator that a user defined")
        self._add("sign", run)

    def _other(self, char: str) -> None:
        if char in SPACE:
            return
        if char in "'\"`":
            self._quoted(char)
        elif char in "()[],.":
            if char == "[":
                self._bracket()
            self._add(char, char)
        else:
            raise ScriptError(f"it holds a `{char}`")

    def _remark(self, char: str) -> None:
        """A comment; to some `#` and `//` begin one."""
        if char == "-":
            self._comment()
        elif char == "/" and self.char == "*":
            self._block()
        else:
            raise ScriptError("it holds a comment")

    def _quoted(self, char: str) -> None:
        inside = self.upto(char)
        if self.at > len(self.text):
            raise ScriptError(f"there is no `{char}` at the end of a text")
        if char == "`" and (set(inside) - set(WORD + " -.*") or "--" in inside):
            raise ScriptError("it holds more than a name between backquotes")
        if char == "'":
            self._add("text", inside)
            return
        if inside.lower() in SECRETS:
            raise ScriptError(f"`{inside}` holds passwords")
        self._add("name", inside)

    def _comment(self) -> None:
        """`-- ` to the end of the line. Without the space, some databases compute with it."""
        if self.text[self.at + 1 : self.at + 2] not in ("", " ", "\t", "\n"):
            raise ScriptError("it holds `--` in front of a word")
        if "\r" in self.upto("\n").removesuffix("\r"):
            raise ScriptError("a comment holds a carriage return, which ends it for some")

    def _block(self) -> None:
        """`/* … */` with plain words inside: MySQL runs `/*! … */`, and some databases nest."""
        end = self.text.find("*/", self.at + 1)
        if end < 0 or set(self.text[self.at : end]) - _REMARK or self.text[self.at + 1] == "+":
            raise ScriptError("it holds a comment of more than plain words")
        self.at = end + 2

    def _bracket(self) -> None:
        """A name to some databases, an index to others: no reading may hide what follows."""
        end = self.text.find("]", self.at)
        inside = self.text[self.at : max(end, self.at)]
        if end < 0 or set(inside) & set("'\"`;[") or "--" in inside or "/*" in inside:
            raise ScriptError("it holds a quote or a comment within `[…]`")
