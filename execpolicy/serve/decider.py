"""The one thread that decides. All requests that are there when it is free are one turn."""

import threading
import time
from collections import deque
from collections.abc import Callable

from execpolicy.serve.engines import Engines, Turn
from execpolicy.serve.inputs import Process, process
from execpolicy.serve.standing_in import Client, For
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.serve.inputs import Given

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


class Job(Value):
    """A request: the client's fields, what is to be done for it, who is told, and until when."""

    given: "Given"
    work: Work
    done: "Callable[[Result], None]"
    until: float


class Decider:
    """Runs jobs in a thread of its own; `own` are the fields of the server itself."""

    def __init__(self, own: "Given") -> None:
        self.engines = Engines()
        self.own = own
        self.turns = self.decided = self.declined = 0
        self._waiting: deque[Job] = deque()
        self._wake = threading.Condition()
        self._ends = False
        self._thread = threading.Thread(target=self._run, name="decides", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def warm(self, work: Work, seconds: float) -> None:
        """Do something for the server itself first: the shipped rules may have to be compiled, and
        no client is to wait for that."""
        over = threading.Event()
        self.submit(Job(self.own, work, lambda _: over.set(), time.monotonic() + seconds))
        over.wait(seconds)
        self.turns = self.decided = self.declined = 0

    def stop(self) -> None:
        """Do what waits, and end."""
        with self._wake:
            self._ends = True
            self._wake.notify()
        self._thread.join()

    def submit(self, job: Job) -> None:
        """Do it in the next turn; where too many wait, it is declined at once."""
        with self._wake:
            if not self._ends and len(self._waiting) < MAX_WAITING:
                self._waiting.append(job)
                self._wake.notify()
                return
        job.done(Result(declined="too many requests wait"))

    def waiting(self) -> int:
        """How many requests wait for a turn."""
        return len(self._waiting)

    def _run(self) -> None:
        while jobs := self._next():
            self._turn(jobs)

    def _next(self) -> list[Job]:
        with self._wake:
            while not self._waiting and not self._ends:
                self._wake.wait()
            return [self._waiting.popleft() for _ in range(min(MAX_JOBS, len(self._waiting)))]

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
    return Result(declined=why, unsent=tuple(dict.fromkeys(client.unsent)))
