"""What a server is made of: the thread that decides, the commands that it calls, what it counts."""

import asyncio
import os
import secrets
import time
from _collections_abc import Mapping, Sequence
from typing import Protocol

from execpolicy.serve.decider import Decider, Job, Result, Work
from execpolicy.serve.engines import code_stamp
from execpolicy.serve.inputs import Given, gathered
from execpolicy.serve.metrics import Metrics
from execpolicy.support.resources import package_directory, rules_directory

Json = dict[str, object]

DECISION_SECONDS = 10.0
"""How long a request may wait for its verdict. Who has less time asks for less."""
LATE = "there was no verdict in time"
STAMP_SECONDS = 1.0
"""How often it is looked at whether the package was changed."""


class ServedCommands(Protocol):
    """The commands behind the paths, as `execpolicy.commands.serving` has them."""

    def hook(self, name: str, payload: bytes) -> Work:
        """What `hook` writes."""

    def check(self, given: "Mapping[str, object]", lines: "Sequence[bytes]") -> Work:
        """What `check --jsonl` writes."""

    def explain(self, text: str, cwd: str | None) -> Work:
        """What `explain --json` writes."""

    def questions(self) -> list[Json]:
        """The questions that wait."""

    def answer(self, code: str, life: str, feedback: str | None) -> Json:
        """Answer one. Raises `ExecPolicyError`."""

    def log(self, wanted: "Mapping[str, str]") -> Json:
        """Lines of the log."""

    def asked_most(self) -> Json:
        """What asked most in the last days."""

    def sessions(self) -> Json:
        """The sessions of agents in the log."""

    def undo(self, root: str, number: int, agreed: "Sequence[str] | None") -> Json:
        """What an undo of a call would do; do the steps that were agreed to. Raises
        `ExecPolicyError`."""

    def policy(self, cwd: str) -> Json:
        """The layers and their rules, with how often each decided."""

    def try_rule(self, text: str) -> Json:
        """What a rule would have settled. Raises `ExecPolicyError`."""

    def is_below_agent(self, process: int) -> bool:
        """Whether a host of an agent started a process."""


class Service:
    """One server. `token` is for loopback; `keys` are for a browser, each once.

    Cookies know no ports: any server on loopback that a browser visits gets those of its host's
    name. So the page has a name of its own, which leads to loopback (RFC 6761, 6.3).
    """

    def __init__(self, commands: ServedCommands, token: str = "", *, demo: bool = False) -> None:
        self.commands = commands
        self.token = token
        self.demo = demo
        self.own = gathered()
        self.decider = Decider(self.own)
        self.metrics = Metrics()
        self.keys: set[str] = set()
        self.cookie = secrets.token_urlsafe(32)
        self.host = f"{secrets.token_hex(8)}.localhost"
        self.began = time.time()
        self.ends = asyncio.Event()
        self._stamp = self._code()
        self._asked = True

    def new_key(self) -> str:
        """A key that opens the page once."""
        key = secrets.token_urlsafe(24)
        self.keys.add(key)
        return key

    async def decide(self, given: "Given", work: Work, seconds: float = DECISION_SECONDS) -> Result:
        """What becomes of a request. One that takes too long is declined."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Result] = loop.create_future()

        def tell(result: Result) -> None:
            loop.call_soon_threadsafe(_settle, future, result)

        late = loop.call_later(seconds, _settle, future, Result(declined=LATE))
        self.submit(Job(given, work, tell, time.monotonic() + seconds))
        try:
            return await future
        finally:
            late.cancel()

    def submit(self, job: Job) -> None:
        """Have a job done, and count it. From any thread."""
        began = time.perf_counter()

        def done(result: Result) -> None:
            self.metrics.decided(time.perf_counter() - began, bool(result.declined))
            job.done(result)

        self._asked = True
        if self.ends.is_set():
            done(Result(declined="the server ends"))
        else:
            self.decider.submit(job.replace(done=done))

    async def watch_package(self) -> None:
        """End when the code of this process is not that of the package any more.

        It is looked at while requests come, in another thread.
        """
        while not self.ends.is_set():
            if self._asked:
                self._asked = False
                if await asyncio.to_thread(self._code) != self._stamp:
                    self.ends.set()
            await asyncio.sleep(STAMP_SECONDS)

    def _code(self) -> int:
        every = {os.path.realpath(at) for at in (package_directory(), rules_directory())}
        return hash(tuple(code_stamp(at) for at in sorted(every)))


def _settle(future: "asyncio.Future[Result]", result: Result) -> None:
    if not future.done():
        future.set_result(result)
