"""Questions about hosts at dial time: one for each host, protocol and port, shared by all who wait.

Without an answer in time the attempt is refused, and nothing is remembered.
"""

import asyncio
from collections.abc import Awaitable, Callable

from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.proxy.question import ProxyAnswer

Ask = Callable[[Attempt, Ruling], Awaitable[ProxyAnswer]]
Known = Callable[[Attempt], str]

NO_USER = "the user cannot be reached"
TOO_LATE = "no answer came in time"
AFTERWARDS = "the user is asked after the command"


class Questions:
    """The questions of one proxy.

    `ask` waits for the user and may raise anything: then there is no answer. `wait` are the seconds
    that it may take. `known` says by which earlier answer an attempt is allowed, and is empty for
    one that is not. `deferred`: attempts are refused at once, and kept in `open` for later.
    """

    def __init__(
        self,
        ask: Ask | None,
        wait: float,
        *,
        deferred: bool = False,
        known: Known | None = None,
    ) -> None:
        self._ask, self._wait, self._deferred = ask, wait, deferred
        self._approved = known
        self._known: dict[object, ProxyAnswer] = {}
        self._asked: dict[object, asyncio.Task[ProxyAnswer]] = {}
        self._waiting: dict[object, int] = {}
        self.open: dict[object, tuple[Attempt, Ruling]] = {}

    async def settle(self, attempt: Attempt, ruling: Ruling) -> Ruling:
        """The ruling, with the user's answer in the place of a question."""
        if ruling.decision is not Decision.PROMPT:
            return ruling
        answer = await self._answer(attempt, ruling)
        if answer.allowed:
            return ruling.replace(decision=Decision.ALLOW, reason="approved", why=answer.why)
        why = f"{ruling.why}: {answer.why}" if answer.why else ruling.why
        reason = "not-approved" if answer.by_user or ruling.reason == "rule" else ruling.reason
        return ruling.replace(decision=Decision.FORBIDDEN, reason=reason, why=why)

    async def _answer(self, attempt: Attempt, ruling: Ruling) -> ProxyAnswer:
        known = self._known.get(attempt.key)
        if known is not None:
            return known
        earlier = self._approved(attempt) if self._approved else ""
        if earlier:
            return ProxyAnswer(allowed=True, why=earlier)
        if self._deferred:
            self.open.setdefault(attempt.key, (attempt, ruling))
            return ProxyAnswer(allowed=False, why=AFTERWARDS, by_user=False)
        if self._ask is None:
            return ProxyAnswer(allowed=False, why=NO_USER, by_user=False)
        return await self._shared(attempt, ruling)

    async def _shared(self, attempt: Attempt, ruling: Ruling) -> ProxyAnswer:
        """The answer to the one question that all wait for; the last who leaves withdraws it."""
        key = attempt.key
        task = self._asked.get(key)
        if task is None:
            task = self._asked[key] = asyncio.create_task(self._put(attempt, ruling))
        self._waiting[key] = self._waiting.get(key, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[key] -= 1
            if not self._waiting[key]:
                del self._waiting[key]
                task.cancel()
                if self._asked.get(key) is task:
                    del self._asked[key]

    async def _put(self, attempt: Attempt, ruling: Ruling) -> ProxyAnswer:
        assert self._ask is not None  # noqa: S101
        try:
            async with asyncio.timeout(self._wait):
                answer = await self._ask(attempt, ruling)
        except TimeoutError:
            return ProxyAnswer(allowed=False, why=TOO_LATE, by_user=False)
        except Exception as error:
            return ProxyAnswer(allowed=False, why=f"{NO_USER}: {error}", by_user=False)
        finally:
            self._asked.pop(attempt.key, None)
        if answer.remembered:
            self._known[attempt.key] = answer
        return answer
