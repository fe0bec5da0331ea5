"""Questions at dial time: one for all who wait, and no answer is not a grant."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.proxy.asking import Questions
from execpolicy.proxy.question import ProxyAnswer
from execpolicy.support.hostname import Host

Asked = Callable[[Attempt, Ruling], Awaitable[ProxyAnswer]]
MISS = Ruling(Decision.PROMPT, "no-rule", "no rule allows `a.test`")


def attempt(host: str = "a.test", port: int = 443, protocol: str = "https") -> Attempt:
    return Attempt(Host(host), protocol, port)


class Person:
    """Answers when told to, and counts the questions."""

    def __init__(self, answer: ProxyAnswer) -> None:
        self.answer, self.asked, self.withdrawn = answer, 0, 0
        self.ready = asyncio.Event()

    async def ask(self, _attempt: Attempt, _ruling: Ruling) -> ProxyAnswer:
        self.asked += 1
        try:
            await self.ready.wait()
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise
        return self.answer


def test_all_who_wait_share_one_question() -> None:
    async def scene() -> tuple[list[Ruling], Person]:
        person = Person(ProxyAnswer(True))
        questions = Questions(person.ask, 60)
        waiting = [asyncio.create_task(questions.settle(attempt(), MISS)) for _ in range(9)]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        person.ready.set()
        return await asyncio.gather(*waiting), person

    rulings, person = asyncio.run(scene())
    assert {ruling.decision for ruling in rulings} == {Decision.ALLOW}
    assert person.asked == 1


OTHERS = [attempt("b.test"), attempt(port=8443), attempt(protocol="socks5_tcp")]


@pytest.mark.parametrize("other", OTHERS, ids=["host", "port", "protocol"])
def test_another_host_protocol_or_port_is_another_question(other: Attempt) -> None:
    async def scene() -> int:
        person = Person(ProxyAnswer(True, remembered=True))
        person.ready.set()
        questions = Questions(person.ask, 60)
        for one in (attempt(), attempt(), other, other):
            await questions.settle(one, MISS)
        return person.asked

    assert asyncio.run(scene()) == 2


REMEMBERED = [
    (ProxyAnswer(True), 2, Decision.ALLOW),
    (ProxyAnswer(True, remembered=True), 1, Decision.ALLOW),
    (ProxyAnswer(False), 2, Decision.FORBIDDEN),
    (ProxyAnswer(False, remembered=True), 1, Decision.FORBIDDEN),
]


@pytest.mark.parametrize(("answer", "asked", "decision"), REMEMBERED)
def test_what_is_remembered(answer: ProxyAnswer, asked: int, decision: Decision) -> None:
    async def scene() -> tuple[int, Decision]:
        person = Person(answer)
        person.ready.set()
        questions = Questions(person.ask, 60)
        await questions.settle(attempt(), MISS)
        ruling = await questions.settle(attempt(), MISS)
        return person.asked, ruling.decision

    assert asyncio.run(scene()) == (asked, decision)


def test_forbidden_is_never_asked() -> None:
    async def scene() -> tuple[int, Ruling]:
        person = Person(ProxyAnswer(True))
        person.ready.set()
        forbidden = MISS.replace(decision=Decision.FORBIDDEN)
        return person.asked, await Questions(person.ask, 60).settle(attempt(), forbidden)

    asked, ruling = asyncio.run(scene())
    assert asked == 0
    assert ruling.decision is Decision.FORBIDDEN


async def fails(_attempt: Attempt, _ruling: Ruling) -> ProxyAnswer:
    raise ConnectionError("gone")


async def never(_attempt: Attempt, _ruling: Ruling) -> ProxyAnswer:
    await asyncio.Event().wait()
    raise AssertionError


@pytest.mark.parametrize("ask", [None, fails, never], ids=["nobody", "gone", "too late"])
def test_no_answer_refuses_and_is_not_remembered(ask: Asked | None) -> None:
    async def scene() -> tuple[Ruling, Ruling]:
        questions = Questions(ask, 0.01)
        first = await questions.settle(attempt(), MISS)
        questions._ask = Person(ProxyAnswer(True)).ask
        questions._wait = 60
        questions._ask.__self__.ready.set()  # type: ignore[attr-defined]
        return first, await questions.settle(attempt(), MISS)

    first, second = asyncio.run(scene())
    assert (first.decision, first.reason) == (Decision.FORBIDDEN, "no-rule")
    assert second.decision is Decision.ALLOW


def test_a_question_is_withdrawn_when_the_last_who_waits_has_gone() -> None:
    async def scene() -> Person:
        person = Person(ProxyAnswer(True))
        questions = Questions(person.ask, 60)
        waiting = [asyncio.create_task(questions.settle(attempt(), MISS)) for _ in range(2)]
        await asyncio.sleep(0.01)
        for task in waiting:
            assert person.withdrawn == 0
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0.01)
        person.ready.set()
        assert (await questions.settle(attempt(), MISS)).decision is Decision.ALLOW
        return person

    person = asyncio.run(scene())
    assert (person.withdrawn, person.asked) == (1, 2)


def test_deferred_questions_refuse_now_and_are_kept_once_each() -> None:
    async def scene() -> tuple[list[Ruling], Questions]:
        questions = Questions(never, 60, deferred=True)
        rulings = [await questions.settle(one, MISS) for one in (attempt(), attempt(), *OTHERS)]
        return rulings, questions

    rulings, questions = asyncio.run(scene())
    assert {ruling.decision for ruling in rulings} == {Decision.FORBIDDEN}
    assert [kept for kept, _ in questions.open.values()] == [attempt(), *OTHERS]
