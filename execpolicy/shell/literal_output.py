"""The very text that a command with literal words prints: `echo x`, `printf x`, a filter of such.

It may be more than what is printed: a filter drops lines, and where backslashes count depends on
the shell. So it only adds to what is judged.
"""

from execpolicy.model.operation import Exec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.model.operation import Word
    from execpolicy.shell.analysis.outputs import Output

MAX_CHARS = 1 << 16
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "", "b": "", "f": "\n", "v": "\n", "\\": "\\"}
_OCTAL, _HEX = "01234567", "0123456789abcdefABCDEF"
_CODES = {"x": 2, "u": 4, "U": 8}
_FILTERS = ("input", "colon", "less")


def printed(argv: "tuple[Word, ...]", given: str | None, output: "Output") -> str | None:
    """What a command prints that reads the text `given`; None where that is not known.

    `output` says what its output looks like (docs/program.md, `prints`).
    """
    words = [word for word in argv if isinstance(word, str)]
    if len(words) < len(argv):
        return None
    prints = output(argv)
    if prints == "words":
        return echoed(words[1:])
    if prints == "format":
        return formatted(words[1:])
    if prints == "base64":
        return decoded(given)
    return given if prints in _FILTERS else None


def with_input(commands: "tuple[Exec, ...]", output: "Output") -> "tuple[Exec, ...]":
    """The commands of a list, each with what the one before it in its pipeline prints."""
    found: list[Exec] = []
    text: str | None = None
    for at, command in enumerate(commands):
        command = command.replace(piped=text) if text is not None else command
        after = commands[at + 1] if at + 1 < len(commands) else None
        goes_on = bool(after and after.fed_by) and (text is not None or not command.fed_by)
        text = printed(command.argv, command.piped, output) if goes_on else None
        found.append(command)
    return tuple(found)


def decoded(text: str | None) -> str | None:
    """What a text in base64 stands for (RFC 4648), None where it is none."""
    if text is None:
        return None
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(text).decode("utf-8", "replace")
    except (Error, ValueError):
        return None


def echoed(words: "Sequence[str]") -> str:
    r"""What `echo` prints, with escapes read wherever some echo would.

    >>> echoed(["-n", "rm", "-rf", r"\x2f"])
    'rm -rf /'
    """
    at = 0
    while at < len(words) and words[at][:1] == "-" and words[at][1:].strip("neE") == "":
        at += 1
    return unescaped(" ".join(words[at:])) + ("" if at else "\n")


def formatted(words: "Sequence[str]") -> str | None:
    r"""What `printf` prints, where it takes no more than texts; the format is used again while
    arguments are left.

    >>> formatted(["%s %s\n", "rm", "-rf", "/"]), formatted([r"\57%%"])
    ('rm -rf\n/ \n', '/%')
    """
    words = words[1:] if words[:1] == ["--"] else words
    if not words:
        return None
    pieces = unescaped(words[0]).replace("%%", "\0").split("%")
    if any(piece[:1] not in ("s", "b", "q") for piece in pieces[1:]):
        return None
    left, found = list(words[1:]), ""
    while len(found) < MAX_CHARS:
        found += pieces[0]
        for piece in pieces[1:]:
            given = left.pop(0) if left else ""
            found += (unescaped(given) if piece[0] == "b" else given) + piece[1:]
        if not left or len(pieces) == 1:
            break
    return found.replace("\0", "%")


def unescaped(text: str) -> str:
    r"""The text with what its backslashes stand for (bash manual, 4.2, `echo`).

    >>> unescaped(r"a\tb\57\x2F\u002f")
    'a\tb///'
    """
    first, *rest = text.split("\\")
    found, rest = first, list(rest)
    while rest:
        piece = rest.pop(0)
        if not piece and rest:
            found += "\\" + rest.pop(0)
            continue
        code, digits = piece[:1], piece[1:]
        if code in _CODES:
            number = _taken(digits, _HEX, _CODES[code])
            found += _char(number, 16) + digits[len(number) :]
        elif code and code in _OCTAL:
            number = _taken(piece, _OCTAL, 4 if code == "0" else 3)
            found += _char(number, 8) + piece[len(number) :]
        else:
            found += _ESCAPES.get(code, "\\" + code) + digits
    return found


def _taken(text: str, digits: str, most: int) -> str:
    return text[: next((n for n, c in enumerate(text[:most]) if c not in digits), most)]


def _char(number: str, base: int) -> str:
    code = int(number, base) if number else 0
    return chr(code) if code < 0x110000 else ""
