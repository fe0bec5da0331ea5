"""A word of a plain text: quotes, patterns, variables that nothing in the text sets."""

from execpolicy.model.operation import Dynamic, Word
from execpolicy.shell.chars import NAME, NAME_START, PLAIN

_ESCAPED = frozenset("()[]{}<>!;*?+|&$'\"`\\ ,:=~#%@^-/.")
_UNKNOWN = frozenset("`!")
"""What this reader leaves to the grammar inside double quotes."""
_LIVE = _UNKNOWN | {"$", "\\"}
_ESCAPED_IN_DOUBLE = frozenset('"\\$`')
_LONE = frozenset('" /|.,)')
"""Behind a dollar sign inside double quotes that means itself."""
_BEHIND = frozenset("/.,- \"';|")
"""What can follow a variable without being about it in any shell."""
_WITH_BRACES = (",", "..", "$")
"""What may make more of braces, to some shell."""
_ABSOLUTE = ("HOME", "PWD")


def read_word(text: str, begin: int) -> tuple[Word, int] | None:
    """The word that begins there, and where it ends; None where it takes the grammar to tell."""
    reader = _WordReader(text, begin)
    end = reader.read()
    if end <= begin or (reader.braced and any(sign in text[begin:end] for sign in _WITH_BRACES)):
        return None
    return reader.word(), end


class _WordReader:
    """`value` is the word so far, `known` how much of it is literal, where not all is.

    `rooted` tells that it is a path from the root, whatever is computed. `names` are variables.
    """

    __slots__ = (
        *("at", "begin", "braced", "glob", "known", "many", "names", "rooted", "text"),
        "value",
    )

    def __init__(self, text: str, begin: int) -> None:
        self.text = text
        self.begin = self.at = begin
        self.value = ""
        self.known = -1
        self.braced = self.glob = self.many = self.rooted = False
        self.names: tuple[str, ...] = ()

    def word(self) -> Word:
        if self.known < 0:
            return self.value
        source = self.text[self.begin : self.at]
        if self.many:
            return Dynamic(source, names=self.names)
        begins = "/" if self.rooted else self.value[: self.known]
        return Dynamic(source, begins, not self.glob, names=self.names)

    def read(self) -> int:
        """Where the word ends, or -1."""
        text, size = self.text, len(self.text)
        while self.at < size:
            char = text[self.at]
            if char in PLAIN or (char == "=" and self.value) or _is_letter(char):
                self.value += char
                self.at += 1
            elif char in " ;|&":
                break
            elif not self._special(char):
                return -1
        return self.at

    def _special(self, char: str) -> bool:
        """Go past a character that is more than itself; False where that is left to the grammar."""
        text, at = self.text, self.at
        if char == "'":
            end = text.find("'", at + 1)
            return end >= 0 and self._take(text[at + 1 : end], end + 1)
        if char == '"':
            return self._double()
        if char == "\\":
            return text[at + 1 : at + 2] in _ESCAPED and self._take(text[at + 1], at + 2)
        if char in "*?":
            self.glob = True
            self._computed()
            return self._take(char, at + 1)
        if char == "$":
            if text[at + 1 : at + 2] in ("", " ", "|", ";"):
                return self._take(char, at + 1)
            self.many = True
            return self._variable()
        if char == "~":
            return self._tilde()
        return self._braces(char)

    def _take(self, value: str, end: int) -> bool:
        self.value += value
        self.at = end
        return True

    def _computed(self) -> None:
        if self.known < 0:
            self.known = len(self.value)

    def _double(self) -> bool:
        text, self.at = self.text, self.at + 1
        end = text.find('"', self.at)
        if end >= 0 and _LIVE.isdisjoint(text[self.at : end]):
            return self._take(text[self.at : end], end + 1)
        while self.at < len(text):
            char = text[self.at]
            if char == '"':
                self.at += 1
                return True
            behind = text[self.at + 1 : self.at + 2]
            if char == "\\" and behind in _ESCAPED_IN_DOUBLE:
                self._take(behind, self.at + 2)
            elif char == "$" and behind not in _LONE:
                if not self._variable():
                    return False
            elif char in _UNKNOWN:
                return False
            else:
                self._take(char, self.at + 1)
        return False

    def _variable(self) -> bool:
        """`$name` and `${name}`: nothing is known of them but that they are not set here."""
        text, at = self.text, self.at + 1
        braced = text[at : at + 1] == "{"
        start = end = at + braced
        if text[end : end + 1] not in NAME_START:
            return False
        while text[end : end + 1] in NAME:
            end += 1
        behind = end + braced
        if braced and text[end : end + 1] != "}":
            return False
        ends = behind == len(text) or text[behind] in _BEHIND
        return ends and self._named(text[start:end], behind)

    def _named(self, name: str, behind: int) -> bool:
        self._computed()
        self.names = (*self.names, name)
        if self.at == self.begin + 1 and name in _ABSOLUTE and not self.many:
            self.rooted = True  # the first in double quotes
        return name != "IFS" and self._take("$", behind)

    def _tilde(self) -> bool:
        """`~` and `~/x` are from the root; inside of a word `~` means itself."""
        at, text = self.at, self.text
        if at == self.begin:
            if text[at + 1 : at + 2] not in ("", " ", "/"):
                return False
            self._computed()
            self.rooted = True
        elif not self.value or self.value[-1] in ":=":
            return False
        return self._take("~", at + 1)

    def _braces(self, char: str) -> bool:
        """`{}`, and `!` alone, are themselves."""
        at, text = self.at, self.text
        alone = at == self.begin and text[at + 1 : at + 2] in ("", " ")
        if char == "!" and alone:
            return self._take(char, at + 1)
        self.braced = True
        return text[at : at + 2] == "{}" and self._take("{}", at + 2)


def _is_letter(char: str) -> bool:
    """Whether this means itself and looks like nothing else: no full-width sign."""
    return char > "\x7f" and not "\uff01" <= char <= "\uff65"
