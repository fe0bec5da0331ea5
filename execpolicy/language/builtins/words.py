"""Splitting an example into words, as the Rust crate `shlex` does.

It is a quoting syntax, not a shell: `&&`, `;`, `|`, `>` and `$x` are ordinary text. It differs
from Python's `shlex.split` in four points: `#` at the start of a word begins a comment, a backslash
before a line end vanishes with it, a backslash inside double quotes also escapes `$` and the
backtick, and a carriage return does not separate words.
"""

from collections.abc import Iterator

_BLANK = " \t\n"
_ESCAPED_IN_DOUBLE = '$`"\\'


def split(text: str) -> tuple[str, ...]:
    """The words of `text`.

    Raises `ValueError` for an unclosed quote or a backslash at the very end.

    >>> split("git commit -m 'two words' # why")
    ('git', 'commit', '-m', 'two words')
    """
    words: list[str] = []
    chars = iter(text)
    for char in chars:
        if char in _BLANK:
            continue
        if char == "#":
            _skip_comment(chars)
            continue
        word, started = _word(char, chars)
        if started:
            words.append(word)
    return tuple(words)


def _skip_comment(chars: Iterator[str]) -> None:
    for char in chars:
        if char == "\n":
            return


def _word(first: str, chars: Iterator[str]) -> tuple[str, bool]:
    """One word from its first character on, and whether there is one (a lone `\\⏎` is none)."""
    parts: list[str] = []
    started = False
    char: str | None = first
    while char is not None and char not in _BLANK:
        if char == "'":
            parts.append(_single(chars))
        elif char == '"':
            parts.append(_double(chars))
        elif char == "\\":
            escaped = _next(chars, "a backslash at the end")
            if escaped == "\n":
                char = next(chars, None)
                if not started and char is not None and char in _BLANK + "#":
                    return _resume(char, chars)
                continue
            parts.append(escaped)
        else:
            parts.append(char)
        started = True
        char = next(chars, None)
    return "".join(parts), started


def _resume(char: str, chars: Iterator[str]) -> tuple[str, bool]:
    if char == "#":
        _skip_comment(chars)
    return "", False


def _single(chars: Iterator[str]) -> str:
    parts = []
    while (char := _next(chars, "an unclosed `'`")) != "'":
        parts.append(char)
    return "".join(parts)


def _double(chars: Iterator[str]) -> str:
    parts = []
    while (char := _next(chars, 'an unclosed `"`')) != '"':
        if char == "\\":
            char = _next(chars, 'an unclosed `"`')
            if char == "\n":
                continue
            if char not in _ESCAPED_IN_DOUBLE:
                parts.append("\\")
        parts.append(char)
    return "".join(parts)


def _next(chars: Iterator[str], problem: str) -> str:
    char = next(chars, None)
    if char is None:
        raise ValueError(problem)
    return char
