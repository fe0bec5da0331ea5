"""Problems that know their place, and the exceptions that carry them.

ExecPolicyError
├── PolicyError      rules could not be used; `diagnostics` holds every problem found
├── RequestError     a request is not one: empty, with a NUL, not text
└── UsageError       the command line is wrong
"""

from execpolicy.support.record import Value


class Span(Value):
    """A place in a file. Lines and columns count from 1, columns in characters; `end_column` is
    the column after the last character. Column 0 means that only the line is known, line 0 that
    only the file is."""

    file: str
    line: int = 0
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n)]
        return ":".join(parts)


class Diagnostic(Value):
    """One problem: a stable `code`, a sentence, its place, and what to do about it."""

    code: str
    message: str
    span: Span
    hint: str | None = None
    severity: str = "error"
    source: str | None = None

    def fields(self) -> "dict[str, object]":
        """The problem for programs, without its source line."""
        span = self.span
        said = {"code": self.code, "severity": self.severity, "message": self.message}
        return {
            **said,
            "hint": self.hint,
            "file": span.file,
            "line": span.line,
            "column": span.column,
        }

    def render(self) -> str:
        """The problem as text for the user.

        >>> print(Diagnostic("decision", "unknown decision `deny`", Span("a.rules", 3, 5, 11),
        ...       "write `forbidden`", source='x = "deny"').render())
        a.rules:3:5: error[decision]: unknown decision `deny`
            x = "deny"
                ^~~~~~
          hint: write `forbidden`
        """
        lines = [f"{self.span}: {self.severity}[{self.code}]: {self.message}"]
        if self.source:
            lines.append(f"    {printable(self.source)}")
            if self.span.column:
                lines.append("    " + self._caret())
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def _caret(self) -> str:
        before = printable((self.source or "")[: self.span.column - 1])
        width = max(1, self.span.end_column - self.span.column)
        return " " * len(before) + "^" + "~" * (width - 1)


class ExecPolicyError(Exception):
    """Anything this package raises on purpose."""


class PolicyError(ExecPolicyError):
    """Rules that could not be used. `diagnostics` holds every problem, in order of place."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("\n".join(d.render() for d in diagnostics))
        self.diagnostics = diagnostics


class RequestError(ExecPolicyError, ValueError):
    """Not a valid request: no command, an empty word list, a NUL in a word."""


class UsageError(ExecPolicyError):
    """A command line that cannot be carried out as written. `code` is the exit code it gives."""

    def __init__(self, message: str, code: int = 64) -> None:
        super().__init__(message)
        self.code = code


def printable(text: str, limit: int | None = None) -> str:
    """`text` with everything that could mislead a reader shown escaped.

    Control characters, bidirectional marks, zero-width and other invisible characters, line
    separators and lone surrogates become `\\n`, `\\x1b`, `\\u202e`. With a `limit`, a longer text
    shows its head and its tail.

    >>> printable("ls\\x1b[2K\\u202e")
    'ls\\\\x1b[2K\\\\u202e'
    >>> printable("abcdefghij", limit=7)
    'abc … ij'
    """
    if limit is not None and len(text) > limit:
        head = (limit - 2) // 2 + 1
        return printable(text[:head]) + " … " + printable(text[len(text) - (limit - head - 2) :])
    if text.isprintable() and (text.isascii() or _BLANKS.isdisjoint(text)):
        return text
    return "".join(
        c if c.isprintable() and c not in _BLANKS else c.encode("unicode_escape").decode()
        for c in text
    )


def has_surrogates(text: str) -> bool:
    """Whether a text holds lone surrogates: Python writes bytes so that are no UTF-8 (PEP 383).

    >>> has_surrogates("caf\\udce9"), has_surrogates("café")
    (True, False)
    """
    return not text.isascii() and any("\ud800" <= char <= "\udfff" for char in text)


def stands_for_bytes(text: str) -> bool:
    """Whether a text is what Python makes of some bytes: no other text stands for the same.

    >>> [stands_for_bytes(text) for text in ("caf\\udce9", "\\ud800", "\\udcc3\\udca9")]
    [True, False, False]
    """
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return data.decode("utf-8", "surrogateescape") == text


def not_utf8(word: str) -> str:
    """What is said of a word that is not the one text that stands for its bytes."""
    hint = "give its bytes to `execpolicy check -- WORD…`, in a locale of UTF-8"
    return f"`{printable(word, 40)}` is not valid UTF-8: {hint}"


# Printable by their Unicode category, yet drawn as nothing: fillers, the blank Braille pattern,
# the grapheme joiner and variation selectors.
_BLANKS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)
