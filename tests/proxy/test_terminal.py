"""Questions on a terminal: what is shown, what a line means, and what is taken back."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator

import pytest

from execpolicy.model.decision import Decision
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.proxy.question import Offered, ProxyAnswer, TypedAnswer, text, understood
from execpolicy.proxy.terminal import BEHIND, Terminal
from execpolicy.support.hostname import Host
from tests.terminal import Screen
from tests.waiting import HANG_SECONDS

ALL = Offered('network_rule("a.test", "https", "allow")')
FEW = Offered("", session=False)
LATE = ALL.replace(once="")
MISS = Ruling(Decision.PROMPT, "no-rule", "no rule allows `a.test`")

LINES = [
    ("y\n", ALL, TypedAnswer("once")),
    ("YES\n", ALL, TypedAnswer("once")),
    ("y\n", LATE, None),
    ("s\n", ALL, TypedAnswer("session")),
    ("s\n", FEW, None),
    ("always\n", ALL, TypedAnswer("always")),
    ("a\n", FEW, None),
    ("v\n", ALL, TypedAnswer("never")),
    ("n\n", ALL, TypedAnswer("no")),
    ("\n", ALL, TypedAnswer("no")),
    ("x\n", ALL, None),
    ("yy\n", ALL, TypedAnswer("no", "yy")),
    ("use the mirror\n", ALL, TypedAnswer("no", "use the mirror")),
    ("\x1b[A\n", ALL, TypedAnswer("no", "\\x1b[A")),
]


@pytest.mark.parametrize(("line", "offered", "said"), LINES)
def test_what_a_line_means(line: str, offered: Offered, said: TypedAnswer | None) -> None:
    assert understood(line, offered) == said


def attempt(host: str = "a.test", protocol: str = "https", method: str | None = None) -> Attempt:
    return Attempt(Host(host), protocol, 443, method)


def test_a_question_names_all_that_is_asked_and_steers_no_terminal() -> None:
    shown = text(attempt(protocol="http", method="POST"), MISS, "`x\x1b[2J\u202e`", ALL)
    assert "`x\\x1b[2J\\u202e` wants to reach POST a.test:443\n" in shown
    assert "through a tunnel" in text(attempt(), MISS, "`x`", ALL)
    assert ALL.rule in shown
    assert "[s]ession" not in text(attempt(), MISS, "x", FEW)
    resolved = attempt().replace(resolved=Host("10.0.0.1", True))
    assert "a.test:443 (at 10.0.0.1)" in text(resolved, MISS, "x", ALL)


class Desk:
    """A terminal, what is typed on it, and a loop that asks in a thread of its own."""

    def __init__(self, take: Callable[[Attempt, TypedAnswer], ProxyAnswer | str]) -> None:
        self.outer, self.inner = os.openpty()
        self.screen = Screen(self.outer)
        self.terminal = Terminal("`x`", lambda *_: ALL, take, self.inner, self.inner)
        self.front = True
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    def ask(self, host: str = "a.test") -> "asyncio.Future[ProxyAnswer]":
        asked = asyncio.run_coroutine_threadsafe(self.terminal.ask(attempt(host), MISS), self.loop)
        os.set_blocking(self.terminal.wake, True)
        os.read(self.terminal.wake, 1)
        os.set_blocking(self.terminal.wake, False)
        return asked  # type: ignore[return-value]

    def type(self, line: str) -> None:
        self.screen.type(line)
        self.terminal.typed()

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._end(), self.loop).result(HANG_SECONDS)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()
        self.terminal.close()
        os.close(self.outer)
        os.close(self.inner)

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def take(_attempt: Attempt, said: TypedAnswer) -> ProxyAnswer | str:
    if said.width == "always":
        return "it cannot be written"
    return ProxyAnswer(said.width != "no", why=said.width)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    made = Desk(take)
    monkeypatch.setattr(Terminal, "in_front", property(lambda _self: made.front))
    yield made
    made.close()


def test_questions_stand_one_after_the_other(desk: Desk) -> None:
    first, second = desk.ask(), desk.ask("b.test")
    desk.terminal.turn()
    assert "b.test" not in desk.screen.until("against it:")
    desk.type("s\n")
    assert not desk.terminal.open
    desk.terminal.turn()
    desk.type("n\n")
    assert "b.test" in desk.screen.until("against it:")
    assert first.result(HANG_SECONDS).why == "session"  # type: ignore[call-arg]
    assert not second.result(HANG_SECONDS).allowed  # type: ignore[call-arg]


def test_what_cannot_be_kept_is_said_and_asked_again(desk: Desk) -> None:
    asked = desk.ask()
    desk.terminal.turn()
    desk.screen.until("against it:")
    desk.type("a\n")
    assert "it cannot be written" in desk.screen.until("against it:")
    assert desk.terminal.open
    desk.type("y\n")
    assert asked.result(HANG_SECONDS).allowed  # type: ignore[call-arg]


def test_a_question_that_nobody_waits_for_is_taken_back(desk: Desk) -> None:
    asked, after = desk.ask(), desk.ask("b.test")
    desk.terminal.turn()
    assert "a.test" in desk.screen.until("against it:")
    asked.cancel()
    asyncio.run_coroutine_threadsafe(asyncio.sleep(0), desk.loop).result(HANG_SECONDS)
    desk.terminal.turn()
    shown = desk.screen.until("against it:")
    assert "this is not waited for any more" in shown
    assert "b.test" in shown
    desk.type("y\n")
    assert after.result(HANG_SECONDS).allowed  # type: ignore[call-arg]


def test_in_the_background_nobody_is_asked(desk: Desk) -> None:
    desk.front = False
    asked = desk.ask()
    desk.terminal.turn()
    assert not desk.terminal.open
    assert asked.result(HANG_SECONDS) == ProxyAnswer(False, why=BEHIND, by_user=False)  # type: ignore[call-arg]
