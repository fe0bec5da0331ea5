"""What zsh reads differently in a word (zshexpn(1)). Nothing of it counts where bash is certain."""

from execpolicy.shell.chars import BREAK
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.cursor import Cursor
from execpolicy.shell.syntax.state import ContinuationError
from execpolicy.shell.syntax.tree import LITERAL, QUOTED, Piece

_MODIFIERS = frozenset("aAcehlpPqQrstuwWfFgx&")
_CHANGING = frozenset("sgfFwWQ&")
_FAR = 256
"""A longer modifier is not looked into."""
_QUOTE_END = frozenset('"\0')


class ZshWords(Cursor):
    """Says where a word may be another one in zsh."""

    __slots__ = ()

    def zsh_subscript(self, j: int, name: str) -> None:
        """zsh reads `$name[…]` as a subscript, and what is in it as arithmetic."""
        if self.text[j] != "[" or not self.script.zsh:
            return
        self.script.modified.add(name)
        end = self.text.find("]", j)
        inner = self.text[j + 1 : end]
        if end < 0 or not (inner in ("@", "*") or (inner.isascii() and inner.isdigit())):
            self.unclear(j, "zsh reads a subscript here")

    def zsh_modifier(self, name: str, quoted: bool) -> None:
        """zsh reads `$name:t` and `$name:s/a/b/` as in its history (zshexpn(1), Modifiers).

        A part of a known value may be anything; one of an output stays as tame as it is unless
        something is put into it, by the last of several modifiers too.
        """
        text = self.text
        if text[self.pos] != ":" or not self.script.zsh:
            return
        i = self._modifier(self.pos)
        if i:
            self.script.modified.add(name)
        while i and text[i] not in _CHANGING:
            i += 1
            while text[i] in DECIMAL:  # `:h2`
                i += 1
            i = self._modifier(i)
        if i and self._puts_something(i, _QUOTE_END if quoted else BREAK):
            self.unclear(self.pos, "zsh reads a modifier here")

    def _modifier(self, i: int) -> int:
        """The place of the modifier whose colon stands at `i`, 0 if there is none."""
        if self._unbroken(i) != ":":
            return 0
        return i + 1 if self._unbroken(i + 1) in _MODIFIERS else 0

    def _unbroken(self, i: int) -> str:
        """The character there; a line continuation is taken out first."""
        if self.text[i] == "\\" and self.text[i + 1] == "\n":
            raise ContinuationError(i)
        return self.text[i]

    def _puts_something(self, start: int, stop: frozenset[str]) -> bool:
        """Whether a modifier may put the sign of an option into a value, or evaluate a text."""
        text, end = self.text, start
        while text[end] not in stop and end - start < _FAR:
            end += 1
        modifier = text[start:end]
        if end - start == _FAR or modifier[:1] in ("", "Q", "F", "&"):
            return True
        if not frozenset("\"'\\$`").isdisjoint(modifier):
            return True
        if modifier[0] == "s":
            modifier = modifier[2:].partition(modifier[1:2] or "/")[2]
        return "-" in modifier or "+" in modifier

    def zsh_word(self, start: int, pieces: list[Piece]) -> None:
        """What zsh reads differently in a word without quotes."""
        if not self.script.zsh or not pieces:
            return
        filled = [piece for piece in pieces if piece != (QUOTED, "")]  # zsh drops empty quotes
        if filled[:1] == [(LITERAL, "=")] and filled[1:2] not in ([], [(LITERAL, "=")]):
            self.unclear(start, "zsh expands `=name` to a path")
        opened = 0
        for piece in pieces:
            if piece == (LITERAL, "{"):
                opened += 1
            elif piece == (LITERAL, "}"):
                opened -= 1
        if opened < 0:
            self.unclear(start, "zsh ends a group at this `}`")
        elif opened > 0 and pieces[0] == (LITERAL, "{"):
            self.unclear(start, "zsh may begin a group at this `{`")
