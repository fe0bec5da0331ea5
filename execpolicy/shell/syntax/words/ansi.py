"""`$'…'`: the ANSI-C quotes (bash manual, section 3.1.2.4)."""

from execpolicy.shell.syntax.state import UnreadableError
from execpolicy.support.record import Value

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
_BYTE = 0xDC00
"""What is added to a byte that is no ASCII, until the bytes around it are known."""
_DIGITS = {"x": (2, 16), "u": (4, 16), "U": (8, 16)}


def closing(text: str, start: int) -> int:
    """The place of the quote that closes the ones opened before `start`."""
    i = start
    while True:
        i = text.find("'", i)
        if i < 0:
            raise UnreadableError("unterminated `$'`")
        backslashes = i - 1
        while backslashes >= start and text[backslashes] == "\\":
            backslashes -= 1
        if (i - backslashes) % 2:
            return i
        i += 1


class Decoded(Value):
    """What stands in `$'…'`: the text, and whether every locale and shell reads that very one."""

    text: str
    certain: bool


def decode(text: str, portable: bool) -> Decoded:
    """What `text` stands for in a UTF-8 locale, up to the first NUL.

    If `portable`, it is certain only where zsh reads the same.
    """
    parts = text.split("\\")
    found = parts[0]
    certain = True
    i = 1
    while i < len(parts):
        part = parts[i]
        if part == "":
            found += "\\" + (parts[i + 1] if i + 1 < len(parts) else "")
            i += 2
            continue
        value = _escape(part, portable)
        certain = certain and value.certain
        found += value.text
        i += 1
        if "\0" in value.text:
            found, certain = found[: found.index("\0")], certain and not portable
            break
    if not certain:
        found = found.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return Decoded(found, certain)


def _escape(part: str, portable: bool) -> Decoded:
    """`part` follows a backslash and reaches up to the next one."""
    c = part[0]
    if c in _SIMPLE:
        return Decoded(_SIMPLE[c] + part[1:], not (portable and c == "?"))
    if c in _OCTAL:
        return _numeric(part, 0, 3, 8, _OCTAL)
    if c in _DIGITS:
        width, base = _DIGITS[c]
        return _numeric(part, 1, width, base, _HEX)
    return Decoded("\\" + part, not portable and c != "c")


def _numeric(part: str, start: int, width: int, base: int, digits: frozenset[str]) -> Decoded:
    end = start
    while end < len(part) and end - start < width and part[end] in digits:
        end += 1
    if end == start:
        return Decoded("\\" + part, certain=False)
    code = int(part[start:end], base)
    # Beyond ASCII the bytes depend on the locale; a NUL ends the string in bash, not in zsh.
    if code < 128:
        return Decoded(chr(code) + part[end:], certain=True)
    is_byte = part[0] not in "uU"
    char = chr(_BYTE + code % 256) if is_byte else chr(code) if code < 0xD800 else "\ufffd"
    return Decoded(char + part[end:], certain=False)
