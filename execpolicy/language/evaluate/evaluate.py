"""Evaluates rules texts in a child process that the operating system can end.

Rules come from elsewhere: `[0]*10**9`, 3,000 nested brackets or `sorted(range(10**8))` kill or
hang the process that evaluates them (measured with starlark-pyo3 2026.1). A worker that dies of one
is a problem of the file it was reading, and the files after it are read by a new worker.
"""

import json
import re
from collections.abc import Iterator, Sequence

from execpolicy.language import limits
from execpolicy.language.calls import BuiltinCall, Evaluated
from execpolicy.language.evaluate import child
from execpolicy.language.evaluate.worker import DeadError, borrowed
from execpolicy.language.limits import MAX_GRAMMAR_CHARS
from execpolicy.model.errors import Diagnostic, PolicyError, Span
from execpolicy.support.record import Value

_PLACE = re.compile(rf"^ *--> {child.FILE}:(\d+):(\d+)$", re.MULTILINE)
_FRAME = re.compile(rf"^  \* {child.FILE}:(\d+), in ", re.MULTILINE)

_OF_RECORD = re.compile(r"ValueError: (.*)")
"""What `child.Record` refuses."""


class Source(Value):
    """A rules text and the file name that diagnostics show."""

    file: str
    text: str


def evaluate(sources: Sequence[Source]) -> list[Evaluated]:
    """The calls of each source, in the same order. Never raises for what a text contains."""
    results: list[Evaluated] = []
    while len(results) < len(sources):
        results.extend(_run(sources[len(results) :]))
    return results


def _run(sources: Sequence[Source]) -> Iterator[Evaluated]:
    """Results from one worker, ending after the first source that killed it."""
    with borrowed() as worker:
        for source in sources:
            if refused := limits.check(source.text, source.file):
                yield Evaluated((), (refused,))
                continue
            rewritten = rewrite(source.text)
            try:
                yield _evaluated(worker.ask(rewritten), source, rewritten)
            except DeadError as death:
                hint = "simplify the file; rules are data, not a program"
                problem = Diagnostic("limit", str(death), Span(source.file), hint)
                yield Evaluated((), (problem,))
                return


def _evaluated(answer: bytes, source: Source, rewritten: str) -> Evaluated:
    """What the worker says of a text. `rewritten` is the text as the worker had it."""
    result = json.loads(answer, parse_int=_integer)
    calls = tuple(BuiltinCall(n, tuple(a), k, line) for n, a, k, line in result["calls"])
    if not result["errors"]:
        return Evaluated(calls, ())
    lines, asked = source.text.split("\n"), rewritten.split("\n")
    return Evaluated(calls, tuple(_problem(e, source, lines, asked) for e in result["errors"]))


def _integer(digits: str) -> int:
    """No builtin takes a number, and Python refuses to read one of thousands of digits."""
    return int(digits) if len(digits) < 20 else 0


def _problem(error: str, source: Source, lines: list[str], asked: list[str]) -> Diagnostic:
    """Starlark's message as a diagnostic. Its text is all there is: `--> file:line:column`."""
    if "out of memory" in error.splitlines()[0]:
        message = f"evaluation needed more than {limits.MEMORY_BYTES >> 20} MiB of memory"
        return Diagnostic("limit", message, Span(source.file))
    message = error.partition("error: ")[2] or error
    message = message.split("\n", 1)[0]
    line, column = _place(error)
    text = (lines[line - 1 :] or [""])[0] if line else None
    code = "starlark"
    if message.startswith("Parse error: "):
        code, message = "syntax", _shorten(message.removeprefix("Parse error: "))
    if "serde::serialize" in message:
        code, message, column = "type", "a function cannot be an argument here", 0
    hint = None
    message, found, suggestion = message.partition(", did you mean ")
    if found:
        hint = f"did you mean {suggestion.rstrip('?')}?"
    if text is not None and (asked[line - 1 :] or [""])[0] != text:
        column = 0
    if text is not None and len(text) > limits.MAX_SHOWN_LINE:
        text = None
    if error_of_record := _OF_RECORD.match(message):
        code, message, column = "limit", error_of_record[1], 0
    shown = message[:1].lower() + message[1:]
    return Diagnostic(code, shown, Span(source.file, line, column, column + 1), hint, source=text)


def _place(error: str) -> tuple[int, int]:
    places = _PLACE.findall(error)
    if places:
        return int(places[-1][0]), int(places[-1][1])
    frames = _FRAME.findall(error)
    return (int(frames[-1]), 0) if frames else (0, 0)


def _shorten(message: str) -> str:
    """A parse error without the list of forty tokens that would have fitted."""
    head, found, expected = message.partition(", expected one of ")
    return f"{head}, expected one of {expected}" if found and len(expected) < 60 else head


# A text in which no string has a letter in front of it. Strings and comments are skipped whole:
# the `f"` of `"-f"` begins none. The grammar takes a hundred times as long to say so.
_PLAIN = re.compile(
    r"""(?:[^"'\#\w]++|\w++(?!["'])"""
    r'''|"""(?:[^\\]|\\.)*?"""'''
    r"""|'''(?:[^\\]|\\.)*?'''"""
    r"""|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'|\#[^\n]*+)*+""",
    re.DOTALL,
)


def rewrite(text: str) -> str:
    """The text in syntax that the evaluator has. Lines stay, columns of a rewritten line do not.

    Codex takes any expression between the braces of an f-string, starlark-pyo3 only a name, and it
    has no bytes. Few files use either, so the grammar is asked only where a string has a prefix.
    What does not parse, and what is too long for the grammar, the evaluator refuses.
    """
    if len(text) > MAX_GRAMMAR_CHARS or _PLAIN.fullmatch(text):
        return text
    from execpolicy.language.syntax.lower import lower
    from execpolicy.language.syntax.syntax import parse

    try:
        return lower(parse(text))
    except PolicyError:
        return text
