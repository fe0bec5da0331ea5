"""Evaluates rules texts in a child process that the operating system can end.

Rules are somebody else's text: `[0]*10**9`, 3,000 nested brackets or `sorted(range(10**8))` kill or
hang whoever evaluates them (measured with starlark-pyo3 2026.1). The child is limited in memory,
processor time and wall-clock time; what it hands back is JSON with a size cap. A child that dies is
a problem of the file it was reading, and the files after it are read by a new child.
"""

import json
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import IO

from execpolicy.errors import Diagnostic, Span
from execpolicy.language import child, limits, literals
from execpolicy.language.calls import BUILTINS, Call, Evaluated
from execpolicy.value import Value

_PLACE = re.compile(rf"^ *--> {child.FILE}:(\d+):(\d+)$", re.MULTILINE)
_FRAME = re.compile(rf"^  \* {child.FILE}:(\d+), in ", re.MULTILINE)


class Source(Value):
    """A rules text and the file name that diagnostics show."""

    file: str
    text: str


class _DeadError(Exception):
    """The child ended, or was ended, without an answer. The message says which limit was hit."""


def evaluate(sources: Sequence[Source]) -> list[Evaluated]:
    """The calls of each source, in the same order. Never raises for what a text contains."""
    results: list[Evaluated] = []
    while len(results) < len(sources):
        results.extend(_run(sources[len(results) :]))
    return results


def _run(sources: Sequence[Source]) -> Iterator[Evaluated]:
    """Results from one child, ending after the first source that killed it."""
    process: subprocess.Popen[bytes] | None = None
    try:
        for source in sources:
            if refused := limits.check(source.text, source.file):
                yield Evaluated((), (refused,))
                continue
            process = process or _spawn()
            try:
                yield _evaluated(_ask(process, source), source)
            except _DeadError as death:
                hint = "simplify the file; rules are data, not a program"
                problem = Diagnostic("limit", str(death), Span(source.file), hint)
                yield Evaluated((), (problem,))
                return
    finally:
        if process:
            _end(process)


def _spawn() -> subprocess.Popen[bytes]:
    """A fresh child. Isolated mode keeps modules of the current directory out of it."""
    command = [sys.executable, "-I", child.__file__, child.LIBRARY, str(limits.MEMORY_BYTES)]
    return subprocess.Popen(
        [*command, *BUILTINS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env={},
        close_fds=True,
    )


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe:
                pipe.close()
        except OSError:  # a write to the dead child is still buffered
            continue


def _ask(process: subprocess.Popen[bytes], source: Source) -> bytes:
    """The child's answer for one source. Raises `_DeadError` where there is none in time."""
    text = literals.rewrite(source.text)
    body = json.dumps({"text": text, "cpu": limits.cpu_seconds(text)}).encode()
    try:
        _pipe(process.stdin).write(b"%d\n%b" % (len(body), body))
        _pipe(process.stdin).flush()
    except OSError as error:
        raise _DeadError(_cause(process)) from error
    return _frame(process, time.monotonic() + limits.WALL_SECONDS)


def _frame(process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """One length-prefixed answer, read until `deadline`."""
    output = _pipe(process.stdout)
    buffer = bytearray()
    needed: int | None = None
    with selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while needed is None or len(buffer) < needed:
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise _DeadError(f"evaluation took longer than {limits.WALL_SECONDS:.0f} s")
            chunk = os.read(output.fileno(), 1 << 20)
            if not chunk:
                raise _DeadError(_cause(process))
            buffer += chunk
            if needed is None and b"\n" in buffer:
                header, _, rest = buffer.partition(b"\n")
                needed, buffer = int(header), rest
                if needed > limits.MAX_ANSWER_BYTES:
                    raise _DeadError(f"evaluation made more than {limits.MAX_ANSWER_BYTES} bytes")
    return bytes(buffer)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe of a child that was started with pipes."""
    if pipe is None:
        raise _DeadError("the evaluator has no pipe")
    return pipe


def _cause(process: subprocess.Popen[bytes]) -> str:
    """Which limit ended the child, as far as its exit status tells."""
    status = process.wait()
    if status == -signal.SIGXCPU:
        return f"evaluation took more than {limits.CPU_SECONDS} s of processor time"
    if status in (-signal.SIGABRT, -signal.SIGKILL):
        return f"evaluation needed more than {limits.MEMORY_BYTES >> 20} MiB of memory"
    if status == -signal.SIGSEGV:
        return "evaluation crashed: an expression is nested or chained too deeply"
    return f"evaluation ended without an answer (exit status {status})"


def _evaluated(answer: bytes, source: Source) -> Evaluated:
    result = json.loads(answer, parse_int=_integer)
    calls = tuple(Call(n, tuple(a), k, line) for n, a, k, line in result["calls"])
    return Evaluated(calls, tuple(_problem(error, source) for error in result["errors"]))


def _integer(digits: str) -> int:
    """No builtin takes a number, and Python refuses to read one of thousands of digits."""
    return int(digits) if len(digits) < 20 else 0


def _problem(error: str, source: Source) -> Diagnostic:
    """Starlark's message as a diagnostic. Its text is all there is: `--> file:line:column`."""
    if "out of memory" in error.splitlines()[0]:
        message = f"evaluation needed more than {limits.MEMORY_BYTES >> 20} MiB of memory"
        return Diagnostic("limit", message, Span(source.file))
    message = error.partition("error: ")[2] or error
    message = message.split("\n", 1)[0]
    line, column = _place(error)
    text = (source.text.split("\n")[line - 1 :] or [""])[0] if line else None
    code = "starlark"
    if message.startswith("Parse error: "):
        code, message = "syntax", _shorten(message.removeprefix("Parse error: "))
    if "serde::serialize" in message:
        code, message, column = "type", "a function cannot be an argument here", 0
    hint = None
    message, found, suggestion = message.partition(", did you mean ")
    if found:
        hint = f"did you mean {suggestion.rstrip('?')}?"
    if text is not None and literals.rewrite(source.text).split("\n")[line - 1] != text:
        column = 0
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
