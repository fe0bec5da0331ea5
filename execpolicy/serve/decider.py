"""The one thread that decides. All requests that are there when it is free are one turn."""

import gc
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from execpolicy.serve.engines import Engines, Turn
from execpolicy.serve.inputs import Given, Process, process
from execpolicy.serve.standing_in import Client, For
from execpolicy.support.record import Value

Work = Callable[[Turn, Process], bytes]
"""What is done for a request, by the thread that stands in for the process."""

MAX_JOBS = 64
"""Requests of one turn: the first of them waits for the last."""
MAX_WAITING = 1024
"""Requests that wait for a turn. Beyond, a client decides itself."""


class Result(Value):
    """What became of a request: its answer, or why the client has to decide itself.

    `unsent` are variables whose values were asked for: who sends them may ask again.
    """

    answer: bytes = b""
    declined: str = ""
    unsent: tuple[str, ...] = ()


class Source(Protocol):
    """Where jobs come from in the thread that decides: descriptors that it waits for."""

    def begin(self, poll: select.epoll) -> None:
        """Register them."""

    def ready(self, descriptor: int) -> None:
        """Something is there, and may be a job to submit. Raises nothing."""

    def rest(self) -> float:
        """The seconds until `rest` has to be called again; -1 for as long as nothing comes."""

    def end(self) -> None:
        """Let go of them."""


class Job(Value):
    """A request: the client's fields, what is to be done for it, who is told, and until when."""

    given: "Given"
    work: Work
    done: "Callable[[Result], None]"
    until: float


class Decider:
    """Runs jobs in a thread of its own; `own` are the fields of the server itself.

    Other threads submit jobs, and `sources` do in this one.
    """

    def __init__(self, own: "Given") -> None:
        self.engines = Engines()
        self.own = own
        self.turns = self.decided = self.declined = 0
        self._waiting: deque[Job] = deque()
        self._lock = threading.Lock()
        self._ends = False
        self._source: Source | None = None
        self._poll = select.epoll()
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._poll.register(self._wake, select.EPOLLIN)
        self._thread = threading.Thread(target=self._run, name="decides", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def listen(self, source: Source) -> None:
        """Take jobs from a source from now on."""
        source.begin(self._poll)
        self._source = source
        os.eventfd_write(self._wake, 1)

    def warm(self, work: Work, seconds: float) -> None:
        """Do something for the server itself first: the shipped rules may have to be compiled, and
        no client is to wait for that, nor for what is there from now on to be looked through for
        garbage."""
        over = threading.Event()
        self.submit(Job(self.own, work, lambda _: over.set(), time.monotonic() + seconds))
        over.wait(seconds)
        gc.collect()
        gc.freeze()
        self.turns = self.decided = self.declined = 0

    def stop(self) -> None:
        """Do what waits, and end."""
        with self._lock:
            self._ends = True
        os.eventfd_write(self._wake, 1)
        self._thread.join()
        if self._source is not None:
            self._source.end()
        self._poll.close()
        os.close(self._wake)

    def submit(self, job: Job) -> None:
        """Do it in the next turn; where too many wait, it is declined at once."""
        with self._lock:
            taken = not self._ends and len(self._waiting) < MAX_WAITING
            if taken:
                self._waiting.append(job)
                if threading.get_ident() != self._thread.ident:
                    os.eventfd_write(self._wake, 1)
        if not taken:
            job.done(Result(declined="too many requests wait"))

    def waiting(self) -> int:
        """How many requests wait for a turn."""
        return len(self._waiting)

    def _run(self) -> None:
        while jobs := self._next():
            self._turn(jobs)

    def _next(self) -> list[Job]:
        """The jobs of a turn, when there are any; none at the end of all."""
        while True:
            self._receive()
            with self._lock:
                jobs = [self._waiting.popleft() for _ in range(min(MAX_JOBS, len(self._waiting)))]
                if jobs or self._ends:
                    return jobs

    def _receive(self) -> None:
        """Take all that is there now; where there is nothing, wait for it."""
        seconds = -1.0 if self._source is None else self._source.rest()
        for descriptor, _ in self._poll.poll(0 if self._waiting else seconds):
            if descriptor == self._wake:
                os.eventfd_read(self._wake)
            elif self._source is not None:
                self._source.ready(descriptor)

    def _turn(self, jobs: list[Job]) -> None:
        self.turns += 1
        with Turn(self.engines) as turn:
            results = [self._result(job, turn) for job in jobs]
        for job, result in zip(jobs, results, strict=True):
            self.decided += not result.declined
            self.declined += bool(result.declined)
            job.done(result)

    def _result(self, job: Job, turn: Turn) -> Result:
        """What a job gives. A mistake of the engine's own is no reason to end the thread."""
        if time.monotonic() > job.until:
            return Result(declined="it waited too long")
        asking = process(job.given, self.own)
        if isinstance(asking, str):
            return Result(declined=asking)
        client = Client(asking)
        try:
            with For(client):
                answer = job.work(turn, asking)
        except Exception as error:
            why = f"could not decide: {type(error).__name__}"
            return _unsent(client) or Result(declined=why)
        return _unsent(client) or Result(answer)


def _unsent(client: Client) -> Result | None:
    """That the client did not send what a decision asked for, also where that was caught."""
    if not client.unsent:
        return None
    why = f"the value of `{client.unsent[0]}` was not sent"
    return Result(declined=why, unsent=tuple(dict.fromkeys((*client.unsent, *client.led))))
