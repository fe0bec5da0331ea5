"""`$'…'`: the ANSI-C quotes (bash manual, section 3.1.2.4)."""

from execpolicy.shell.syntax.state import UnreadableError

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_HEX = frozenset("0123456789abcdefABCDEF")
_OCTAL = frozenset("01234567")
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


def decode(text: str, portable: bool) -> str | None:
    """What `text` stands for, None where that depends on the locale.

    If `portable`, also where it depends on the shell.
    """
    if "\\" not in text:
        return text
    parts = text.split("\\")
    out = [parts[0]]
    i = 1
    while i < len(parts):
        part = parts[i]
        if part == "":
            following = parts[i + 1] if i + 1 < len(parts) else ""
            out.append("\\" + following)
            i += 2
            continue
        value = _escape(part, portable)
        if value is None:
            return None
        out.append(value)
        i += 1
        if "\0" in value:
            whole = "".join(out)
            return None if portable else whole[: whole.index("\0")]
    return "".join(out)


def _escape(part: str, portable: bool) -> str | None:
    """`part` follows a backslash and reaches up to the next one."""
    c = part[0]
    if c in _SIMPLE:
        return None if portable and c == "?" else _SIMPLE[c] + part[1:]
    if c in _OCTAL:
        return _numeric(part, 0, 3, 8, _OCTAL)
    if c in _DIGITS:
        width, base = _DIGITS[c]
        return _numeric(part, 1, width, base, _HEX)
    return None if portable or c == "c" else "\\" + part


def _numeric(part: str, start: int, width: int, base: int, digits: frozenset[str]) -> str | None:
    end = start
    while end < len(part) and end - start < width and part[end] in digits:
        end += 1
    if end == start:
        return None
    code = int(part[start:end], base)
    # Beyond ASCII the bytes depend on the locale; a NUL ends the string in bash, not in zsh.
    return chr(code) + part[end:] if code < 128 else None
