"""The child process that evaluates rules texts, which the operating system can end.

It is limited in memory, processor time and wall-clock time, and so is the size of its answers.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from execpolicy.language import limits
from execpolicy.language.builtins.table import BUILTINS
from execpolicy.language.evaluate import child
from execpolicy.support.watching import Aside

MAX_FRAME_BYTES = 2 * child.MAX_ANSWER_BYTES
"""The calls, and the errors beside them."""


class DeadError(Exception):
    """The child ended, or was ended, without an answer. The message says which limit was hit."""


class Worker:
    """A child and the pipes to it, to be asked as long as it `answers`."""

    def __init__(self) -> None:
        # Isolated mode keeps modules of the current directory out of it.
        command = [sys.executable, "-I", child.__file__, child.LIBRARY, str(limits.MEMORY_BYTES)]
        with Aside():
            self._process = subprocess.Popen(
                [*command, *BUILTINS],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                close_fds=True,
            )
        self.answers = True

    def ask(self, text: str) -> bytes:
        """The answer for one text. Raises `DeadError` where there is none in time."""
        self.answers = False
        with Aside():
            answer = self._ask(text)
        self.answers = True
        return answer

    def _ask(self, text: str) -> bytes:
        body = json.dumps({"text": text, "cpu": limits.cpu_seconds(text)}).encode()
        try:
            _pipe(self._process.stdin).write(b"%d\n%b" % (len(body), body))
            _pipe(self._process.stdin).flush()
        except OSError as error:
            raise DeadError(self._cause()) from error
        return self._frame(time.monotonic() + limits.WALL_SECONDS)

    def end(self) -> None:
        """End the child, whatever it does."""
        with Aside():
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe:
                    pipe.close()
            except OSError:  # a write to the dead child is still buffered
                continue

    def _frame(self, deadline: float) -> bytes:
        """One length-prefixed answer, read until `deadline`."""
        output = _pipe(self._process.stdout)
        buffer = bytearray()
        needed: int | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            while needed is None or len(buffer) < needed:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise DeadError(f"evaluation took longer than {limits.WALL_SECONDS:.0f} s")
                chunk = os.read(output.fileno(), 1 << 20)
                if not chunk:
                    raise DeadError(self._cause())
                buffer += chunk
                if needed is None and b"\n" in buffer:
                    header, _, rest = buffer.partition(b"\n")
                    needed, buffer = int(header), rest
                    if needed > MAX_FRAME_BYTES:
                        most = MAX_FRAME_BYTES
                        raise DeadError(f"evaluation made more than {most} bytes")
        return bytes(buffer)

    def _cause(self) -> str:
        """Which limit ended the child, as far as its exit status tells."""
        status = self._process.wait()
        if status == -signal.SIGXCPU:
            return f"evaluation took more than {limits.CPU_SECONDS} s of processor time"
        if status in (-signal.SIGABRT, -signal.SIGKILL):
            return f"evaluation needed more than {limits.MEMORY_BYTES >> 20} MiB of memory"
        if status == -signal.SIGSEGV:
            return "evaluation crashed: an expression is nested or chained too deeply"
        return f"evaluation ended without an answer (exit status {status})"


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe of a child that was started with pipes."""
    if pipe is None:
        raise DeadError("the evaluator has no pipe")
    return pipe


_waiting: list[Worker] = []
_kept: list[None] = []
"""One for each `kept` that is not left: as long as there are any, workers wait to be used."""
_of_parent: list[Worker] = []


def _forget() -> None:
    """After a fork: the workers answer the parent."""
    _of_parent.extend(_waiting)
    _waiting.clear()


os.register_at_fork(after_in_child=_forget)


@contextmanager
def kept() -> Iterator[None]:
    """A worker that is started within serves all later evaluations within."""
    _kept.append(None)
    try:
        yield
    finally:
        _kept.pop()
        while _waiting and not _kept:
            _waiting.pop().end()


@contextmanager
def ahead() -> Iterator[None]:
    """A worker is started now, while its user still loads, and serves all evaluations within."""
    with kept():
        _waiting.append(Worker())
        yield


@contextmanager
def borrowed() -> Iterator[Worker]:
    """A worker that waits, or a new one. Afterwards it waits again where another user may come."""
    try:
        worker = _waiting.pop()
    except IndexError:
        worker = Worker()
    answers = False
    try:
        yield worker
        answers = worker.answers
    finally:
        if answers and _kept:
            _waiting.append(worker)
        else:
            worker.end()
