"""`${…}`, `$((…))`, backquotes and subscripts (bash manual, sections 3.5.3 to 3.5.5)."""

from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.chars import NAME, NAME_START
from execpolicy.shell.syntax import arithmetic
from execpolicy.shell.syntax.state import MAX_DEPTH, BoundError, UnreadableError
from execpolicy.shell.syntax.tree import (
    DIGITS,
    ELEMENTS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VALUE,
    VARIABLE,
    Bind,
    Piece,
)
from execpolicy.shell.syntax.words import Words

_TEXTS = (VALUE, SPLIT, ELEMENTS)
_SPECIAL = frozenset("@*#?$!-")
_HARMLESS_TRANSFORMS = frozenset("QUELuaAKk")
_IN_QUOTES = frozenset("$`\"\\{}\n'")


class Expansions(Words):
    """Reads what a `$` or a backquote begins."""

    __slots__ = ()

    def parameter(self, pieces: list[Piece], quoted: bool) -> None:
        """`${…}`, whose brace is behind."""
        self.script.descend()
        start, text = self.pos - 2, self.text
        self.continued()
        length = indirect = False
        if text[self.pos] == "#" and (text[self.pos + 1] in NAME or text[self.pos + 1] in "@*"):
            length = True
            self.pos += 1
        elif text[self.pos] == "!" and text[self.pos + 1] in NAME:
            indirect = True
            self.pos += 1
        name = self._parameter_name()
        elements = name == "@"
        which = self._element(name) if text[self.pos] == "[" else ""
        elements = elements or which == "@"
        plain = text[self.pos] == "}" and text[self.pos - 1] != "]"
        prefix = indirect and text[self.pos] in "@*" and text[self.pos + 1] == "}"
        if prefix:
            self.pos += 1
        elif not length:
            elements = self._operator(name, quoted) or elements
        self.expect("}")
        if indirect and not (prefix or which):
            self.unclear(start, "indirect expansion")
        if name == "IFS" and not (quoted or plain):
            self.unclear(start, "a separator made of `IFS`")
        self._append(pieces, name, quoted, length, plain and not indirect, elements or prefix)
        self.script.depth -= 1

    def _append(
        self, pieces: list[Piece], name: str, quoted: bool, length: bool, plain: bool, many: bool
    ) -> None:
        if length or (plain and name in ("#", "?", "$")):
            pieces.append((DIGITS if quoted else NUMBER, ""))
        elif many:
            pieces.append((ELEMENTS, ""))
        elif plain and name[0] in NAME_START:
            pieces.append((QUOTED_VARIABLE if quoted else VARIABLE, name))
        else:
            pieces.append((VALUE if quoted else SPLIT, ""))

    def _parameter_name(self) -> str:
        text, i = self.text, self.pos
        c = text[i]
        j = i + 1
        if c in NAME_START:
            while text[j] in NAME:
                j += 1
        elif c in DECIMAL:
            while text[j] in DECIMAL:
                j += 1
        elif c not in _SPECIAL or (c in "#!?-$" and text[j] != "}"):
            raise UnreadableError("a `${…}` that is not understood")
        self.pos = j
        self.continued()
        return text[i:j]

    def _element(self, name: str) -> str:
        """`[…]` after a name; `@` or `*` for all elements at once."""
        if self.script.posix:
            raise UnreadableError("arrays are not read by every `sh`")
        self.pos += 1
        which = self.text[self.pos]
        if which in "@*" and self.text[self.pos + 1] == "]":
            self.pos += 2
            return which
        self.subscript(name)
        return ""

    def _operator(self, name: str, quoted: bool) -> bool:
        """What follows the name, up to the closing brace; True if it may give many words."""
        c = self.text[self.pos]
        if c == "}":
            return False
        self.pos += 1
        self.continued()
        if c == ":" and self.text[self.pos] not in "-=?+":
            self._bash_only(c)
            self._judged("}", self.pos - 1, "`${…:…}`")
            return False
        if c == "@":
            self._transform()
            return False
        if c == ":":
            c = self.text[self.pos]
            self.pos += 1
        if c not in "-=?+#%/^,":
            raise UnreadableError("a `${…}` that is not understood")
        if c in "/^,":
            self._bash_only(c)
        if c == "=":
            self._bind(name)
        return self._operand(quoted)

    def _bash_only(self, operator: str) -> None:
        if self.script.posix:
            raise UnreadableError(f"`${{x{operator}…}}` is not read by every `sh`")

    def _transform(self) -> None:
        c = self.text[self.pos]
        if self.text[self.pos + 1] != "}" or c not in "QUELuaAKkP":
            raise UnreadableError("a `${…@…}` that is not understood")
        self.pos += 1
        if c == "P":
            self.unclear(self.text.rfind("${", 0, self.pos), "`@P` runs what the value says")

    def _bind(self, name: str, number: bool = False) -> None:
        self.script.count_words(1)
        place = self.at(self.pos)
        self.script.events.append(Bind(place, place, self.context, name, number=number))

    def _operand(self, quoted: bool) -> bool:
        """The word or pattern after the operator; True if it holds a `"$@"`."""
        inner: list[Piece] = []
        text = self.text
        while True:
            c = text[self.pos]
            if c == "}":
                return any(kind == ELEMENTS for kind, _ in inner)
            if (c == "'" and quoted) or (c == '"' and self.heredoc):
                self._bare_quote(c)
            elif c == "{" and self.script.zsh:
                raise UnreadableError("zsh counts a brace inside `${…}`")
            elif (quoted and c not in '$`"\\') or c in " \t\n;&|()" or c in "<>":
                self._operand_text(quoted)
            elif quoted and c in "$`\\":
                self._in_double(inner, c)  # `$'…'` and what is nested are quoted too
            elif not self._piece(inner):
                raise UnreadableError("unterminated `${`")

    def _operand_text(self, quoted: bool) -> None:
        """A character that would end a word anywhere else."""
        if self.pos == self.last:
            raise UnreadableError("unterminated `${`")
        if self.text[self.pos] in "<>" and self.text[self.pos + 1] == "(":
            if quoted:  # bash runs it in a pattern: `"${v%<(B)}"`
                raise UnreadableError("a process substitution inside a quoted `${…}`")
            self._piece([])
        else:
            self.pos += 1

    def _bare_quote(self, quote: str) -> None:
        """A quote whose meaning inside `"${…}"` depends on the operator and on the shell."""
        end = self.text.find(quote, self.pos + 1)
        if end < 0 or not _IN_QUOTES.isdisjoint(self.text[self.pos + 1 : end]):
            raise UnreadableError('a quote inside `"${…}"`')
        self.whole(self.pos, end)
        self.pos = end + 1

    def backquote(self, quoted: bool) -> None:
        """A substitution in backquotes: its text loses one level of backslashes, then is read.

        Every shell removes line continuations with them, also those in single quotes.
        """
        text, i = self.text, self.pos + 1
        found: list[str] = []
        offsets: list[int] = []
        escaped = '$`\\"' if quoted and not self.heredoc else "$`\\"
        while text[i] != "`":
            if i == self.last:
                raise UnreadableError("unterminated backquote")
            if text[i] == "\\" and text[i + 1] == "\n":
                i += 2
                continue
            offsets.append(self.at(i))
            if text[i] == "\\" and text[i + 1] in escaped:
                i += 1
            elif text[i : i + 2] == '\\"' and self.heredoc and self.script.shell != "bash":
                raise UnreadableError("a quote in backquotes in a heredoc, as only some read it")
            found.append(text[i])
            i += 1
        offsets.append(self.at(i))
        start, self.pos = self.pos, i + 1
        self.unbroken(start)
        self.nested("".join(found), offsets, "`…`")

    def nested(self, text: str, offsets: list[int], via: str) -> None:
        raise NotImplementedError

    def subscript(self, name: str) -> None:
        """`…]` after `name[`, an arithmetic expression unless the array is associative."""
        self._judged("]", self.pos, "a subscript")

    def arithmetic(self, closer: str, start: int) -> bool:
        """`…))` or `…]`, whose opening is behind; False if it may be something else."""
        return self._judged(closer, start, "arithmetic")

    def _judged(self, closer: str, start: int, what: str) -> bool:
        """Read an expression up to `closer`, which is stepped over unless it is a brace."""
        self.script.descend()
        pieces = self.expression(closer)
        if closer != "}":
            self.pos += len(closer)
        self.script.depth -= 1
        return self.judge(pieces, start, what)

    def judge(self, pieces: list[Piece], start: int, what: str) -> bool:
        """Say which names an expression sets, and which must hold numbers for it to be harmless.

        False if it is no expression that is understood.
        """
        needed = [text for kind, text in pieces if kind in (VARIABLE, QUOTED_VARIABLE)]
        needed += [text for kind, text in pieces if kind == VALUE and text]
        if any(kind in _TEXTS and not text for kind, text in pieces):
            self.unclear(start, f"{what} on a computed text")
            return False
        text = "".join(part if kind <= QUOTED else arithmetic.MARK for kind, part in pieces)
        found = arithmetic.names(text)
        if found is None:
            self.unclear(start, f"{what} that is not understood")
            return False
        for name in found[1]:
            self._bind(name, number=True)
        needed += found[0]
        if needed:
            self.unclear(
                start,
                f"{what} on a name that may hold more than a number",
                tuple(dict.fromkeys(needed)),
            )
        return True

    def expression(self, closer: str) -> list[Piece]:
        """What an expression is made of, up to `closer` outside of any bracket."""
        pieces: list[Piece] = []
        brackets: list[str] = []
        text = self.text
        while True:
            i = self.pos
            c = text[i]
            if not brackets and c == closer[0]:
                if text.startswith(closer, i):
                    return pieces
                raise UnreadableError("parentheses that may be arithmetic or not")
            if c in "([":
                brackets.append(")" if c == "(" else "]")
                if len(brackets) > MAX_DEPTH:
                    raise BoundError(f"nested deeper than {MAX_DEPTH}")
            elif c in ")]" and (not brackets or brackets.pop() != c):
                raise UnreadableError("brackets that do not match in arithmetic")
            if c in "$`'\"\\{}" or i == self.last:
                self._in_expression(pieces, c)
            else:
                pieces.append((LITERAL, c))
                self.pos = i + 1

    def _in_expression(self, pieces: list[Piece], c: str) -> None:
        if c == "$" and self.text[self.pos + 1] not in "'\"":
            self.dollar(pieces, True)
        elif c == "`":
            self.backquote(True)
            pieces.append((VALUE, ""))
        elif c == '"':
            self.pos += 1
            self.double(pieces)
        elif c == "'":
            self._bare_quote(c)
            pieces.append((VALUE, ""))
        else:
            if c == "\\":
                self.continued()
            raise UnreadableError("arithmetic that is not understood")
