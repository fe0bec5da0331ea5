r"""What a string literal means: prefixes, quotes and escapes, as starlark-rust reads them.

`\a \b \f \n \r \t \v`, `\\ \' \"`, `\x41`, `\u0041`, `\U0001F600`, one to three octal digits, and a
line end after a backslash, which vanishes. Any other escape stays as it is, backslash included. A
carriage return vanishes. In a raw string only a backslash before a quote vanishes.
"""

import re

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "\n": "",
    "\r\n": "",
}
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-7]{1,3}|\r?[\s\S])|\r")
_RAW = re.compile(r"\\(\r\n|[\s\S])|\r")
_LITERAL = re.compile(r"[bf]?r?(\"\"\"|'''|\"|')")


class EscapeError(ValueError):
    """An escape that means nothing; `start` and `end` are its offsets in the text."""

    def __init__(self, escape: str, start: int) -> None:
        super().__init__(f"`{escape}` is not an escape")
        self.start = start
        self.end = start + len(escape)


def value(literal: str) -> str:
    r"""What a string literal stands for. Raises `EscapeError`.

    >>> value(r'"a\tb"')
    'a\tb'
    >>> value(r'r"\d"')
    '\\d'
    """
    opening, inner, offset = split(literal)
    if "\\" not in inner and "\r" not in inner:
        return inner
    return raw(inner) if "r" in opening else unescape(inner, offset)


def split(literal: str) -> tuple[str, str, int]:
    """A literal's prefix with its opening quotes, what stands between the quotes, and where that
    begins."""
    match = _LITERAL.match(literal)
    if match is None:
        raise ValueError(f"`{literal}` is not a string")
    return match[0], literal[match.end() : len(literal) - len(match[1])], match.end()


def raw(inner: str) -> str:
    """The text between the quotes of a raw string, read."""
    return _RAW.sub(lambda m: _raw_escape(m[1]) if m[1] else "", inner)


def _raw_escape(after: str) -> str:
    return after if after in "'\"" else "\\" + after


def unescape(inner: str, offset: int = 0) -> str:
    """The text between the quotes of a string, read. Raises `EscapeError`, its offsets shifted."""
    return _ESCAPE.sub(lambda m: _escape(m[1], offset + m.start()) if m[1] else "", inner)


def _escape(after: str, start: int) -> str:
    if after in _SIMPLE:
        return _SIMPLE[after]
    kind = after[0]
    if kind in "01234567":
        return chr(int(after, 8))
    if kind in "xuU":
        code = int(after[1:], 16) if len(after) > 1 else 0x110000
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise EscapeError("\\" + after, start)
        return chr(code)
    if kind == "\r":
        raise EscapeError("\\", start)
    return "\\" + after
