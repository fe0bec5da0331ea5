"""What zsh reads differently in a word (zshexpn(1)). Nothing of it counts where bash is certain.

A word that may mean something else asks (`unsupported`); a variable of which zsh may take a part
has no known value (`script.modified`).
"""

from execpolicy.shell.chars import BREAK
from execpolicy.shell.chars import DIGITS as DECIMAL
from execpolicy.shell.syntax.parser import Parser
from execpolicy.shell.syntax.state import ContinuationError
from execpolicy.shell.syntax.tree import QUOTED, WordPart

_MODIFIERS = frozenset("aAcehlpPqQrstuwWfFgx&")
_CHANGING = frozenset("sgfFwWQ&")
"""Modifiers after which a text follows, or which are repeated."""
_FAR = 256
"""A longer modifier is not looked into."""
_QUOTE_END = frozenset('"\0')


def subscript(p: Parser, j: int, name: str) -> None:
    """zsh reads `$name[…]` as a subscript, and what is in it as arithmetic."""
    if p.text[j] != "[" or not p.script.zsh:
        return
    p.script.modified.add(name)
    end = p.text.find("]", j)
    inner = p.text[j + 1 : end]
    if end < 0 or not (inner in ("@", "*") or (inner.isascii() and inner.isdigit())):
        p.unsupported(j, "zsh reads a subscript here")


def modifier(p: Parser, name: str, quoted: bool) -> None:
    """zsh reads `$name:t` and `$name:s/a/b/` as in its history (zshexpn(1), Modifiers).

    Most modifiers (`:h`) only cut a value; one that puts text into it (`:s/a/-x/`) could make it
    an option, and that asks. Several may follow each other.
    """
    text = p.text
    if text[p.pos] != ":" or not p.script.zsh:
        return
    i = _modifier(p, p.pos)
    if i:
        p.script.modified.add(name)
    while i and text[i] not in _CHANGING:
        i += 1
        while text[i] in DECIMAL:  # `:h2`
            i += 1
        i = _modifier(p, i)
    if i and _puts_something(p, i, _QUOTE_END if quoted else BREAK):
        p.unsupported(p.pos, "zsh reads a modifier here")


def _modifier(p: Parser, i: int) -> int:
    """The place of the modifier whose colon stands at `i`, 0 if there is none."""
    if _unbroken(p, i) != ":":
        return 0
    return i + 1 if _unbroken(p, i + 1) in _MODIFIERS else 0


def _unbroken(p: Parser, i: int) -> str:
    """The character there; a line continuation is taken out first."""
    if p.text[i] == "\\" and p.text[i + 1] == "\n":
        raise ContinuationError(i)
    return p.text[i]


def _puts_something(p: Parser, start: int, stop: frozenset[str]) -> bool:
    """Whether a modifier may put the sign of an option into a value, or evaluate a text."""
    text, end = p.text, start
    while text[end] not in stop and end - start < _FAR:
        end += 1
    written = text[start:end]
    if end - start == _FAR or written[:1] in ("", "Q", "F", "&"):
        return True
    if not frozenset("\"'\\$`").isdisjoint(written):
        return True
    if written[0] == "s":
        written = written[2:].partition(written[1:2] or "/")[2]
    return "-" in written or "+" in written


def word(p: Parser, start: int, parts: list[WordPart]) -> None:
    """What zsh reads differently in a word without quotes."""
    if not p.script.zsh or not parts:
        return
    filled = [part for part in parts if part.kind != QUOTED or part.text]  # no empty quotes in zsh
    if len(filled) > 1 and filled[0].is_sign("=") and not filled[1].is_sign("="):
        p.unsupported(start, "zsh expands `=name` to a path")
    opened = 0
    for part in parts:
        if part.is_sign("{"):
            opened += 1
        elif part.is_sign("}"):
            opened -= 1
    if opened < 0:
        p.unsupported(start, "zsh ends a group at this `}`")
    elif opened > 0 and parts[0].is_sign("{"):
        p.unsupported(start, "zsh may begin a group at this `{`")
