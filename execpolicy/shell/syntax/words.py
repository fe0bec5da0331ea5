"""Words: quotes, escapes, and where a word ends (bash manual, sections 3.1.2 and 3.5)."""

from execpolicy.shell.chars import (
    BREAK,
    IN_DOUBLE,
    IN_HEREDOC,
    NAME,
    NAME_START,
    PLAIN,
    SPECIAL,
    is_name,
)
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax import ansi
from execpolicy.shell.syntax.state import ContinuationError, UnreadableError
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
    Piece,
    Setting,
    Word,
)
from execpolicy.shell.syntax.zsh_words import ZshWords

_BRACKET = [(LITERAL, "[")]


class Words(ZshWords):
    """Reads one word, its quotes and what it computes."""

    __slots__ = ()

    def word(self, assignable: bool = False) -> Word | Setting:
        """The word here, which may be an assignment if `assignable`."""
        text, start = self.text, self.pos
        i = start
        while text[i] in PLAIN:
            i += 1
        c = text[i]
        if c in BREAK and (i > start) and not (c in "<>" and text[i + 1] == "("):
            self.pos = i
            if self.offsets is None:
                return Word(start, i, text[start:i], [])
            return Word(self.at(start), self.at(i), text[start:i], [])
        if assignable and i > start and (c == "=" or c == "["):
            name = text[start:i]
            partly = name[-1] == "+" and c == "="
            if partly and self.script.posix:
                raise UnreadableError("`+=` is not read by every `sh`")
            if is_name(name[:-1] if partly else name):
                return self._setting(start, i, name, partly)
        pieces: list[Piece] = [(LITERAL, text[start:i])] if i > start else []
        return self._word(start, i, pieces)

    def argument(self) -> Word:
        """The word here, which is no assignment and has to exist."""
        c = self.text[self.pos]
        if c in BREAK and not (c in "<>" and self.text[self.pos + 1] == "("):
            raise UnreadableError("word expected")
        found = self.word()
        if isinstance(found, Setting):
            raise UnreadableError("word expected")
        return found

    def _word(self, start: int, i: int, pieces: list[Piece]) -> Word:
        self.pos = i
        while self._piece(pieces):
            pass
        self.zsh_word(start, pieces)
        text = None
        if all(kind == QUOTED or (kind == LITERAL and t not in SPECIAL) for kind, t in pieces):
            text = "".join([part for _, part in pieces])
        elif pieces == _BRACKET:
            text = "["
        found = Word(self.at(start), self.at(self.pos), text, pieces)
        if text is None:
            found.raw = self.source(start)
        return found

    def _piece(self, pieces: list[Piece]) -> bool:
        """Read the next piece of a word; False where the word ends."""
        text, i = self.text, self.pos
        c = text[i]
        if c in PLAIN:
            j = i + 1
            while text[j] in PLAIN:
                j += 1
            pieces.append((LITERAL, text[i:j]))
            self.pos = j
        elif c in BREAK:
            if c in "<>" and text[i + 1] == "(":
                self._process(pieces, f"{c}(…)")
                return True
            return False
        else:
            self._quote(pieces, c)
        return True

    def _quote(self, pieces: list[Piece], c: str) -> None:
        """Read what a quote, a `$` or any other character begins."""
        text, i = self.text, self.pos
        if c == "'":
            j = text.find("'", i + 1)
            if j < 0:
                raise UnreadableError("unterminated `'`")
            self.whole(i, j)
            pieces.append((QUOTED, text[i + 1 : j]))
            self.pos = j + 1
        elif c == '"':
            self.pos = i + 1
            self.double(pieces)
        elif c == "\\":
            self._escape(pieces)
        elif c == "$":
            self.dollar(pieces, False)
        elif c == "`":
            self.backquote(False)
            pieces.append((SPLIT, ""))
        else:
            pieces.append((LITERAL, c))
            self.pos = i + 1
            if "\uff01" <= c <= "\uff65" and not c.isalnum():
                self.unclear(i, "a full-width sign that looks like one of the shell's own")

    def _process(self, pieces: list[Piece], via: str) -> None:
        if self.script.posix:
            raise UnreadableError("process substitution is not read by every `sh`")
        start = self.pos
        self.pos += 2
        self.substitution(via)
        if self.pos - start == 3:  # an empty one gives no word at all
            pieces.append((SPLIT, ""))
        else:  # `/dev/fd/63`, a named pipe, or zsh's `/proc/self/fd/11`
            pieces += [(QUOTED, "/"), (VALUE, "")]

    def _escape(self, pieces: list[Piece]) -> None:
        following = self.text[self.pos + 1]
        if following == "\n":
            raise ContinuationError(self.pos)
        if self.pos + 1 == self.last:
            self._last_backslash(pieces)
            return
        pieces.append((QUOTED, following))
        self.pos += 2

    def _last_backslash(self, pieces: list[Piece]) -> None:
        """bash takes a backslash at the very end for itself, mostly."""
        if self.script.shell != "bash" or self.offsets is not None or "\n" in self.text:
            raise UnreadableError("backslash at the end")
        pieces.append((QUOTED, "\\"))
        self.pos += 1

    def double(self, pieces: list[Piece]) -> None:
        """What stands between double quotes, the first of which is behind."""
        text, i, start = self.text, self.pos, len(pieces)
        self.script.descend()
        while True:
            j = i
            while text[j] not in IN_DOUBLE:
                j += 1
            if j > i:
                pieces.append((QUOTED, text[i:j]))
            c = text[j]
            if c == '"':
                break
            self.pos = j
            self._in_double(pieces, c)
            i = self.pos
        self.pos = j + 1
        self.script.depth -= 1
        if len(pieces) == start:
            pieces.append((QUOTED, ""))

    def _in_double(self, pieces: list[Piece], c: str) -> None:
        """A `$`, a backquote or a backslash between double quotes or in a heredoc."""
        if c == "$":
            self.dollar(pieces, True)
        elif c == "`":
            self.backquote(True)
            pieces.append((VALUE, ""))
        elif c == "\\":
            self._escape_in_double(pieces)
        else:
            raise UnreadableError('unterminated `"`')

    def _escape_in_double(self, pieces: list[Piece]) -> None:
        following = self.text[self.pos + 1]
        if following == "\n":
            if pieces and pieces[-1][0] > QUOTED:
                raise ContinuationError(self.pos)
            if not self.skipped or self.skipped[-1] < self.pos:
                self.skipped.append(self.pos)
        elif self.pos + 1 == self.last and not self.heredoc:
            raise UnreadableError("backslash at the end")
        elif following in "\\$`" or (following == '"' and not self.heredoc):
            pieces.append((QUOTED, following))
        else:
            pieces.append((QUOTED, "\\"))
            self.pos -= 1
        self.pos += 2

    def heredoc_pieces(self) -> list[Piece]:
        """What the whole text, the body of a heredoc with expansions, is made of."""
        pieces: list[Piece] = []
        text = self.text
        self.heredoc = True
        while True:
            i = j = self.pos
            while text[j] not in IN_HEREDOC:
                j += 1
            if j > i:
                pieces.append((QUOTED, text[i:j]))
            self.pos = j
            if j == self.last:
                return pieces
            self._in_double(pieces, text[j])

    def dollar(self, pieces: list[Piece], quoted: bool) -> None:
        """What begins with the `$` here."""
        text, i = self.text, self.pos
        c = text[i + 1]
        if c in NAME_START:
            j = i + 2
            while text[j] in NAME:
                j += 1
            pieces.append((QUOTED_VARIABLE if quoted else VARIABLE, text[i + 1 : j]))
            self.pos = j
            self.zsh_subscript(j, text[i + 1 : j])
            self.zsh_modifier(text[i + 1 : j], quoted)
        elif c == "(":
            self._parenthesis(pieces, quoted)
        elif c == "{":
            self.pos = i + 2
            self.parameter(pieces, quoted)
        elif c == "'" and not quoted:
            self._ansi(pieces)
        elif c == '"' and not quoted:
            self._translated(pieces)
        elif c == "[":
            self._old_arithmetic(pieces, quoted)
        elif c == "\\" and text[i + 2] == "\n":
            if self.script.zsh:
                raise UnreadableError("a `$` at the end of a line, which zsh does not join")
            raise ContinuationError(i + 1)
        else:
            self._special(pieces, quoted, c)

    def _special(self, pieces: list[Piece], quoted: bool, c: str) -> None:
        self.pos += 2
        if c in "@*" and not (c == "*" and quoted):
            pieces.append((ELEMENTS if c == "@" else SPLIT, ""))
        elif c in "#?$":
            pieces.append((DIGITS if quoted else NUMBER, ""))
        elif c in "*!-" or c in DECIMAL:
            pieces.append((VALUE if quoted else SPLIT, ""))
        else:
            self.pos -= 1
            pieces.append((QUOTED if quoted else LITERAL, "$"))
            if self.script.zsh and (c in "=~^+:" or not c.isascii()):
                self.unclear(self.pos - 1, f"zsh expands `${c}`")
        self.zsh_modifier("", quoted)
        if c == "#" and self.script.zsh and self.text[self.pos] in NAME_START:
            self.unclear(self.pos - 2, "zsh reads a length here")

    def _parenthesis(self, pieces: list[Piece], quoted: bool) -> None:
        self.pos += 2
        self.whole_operator()
        if self.text[self.pos] == "(":
            self.pos += 1
            self._computed_number(pieces, "))", self.pos - 3, quoted)
        else:
            first = len(self.script.events)
            self.substitution("$(…)")
            inside = f"{first}:{len(self.script.events)}"
            pieces.append((VALUE if quoted else SPLIT, inside))

    def _old_arithmetic(self, pieces: list[Piece], quoted: bool) -> None:
        if self.script.posix:
            raise UnreadableError("`$[…]` is not read by every `sh`")
        self.pos += 2
        self._computed_number(pieces, "]", self.pos - 2, quoted)

    def _computed_number(self, pieces: list[Piece], closer: str, start: int, quoted: bool) -> None:
        certain = self.arithmetic(closer, start)
        if quoted:
            pieces.append((DIGITS if certain else VALUE, ""))
        else:
            pieces.append((NUMBER if certain else SPLIT, ""))

    def _ansi(self, pieces: list[Piece]) -> None:
        start = self.pos
        end = ansi.closing(self.text, start + 2)
        self.whole(start, end)
        self.pos = end + 1
        if self.script.posix:
            self.unclear(start, "`$'…'` is not read by every `sh`")
        value = ansi.decode(self.text[start + 2 : end], self.script.zsh)
        # beyond ASCII the locale counts, and some escapes differ between shells
        pieces.append((VALUE, "") if value is None else (QUOTED, value))

    def _translated(self, pieces: list[Piece]) -> None:
        start = self.pos
        self.pos += 2
        self.double(pieces)
        if self.script.shell != "bash":
            self.unclear(start, '`$"…"` is read by bash only')

    def _setting(self, start: int, i: int, name: str, partly: bool) -> Word | Setting:
        """`name=…` or `name[…]=…`; a word after all if no `=` follows the subscript."""
        self.pos = i
        if self.text[i] == "[":
            self.pos = i + 1
            if self.script.posix:
                raise UnreadableError("arrays are not read by every `sh`")
            self.subscript(name)
            self.continued()
            partly = True
            if self.text[self.pos] == "+":
                self.pos += 1
            if self.text[self.pos] != "=":
                raise UnreadableError("a subscript where a command is expected")
        name = name[:-1] if name[-1] == "+" else name
        self.pos += 1
        self.whole_operator()
        value, elements = None, None
        if self.text[self.pos] == "(":
            elements = self._array()
            if self.text[self.pos] not in BREAK:
                raise UnreadableError("more after an array")
        else:
            value = self._word(self.pos, self.pos, [])
        found = Setting(self.at(start), self.at(self.pos), name, value, partly, elements)
        found.raw = self.source(start)
        return found

    def _array(self) -> list[Word]:
        if self.script.posix:
            raise UnreadableError("arrays are not read by every `sh`")
        self.pos += 1
        elements = []
        while True:
            self.blank()
            c = self.text[self.pos]
            if c == "\n":
                self.inner_newline()
            elif c == ")":
                break
            else:
                elements.append(self._keyed() if c == "[" else self.argument())
        self.pos += 1
        self.script.count_words(len(elements))
        return elements

    def _keyed(self) -> Word:
        """`[key]=value` in an array literal; the key is arithmetic unless the array has names."""
        self.pos += 1
        self.subscript("")
        if self.text[self.pos] == "+":
            self.pos += 1
        self.expect("=")
        return self._word(self.pos, self.pos, [])

    def parameter(self, pieces: list[Piece], quoted: bool) -> None:
        raise NotImplementedError

    def arithmetic(self, closer: str, start: int) -> bool:
        raise NotImplementedError

    def subscript(self, name: str) -> None:
        raise NotImplementedError
