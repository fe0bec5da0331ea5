"""Processes that decide texts, and threads that hand them on."""

import json
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Self

from execpolicy.model.errors import ExecPolicyError
from execpolicy.replay.batch.decider import TextDecider, TextDecision
from execpolicy.replay.batch.policy import BatchPolicy
from execpolicy.support.resources import python

Pair = tuple[str, str | None]

PIECES = 8
"""In how many pieces a process is given its share, so that none waits long for the last."""
LEAST, MOST = 16, 256
"""Texts of a piece."""


class DeciderPool:
    """So many processes; with none, this process decides. A context, which ends them."""

    def __init__(self, policy: BatchPolicy, workers: int) -> None:
        self._own = None if workers else TextDecider(policy.load())
        self._workers = [_Worker(policy) for _ in range(workers)]
        self._free: SimpleQueue[_Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(workers) if workers else None
        try:
            for worker in self._workers:
                worker.ready()
                self._free.put(worker)
        except ExecPolicyError:
            self.close()
            raise

    def decide(self, pairs: Sequence[Pair]) -> list[TextDecision]:
        """The decisions about texts in directories, in their order."""
        if self._own is not None or self._threads is None:
            return [self._own.of(*pair) for pair in pairs] if self._own is not None else []
        size = min(MOST, max(LEAST, len(pairs) // (PIECES * len(self._workers))))
        pieces = [pairs[at : at + size] for at in range(0, len(pairs), size)]
        return [found for piece in self._threads.map(self._piece, pieces) for found in piece]

    def _piece(self, pairs: Sequence[Pair]) -> list[TextDecision]:
        worker = self._free.get()
        try:
            return worker.decide(pairs)
        finally:
            self._free.put(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        if self._threads is not None:
            self._threads.shutdown()
        for worker in self._workers:
            worker.close()


class _Worker:
    """One process, asked by one thread at a time."""

    def __init__(self, policy: BatchPolicy) -> None:
        words = [*python(), "execpolicy.replay.batch.worker"]
        self._process = subprocess.Popen(words, stdin=-1, stdout=-1, text=True)
        self._send(policy.to_json())

    def ready(self) -> None:
        """Wait until it has the policy. Raises `ExecPolicyError` where that is another one."""
        told = self._receive()
        if isinstance(told, dict) and "error" in told:
            raise ExecPolicyError(str(told["error"]))

    def decide(self, pairs: Sequence[Pair]) -> list[TextDecision]:
        """Ask it."""
        self._send(json.dumps(pairs))
        rows = self._receive()
        return [TextDecision(*row) for row in rows] if isinstance(rows, list) else []

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()

    def _send(self, line: str) -> None:
        if self._process.stdin:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _receive(self) -> object:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise ExecPolicyError("a process that decides has ended")
        found: object = json.loads(line)
        return found
