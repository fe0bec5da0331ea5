"""The syntax of git's configuration (git-config(1)), read as git reads it (`config.c`).

There is one reader of it. `tests/places/test_git_syntax.py` compares it with git itself.
"""

import posixpath
from _collections_abc import Callable, Iterator

from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

MAX_DEPTH, MAX_FILES = 10, 100
"""How deep includes go, as in git, and how many files are read for one configuration."""
_SPACE = " \t\n\r"
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NAME = _LETTERS | frozenset("0123456789-")
_HEAD = _NAME | {"."}
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "\\": "\\", '"': '"'}
INCLUDES = words_of("git")["including"]


class Setting(Value):
    """One setting: its name as git prints it, and its value, None where it has no `=`."""

    name: str
    value: str | None

    @property
    def word(self) -> str:
        """Its section and its key, without the name that the section has in quotes."""
        return f"{self.name.partition('.')[0]}.{self.name.rpartition('.')[2]}"


class _BrokenError(ValueError):
    """A line that git refuses, with all of the file."""


def settings(text: str) -> tuple[list[Setting], bool]:
    """The settings of a text, and whether git takes it: after a line that it refuses none is read.

    >>> settings('[a "B"] c = "d # e" # f')
    ([Setting(name='a.B.c', value='d # e')], True)
    """
    reader = _ConfigurationParser(text)
    try:
        reader.read()
    except _BrokenError:
        return reader.found, False
    return reader.found, True


def followed(
    path: str, text_of: "Callable[[str], str]", home: str | None
) -> "Iterator[tuple[str, list[Setting], bool]]":
    """A file and all that it includes, whatever the condition: each with its settings, and whether
    git takes it."""
    waiting, known = [(path, 0)], {path}
    while waiting:
        here, depth = waiting.pop(0)
        found, whole = settings(text_of(here))
        yield here, found, whole
        for included in (one.value for one in found if one.word in INCLUDES and one.value):
            other = placed(included, posixpath.dirname(here), home)
            if depth < MAX_DEPTH and other not in known and len(known) < MAX_FILES:
                known.add(other)
                waiting.append((other, depth + 1))


def placed(path: str, base: str, home: str | None) -> str:
    """The path that a setting names, from a directory."""
    if path[:2] == "~/" and home:
        path = home + path[1:]
    return posixpath.join(base, path)


class _ConfigurationParser:
    """Reads a text from its beginning. The end of it is the end of a line."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text.removeprefix("\ufeff").replace("\r\n", "\n"), 0
        self._stem = ""
        self.found: list[Setting] = []

    def read(self) -> None:
        """Read all settings. Raises `_BrokenError` where git would refuse the file."""
        while self._at < len(self._text):
            char = self._next()
            if char in "#;":
                self._line()
            elif char == "[":
                self._stem = self._section() + "."
            elif char in _LETTERS:
                self._at -= 1
                name = self._stem + self._while(_NAME).lower()
                self.found.append(Setting(name, self._given()))
            elif char not in _SPACE:
                raise _BrokenError

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1 : self._at] or "\n"

    def _while(self, chars: frozenset[str]) -> str:
        start = self._at
        while self._text[self._at : self._at + 1] in chars:
            self._at += 1
        return self._text[start : self._at]

    def _line(self) -> str:
        """The rest of the line, of which the end is read too."""
        start, end = self._at, self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        self._at = end + 1
        return self._text[start:end]

    def _section(self) -> str:
        """`core]`, `core.sub]` or `core "sub"]`."""
        section = self._while(_HEAD).lower()
        char = self._next()
        if char == "]" and section:
            return section
        if char not in _SPACE:
            raise _BrokenError
        while char in _SPACE:
            if char == "\n":
                raise _BrokenError
            char = self._next()
        if char != '"':
            raise _BrokenError
        return f"{section}.{self._quoted()}"

    def _quoted(self) -> str:
        """`sub"]`, in which a backslash only takes the meaning of what follows."""
        name = ""
        while (char := self._next()) != '"':
            char = self._next() if char == "\\" else char
            if char == "\n":
                raise _BrokenError
            name += char
        if self._next() != "]":
            raise _BrokenError
        return name

    def _given(self) -> str | None:
        """What follows a key: nothing, or `= value`."""
        char = self._next()
        while char in " \t":
            char = self._next()
        if char == "\n":
            return None
        if char != "=":
            raise _BrokenError
        start, line = self._at, self._line()
        if not any(sign in line for sign in '"\\#;'):
            return line.strip(_SPACE).partition("\0")[0]
        self._at = start
        return self._value()

    def _value(self) -> str:
        """A value with quotes, escapes or a comment."""
        value, space, quoted = "", "", False
        while (char := self._next()) != "\n":
            if char in _SPACE and not quoted:
                space += char if value else ""
                continue
            if char in "#;" and not quoted:
                self._line()
                break
            value, space = value + space, ""
            if char == '"':
                quoted = not quoted
            else:
                value += self._escaped() if char == "\\" else char
        if quoted:
            raise _BrokenError
        return value.partition("\0")[0]

    def _escaped(self) -> str:
        char = self._next()
        if char != "\n" and char not in _ESCAPED:
            raise _BrokenError
        return _ESCAPED.get(char, "")
