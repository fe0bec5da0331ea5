"""What a rules file may cost, and the checks that need no evaluation.

Starlark's parser recurses and its native functions cannot be interrupted, so a short text can
crash or hang the process that reads it. Size and nesting are checked here before anything parses
the text; memory, processor time and wall-clock time bound the process that evaluates it.
"""

import re

from execpolicy.model.errors import Diagnostic, Span

MAX_BYTES = 8 * 1024 * 1024
MAX_NESTING = 200
MAX_GRAMMAR_CHARS = 256 * 1024
"""What the grammar of the language reads, in this process: about a second's work."""
MAX_STEPS = 5_000_000
"""Comparisons that the examples and exceptions of one file may take."""
MAX_WEIGHT = {"path_rule": 5_000, "canonical_matching": 20_000}
"""Patterns of paths, and tokens compared without case, in one file: a command meets all of them."""
MAX_PATH_CHARS = 1024
MAX_OPERANDS = 256
MAX_PROBLEMS = 200
MAX_SHOWN_LINE = 1000
MEMORY_BYTES = 768 * 1024 * 1024
CPU_SECONDS = 2
WALL_SECONDS = 60.0
"""On a busy machine, two seconds of processor time take long."""

# Strings and comments are skipped whole, so that a bracket in them does not count. The possessive
# run in front keeps the number of matches down to that of the brackets.
_TOKEN = re.compile(
    r"""(?:[^][(){}"'\#]++"""
    r'''|"""(?:[^\\]|\\.)*?"""'''
    r"""|'''(?:[^\\]|\\.)*?'''"""
    r"""|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|\#[^\n]*+)*+(.?)""",
    re.DOTALL,
)


def cpu_seconds(text: str) -> int:
    """Seconds of processor time for evaluating `text`: a fixed share and one more per MiB."""
    return CPU_SECONDS + len(text) // (1024 * 1024)


def decode(data: bytes, file: str) -> tuple[str, Diagnostic | None]:
    """The text of a rules file, or why it has none. CRLF line ends become LF."""
    if len(data) > MAX_BYTES:
        message = f"file has {len(data)} bytes, the limit is {MAX_BYTES}"
        return "", Diagnostic("size", message, Span(file), "split it into several files")
    try:
        return data.decode().replace("\r\n", "\n"), None
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return "", Diagnostic("encoding", message, Span(file, line, column, column + 1))


def check(text: str, file: str) -> Diagnostic | None:
    """Why `text` must not be parsed, or None."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token[1]
        if mark and mark in "[({":
            depth += 1
            if depth > MAX_NESTING:
                message = f"brackets nest deeper than {MAX_NESTING}"
                return _at(text, file, token.start(1), "nesting", message)
        elif mark and mark in "])}":
            depth = max(0, depth - 1)
    return None


def _at(text: str, file: str, offset: int, code: str, message: str) -> Diagnostic:
    line = text.count("\n", 0, offset) + 1
    column = offset - text.rfind("\n", 0, offset)
    return Diagnostic(code, message, Span(file, line, column, column + 1))
