"""What a word becomes: literal words, or what is known of the ones that the shell computes.

`~` and `~/x`, `"$HOME"` and `"$PWD"` give a path from the root unless the text itself sets the
variable: HOME is what the login gave, and a relative one would break everything else first.
"""

from _collections_abc import Callable

from execpolicy.model.operation import Dynamic, Template
from execpolicy.shell.expansion import braces
from execpolicy.shell.syntax.tree import (
    ELEMENTS,
    LITERAL,
    NUMBER,
    QUOTED,
    QUOTED_VARIABLE,
    SPLIT,
    VARIABLE,
    AssignmentWord,
    Word,
    WordPart,
    has_sign,
)
from execpolicy.support.record import Value

_UNSAFE = frozenset(" \t\n*?[]\\")
_GLOB = frozenset("*?")
_IN_QUOTES = frozenset('"$`\\\n')
_MANY = frozenset((SPLIT, VARIABLE, ELEMENTS))
_VARIABLES = (VARIABLE, QUOTED_VARIABLE)
_UNKNOWN = ("", "")
_ABSOLUTE = frozenset(("HOME", "PWD"))


class Shape(Value):
    """What is known of a computed word: see the fields of `Dynamic` that have these names."""

    not_option: bool = False
    digits_only: bool = False
    template: Template = ()
    fed_by: tuple[str, ...] = ()


UNKNOWN = Shape()


class BelowHome(str):
    """A value that is a path in the home: what follows the home's own name, empty or `/…`."""

    __slots__ = ()


class WordExpander:
    """Turns the words of one script into what programs receive."""

    __slots__ = (
        *("braces", "edges", "moved", "posix", "room", "shape", "split", "text", "values"),
        "zsh",
    )

    def __init__(self, text: str, zsh: bool, posix: bool) -> None:
        self.text = text
        self.braces = "{" in text
        self.room = [braces.MAX_MADE]  # words that braces may still make in all of the text
        self.zsh = zsh  # whether it may be read by something else than bash
        self.posix = posix  # whether by a shell that expands no braces
        self.split = False  # whether the text sets IFS
        self.moved = frozenset[str]()  # which of HOME and PWD the text sets
        self.values: dict[str, str] = {}
        self.edges: dict[str, tuple[str, str]] = {}
        self.shape: Callable[[list[WordPart]], Shape] | None = None

    def knowing(
        self,
        values: dict[str, str],
        edges: dict[str, tuple[str, str]],
        shape: "Callable[[list[WordPart]], Shape]",
    ) -> "WordExpander":
        """The same for words in which variables have these values, or values that begin and end
        so, and `shape` says what is known of what is computed."""
        found = WordExpander(self.text, self.zsh, self.posix)
        found.split, found.moved, found.room = self.split, self.moved, self.room
        found.values, found.edges, found.shape = values, edges, shape
        return found

    def words(self, word: Word) -> list[str | Dynamic]:
        """The words that `word` becomes where it is an argument."""
        if word.text is not None:
            return [word.text]
        parts = self._filled(word.parts)
        if self.braces and has_sign(parts, "{") and has_sign(parts, "}"):
            return self._braced(word, parts)
        return [self._assembled(word, parts)]

    def scalar(self, word: Word | None) -> str | Dynamic | None:
        """The value of `word` where it is assigned, fed as a here-string or matched."""
        if word is None or word.text is not None:
            return None if word is None else word.text
        parts = self._filled(word.parts, quoted=True)
        text, known = self._leading(parts, glob=False)
        return text if known else Dynamic(self.source(word), text, single=True, names=word.names)

    def below_home(self, word: Word) -> BelowHome | None:
        """The value of `word` where nothing of it is computed but the home that it begins with."""
        parts = self._filled(word.parts, quoted=True)
        first, rest = parts[0], "".join(part.text for part in parts[1:])
        named = first.kind in _VARIABLES and first.text == "HOME"
        if not (named or first.is_sign("~")) or "HOME" in self.moved or rest[:1] not in ("", "/"):
            return None
        plain = all(part.kind <= QUOTED for part in parts[1:]) and not _is_glob(parts)
        return BelowHome(rest) if plain and _IN_QUOTES.isdisjoint(rest) else None

    def source(self, word: "Word | AssignmentWord") -> str:
        """What stands there, without line continuations and escapes that the shell replaces."""
        text = self.text[word.start : word.end]
        changed = "\\\n" in text or "$'" in text or '$"' in text
        return word.raw if changed and word.raw is not None else text

    def _filled(self, parts: list[WordPart], quoted: bool = False) -> list[WordPart]:
        """Variables with a known value replaced, where the value stays one word."""
        if not self.values:
            return parts
        bare = quoted or all(map(self.whole, self.values.values()))
        filled = []
        for part in parts:
            value = self.values.get(part.text) if part.kind in _VARIABLES else None
            if value is None or not (part.kind == QUOTED_VARIABLE or bare or self.whole(value)):
                filled.append(part)
                continue
            if isinstance(value, BelowHome):
                filled.append(WordPart(part.kind, "HOME"))
            if value or not isinstance(value, BelowHome):
                filled.append(WordPart(QUOTED, value))
        return filled

    def _shown(self, word: Word, parts: list[WordPart]) -> str:
        """The source of a computed word, with the home where the value of a variable begins so."""
        source = self.source(word)
        if parts is word.parts or not any(p.text == "HOME" and p.kind in _VARIABLES for p in parts):
            return source
        found = [_as_source(part) for part in parts]
        return source if None in found else "".join(map(str, found)).replace('""', "")

    def whole(self, value: str) -> bool:
        """Whether a variable with this value is just that word where it stands without quotes."""
        some = value != "" or isinstance(value, BelowHome)
        return some and not self.split and _UNSAFE.isdisjoint(value)

    def _braced(self, word: Word, parts: list[WordPart]) -> list[str | Dynamic]:
        """A word with braces. With computed parts, or too many results, it stays computed."""
        if _completes_a_name(self.source(word)):
            return [Dynamic(self.source(word), names=word.names)]
        if all(part.kind <= QUOTED and part.text and not part.is_sign("$") for part in parts):
            atoms = [(c, part.kind == QUOTED) for part in parts for c in part.text]
            try:
                found = braces.expand(atoms, not self.zsh, self.room[0])
            except braces.TooManyError:
                return [self._unexpanded(word, parts)]
            self.room[0] -= len(found)
            if self._differs(atoms, found):
                return [self._unexpanded(word, parts)]
            return self._expanded(word, found)
        literal = [part.text for part in parts if part.kind == LITERAL]
        if any("," in text or ".." in text for text in literal):
            return [self._unexpanded(word, parts)]
        return [self._assembled(word, parts)]

    def _differs(self, atoms: list[braces.Atom], found: list[list[braces.Atom]]) -> bool:
        """Whether another shell that may read the text makes other words of these braces."""
        if self.posix:
            return found != [atoms]
        dots = found == [atoms] and ".." in "".join(c for c, _ in atoms)
        return self.zsh and (dots or [] in found)

    def _expanded(self, word: Word, found: list[list[braces.Atom]]) -> list[str | Dynamic]:
        results: list[str | Dynamic] = []
        for atoms in found:
            if atoms:
                made = [WordPart(QUOTED if quoted else LITERAL, c) for c, quoted in atoms]
                one = self._assembled(word, made)
                if isinstance(
                    one, Dynamic
                ):  # a glob: what is written in the braces is not its name
                    one = one.replace(source="".join(["\\" * quoted + c for c, quoted in atoms]))
                results.append(one)
        return results

    def _unexpanded(self, word: Word, parts: list[WordPart]) -> Dynamic:
        if any(part.kind in _MANY for part in parts):
            return Dynamic(self.source(word), names=word.names)
        opening = next(i for i, part in enumerate(parts) if part.is_sign("{"))
        before = parts[:opening]
        if has_sign(before, "~"):
            return Dynamic(self.source(word), names=word.names)
        text, _ = self._leading(before, glob=True)
        return Dynamic(self.source(word), text, names=word.names)

    def _assembled(self, word: Word, parts: list[WordPart]) -> str | Dynamic:
        text, known = self._leading(parts, glob=True)
        if known:
            return text
        many = any(part.kind in _MANY or (part.kind == NUMBER and self.split) for part in parts)
        shape = self.shape(parts) if self.shape is not None else UNKNOWN
        digits = shape.digits_only and not text
        source = self._shown(word, parts)
        if many:
            return Dynamic(
                source,
                not_option=shape.not_option,
                digits_only=digits,
                fed_by=shape.fed_by,
                names=word.names,
            )
        return Dynamic(
            source,
            text,
            not _is_glob(parts),
            shape.not_option and not text,
            digits,
            shape.template,
            self._end(parts),
            shape.fed_by,
            word.names,
        )

    def _end(self, parts: list[WordPart]) -> str:
        """What the value of a loop variable that ends the word ends with."""
        last = parts[-1]
        known = self.edges and last.kind in _VARIABLES
        return self.edges.get(last.text, _UNKNOWN)[1] if known else ""

    def _leading(self, parts: list[WordPart], glob: bool) -> tuple[str, bool]:
        """The literal text that begins the word, and whether that is all of it."""
        emptied = self.zsh and bool(parts) and parts[0].kind == QUOTED and not parts[0].text
        if glob and not emptied and not _is_computed(parts):
            glob = _is_glob(parts)
            if not glob:
                return "".join([part.text for part in parts]), True
        found: list[str] = []
        before = ""
        for i, part in enumerate(parts):
            kind, text = part.kind, part.text
            if kind == LITERAL:
                if text == "~" and before in ("", "=", ":"):
                    return self._tilde(found, parts, i), False
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

    def _tilde(self, found: list[str], parts: list[WordPart], i: int) -> str:
        """What stands before the part that is a `~`, and the path that it is."""
        following = parts[i + 1] if i + 1 < len(parts) else None
        slash = following is None or (following.kind == LITERAL and following.text[0] == "/")
        return "".join(found) + ("/" if i == 0 and slash and "HOME" not in self.moved else "")

    def _variable(self, name: str) -> str:
        if name in _ABSOLUTE and name not in self.moved:
            return "/"
        return self.edges.get(name, _UNKNOWN)[0]


def _as_source(part: WordPart) -> str | None:
    """What stands for a part in a text; None where that is not known."""
    kind, text = part.kind, part.text
    if kind in _VARIABLES:
        name = "$HOME" if text == "HOME" else f"${{{text}}}"
        return f'"{name}"' if kind == QUOTED_VARIABLE else name
    if kind == LITERAL or (kind == QUOTED and all(c.isalnum() or c in "/._-" for c in text)):
        return text
    return f'"{text}"' if kind == QUOTED and _IN_QUOTES.isdisjoint(text) else None


def _is_computed(parts: list[WordPart]) -> bool:
    """Whether a part is computed or may be a `~`."""
    return any(part.kind > QUOTED or (part.kind == LITERAL and "~" in part.text) for part in parts)


def _is_glob(parts: list[WordPart]) -> bool:
    """Whether a glob character stands outside of quotes."""
    opened = False
    for part in parts:
        if part.kind == LITERAL:
            if part.text in _GLOB or (part.text == "]" and opened):
                return True
            opened = opened or part.text == "["
    return False


def _completes_a_name(source: str) -> bool:
    """Whether braces may make another name of a bare `$name`.

    They are expanded first: `$n{1,2}` is `$n1 $n2`, and `{$n,x}1` is `$n1 x1`.
    """
    ends = "{" if source.count("}") == 1 and source.endswith("}") else "{,}"
    at = source.find("$")
    while at >= 0:
        end = at + 1
        while end < len(source) and (source[end] == "_" or source[end].isalnum()):
            end += 1
        if end > at + 1 and source[end : end + 1] and source[end] in ends:
            return True
        at = source.find("$", at + 1)
    return False
