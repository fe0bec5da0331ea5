"""What a word becomes: literal words, or what is known of the ones that the shell computes.

`~` and `~/x`, `"$HOME"` and `"$PWD"` give a path from the root unless the text itself sets the
variable: HOME is what the login gave, and a relative one would break everything else first.
"""

from execpolicy.model.operation import Dynamic
from execpolicy.shell.expansion import braces
from execpolicy.shell.syntax.tree import (
    ELEMENTS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VARIABLE,
    Piece,
    Setting,
    Word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_EMPTY = (QUOTED, "")
_UNSAFE = frozenset(" \t\n*?[]\\")
_GLOB = frozenset("*?")
_MANY = frozenset((SPLIT, VARIABLE, ELEMENTS))
_UNKNOWN = ("", "")
_ABSOLUTE = frozenset(("HOME", "PWD"))


class Cook:
    """Turns the words of one script into what programs receive."""

    __slots__ = ("edges", "moved", "posix", "split", "tame", "text", "values", "zsh")

    def __init__(self, text: str, zsh: bool, posix: bool) -> None:
        self.text = text
        self.zsh = zsh  # whether it may be read by something else than bash
        self.posix = posix  # whether by a shell that expands no braces
        self.split = False  # whether the text sets IFS
        self.moved = frozenset[str]()  # which of HOME and PWD the text sets
        self.values: dict[str, str] = {}
        self.edges: dict[str, tuple[str, str]] = {}
        self.tame: Callable[[list[Piece]], tuple[bool, bool, str]] | None = None

    def words(self, word: Word) -> list[str | Dynamic]:
        """The words that `word` becomes where it is an argument."""
        if word.text is not None:
            return [word.text]
        pieces = self._filled(word.pieces)
        if (LITERAL, "{") in pieces and (LITERAL, "}") in pieces:
            return self._braced(word, pieces)
        return [self._assembled(word, pieces)]

    def scalar(self, word: Word | None) -> str | Dynamic | None:
        """The value of `word` where it is assigned, fed as a here-string or matched."""
        if word is None or word.text is not None:
            return None if word is None else word.text
        pieces = self._filled(word.pieces, quoted=True)
        text, known = self._leading(pieces, glob=False)
        return text if known else Dynamic(self.source(word), text, True)

    def source(self, word: "Word | Setting") -> str:
        """What stands there, without line continuations that the shell removes."""
        text = self.text[word.start : word.end]
        return word.raw if word.raw is not None and "\\\n" in text else text

    def _filled(self, pieces: list[Piece], quoted: bool = False) -> list[Piece]:
        """Variables with a known value replaced, where the value stays one word."""
        if not self.values:
            return pieces
        filled = []
        for kind, text in pieces:
            value = self.values.get(text) if kind in (VARIABLE, QUOTED_VARIABLE) else None
            if value is not None and (quoted or kind == QUOTED_VARIABLE or self.whole(value)):
                filled.append((QUOTED, value))
            else:
                filled.append((kind, text))
        return filled

    def whole(self, value: str) -> bool:
        """Whether a variable with this value is just that word where it stands without quotes."""
        return value != "" and not self.split and _UNSAFE.isdisjoint(value)

    def _braced(self, word: Word, pieces: list[Piece]) -> list[str | Dynamic]:
        """A word with braces. With computed pieces, or too many results, it stays computed."""
        if _completes_a_name(self.source(word)):
            return [Dynamic(self.source(word))]
        if all(kind <= QUOTED for kind, _ in pieces) and (LITERAL, "$") not in pieces:
            atoms = [(c, kind == QUOTED) for kind, text in pieces for c in text or " "]
            if ("", True) not in atoms and all(text for _, text in pieces):
                try:
                    found = braces.expand(atoms, not self.zsh)
                except braces.TooManyError:
                    return [self._unexpanded(word, pieces)]
                if self._differs(atoms, found):
                    return [self._unexpanded(word, pieces)]
                return self._expanded(word, found)
        if any("," in text or ".." in text for kind, text in pieces if kind == LITERAL):
            return [self._unexpanded(word, pieces)]
        return [self._assembled(word, pieces)]

    def _differs(self, atoms: list[braces.Atom], found: list[list[braces.Atom]]) -> bool:
        """Whether another shell that may read the text makes other words of these braces."""
        if self.posix:
            return found != [atoms]
        dots = len(found) == 1 and ".." in "".join(c for c, _ in atoms)
        return self.zsh and (dots or [] in found)

    def _expanded(self, word: Word, found: list[list[braces.Atom]]) -> list[str | Dynamic]:
        results: list[str | Dynamic] = []
        for atoms in found:
            if atoms:
                made = [(QUOTED if quoted else LITERAL, c) for c, quoted in atoms]
                results.append(self._assembled(word, made))
        return results

    def _unexpanded(self, word: Word, pieces: list[Piece]) -> Dynamic:
        if any(kind in _MANY for kind, _ in pieces):
            return Dynamic(self.source(word))
        before = pieces[: pieces.index((LITERAL, "{"))]
        if (LITERAL, "~") in before:
            return Dynamic(self.source(word))
        text, _ = self._leading(before, glob=True)
        return Dynamic(self.source(word), text)

    def _assembled(self, word: Word, pieces: list[Piece]) -> str | Dynamic:
        text, known = self._leading(pieces, glob=True)
        if known:
            return text
        many = any(kind in _MANY or (kind == NUMBER and self.split) for kind, _ in pieces)
        plain, number, holed = self.tame(pieces) if self.tame is not None else (False, False, "")
        number = number and not text
        if many:
            return Dynamic(self.source(word), plain=plain, number=number)
        plain = plain and not text
        end = self._end(pieces)
        return Dynamic(self.source(word), text, not _is_glob(pieces), plain, number, holed, end)

    def _end(self, pieces: list[Piece]) -> str:
        """What the value of a loop variable that ends the word ends with."""
        kind, name = pieces[-1]
        known = self.edges and kind in (VARIABLE, QUOTED_VARIABLE)
        return self.edges.get(name, _UNKNOWN)[1] if known else ""

    def _leading(self, pieces: list[Piece], glob: bool) -> tuple[str, bool]:
        """The literal text that begins the word, and whether that is all of it."""
        plain = not (self.zsh and pieces[:1] == [_EMPTY])
        if glob and plain and not any(k > QUOTED or (k == LITERAL and "~" in t) for k, t in pieces):
            glob = _is_glob(pieces)
            if not glob:
                return "".join(text for _, text in pieces), True
        found: list[str] = []
        before = ""
        for i, (kind, text) in enumerate(pieces):
            if kind == LITERAL:
                if text == "~" and before in ("", "=", ":"):
                    return self._tilde(found, pieces, i), False
                named = self.zsh and i > 0 and before == "" and text[:1] == "="
                if named or (glob and text in ("*", "?", "[")):
                    return "".join(found), False
            elif kind != QUOTED:
                if not found and kind == QUOTED_VARIABLE:
                    return self._variable(text), False
                return "".join(found) + self.edges.get(text, _UNKNOWN)[0], False
            found.append(text)
            if text or not self.zsh:  # empty quotes are gone before zsh looks for a `~`
                before = text[-1:] if kind == LITERAL else "'"
        return "".join(found), True

    def _tilde(self, found: list[str], pieces: list[Piece], i: int) -> str:
        following = pieces[i + 1] if i + 1 < len(pieces) else (LITERAL, "/")
        home = (
            i == 0
            and following[0] == LITERAL
            and following[1][0] == "/"
            and "HOME" not in self.moved
        )
        return "".join(found) + ("/" if home else "")

    def _variable(self, name: str) -> str:
        if name in _ABSOLUTE and name not in self.moved:
            return "/"
        return self.edges.get(name, _UNKNOWN)[0]


def _is_glob(pieces: list[Piece]) -> bool:
    """Whether a glob character stands outside of quotes."""
    opened = False
    for kind, text in pieces:
        if kind == LITERAL:
            if text in _GLOB or (text == "]" and opened):
                return True
            opened = opened or text == "["
    return False


def _completes_a_name(source: str) -> bool:
    """Whether braces follow a bare `$name`: they are expanded first, `$n{1,2}` is `$n1 $n2`."""
    at = source.find("$")
    while at >= 0:
        end = at + 1
        while end < len(source) and (source[end] == "_" or source[end].isalnum()):
            end += 1
        if end > at + 1 and source[end : end + 1] == "{":
            return True
        at = source.find("$", at + 1)
    return False
