"""A process that ends in the middle of anything leaves all of it or nothing of it."""

from pathlib import Path

import pytest

from execpolicy import Decision, Request
from execpolicy.approvals import Answer, Life
from execpolicy.approvals.codex import AskingPolicy
from execpolicy.model.approval import NEVER_ASK, Question
from execpolicy.store.ledger.ledger import Ledger
from tests.approvals.support import Desk, repository


class Crash(BaseException):
    """The process ends here."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(repository(tmp_path / "p"))


def crash_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """End at a statement to the ledger, counted from now."""
    whole = Ledger.run
    left = [number]

    def run(ledger: Ledger, statement: str, *values: object) -> "list[tuple[object, ...]]":
        left[0] -= 1
        if left[0] == 0:
            raise Crash
        return whole(ledger, statement, *values)

    monkeypatch.setattr(Ledger, "run", run)


MOST = 120


def test_a_crash_at_every_step_of_an_answer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Either the question still waits and nothing is granted, or it is answered and counts."""
    crashes = 0
    for number in range(1, MOST):
        command = f"make target{number}"
        question, other = desk.question(command), desk.question(f"{command} again")
        with monkeypatch.context() as patch:
            crash_at(patch, number)
            try:
                desk.reply(question, Life.SESSION)
                done = True
            except Crash:
                done = False
        crashes += not done
        with Ledger.open() as ledger:
            waiting = ledger.question(question.id)
            answered = waiting is not None and waiting.state == "answered"
            approved = [a for a in ledger.every() if a.question == question.id]
            assert ledger.broken() is None
        assert answered == bool(approved)
        assert answered or not done
        assert (desk.ask(command) is Decision.ALLOW) is answered
        desk.reply(other, Life.REJECT)
        if done:
            break
    assert crashes > 10


def test_a_crash_at_every_step_of_a_use(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A use that was counted is gone, and none is counted twice."""
    desk.approve("make", uses=1)
    for number in range(1, MOST):
        with monkeypatch.context() as patch:
            crash_at(patch, number)
            try:
                passed = desk.ask("make") is Decision.ALLOW
            except Crash:
                passed = False
        with Ledger.open() as ledger:
            used = sum(event.kind == "used" for event in ledger.events())
            assert ledger.broken() is None
        assert used <= 1
        assert not passed or used == 1
        if used:
            break
    assert desk.ask("make") is not Decision.ALLOW


def test_a_crash_at_every_step_of_a_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, MOST):
        with monkeypatch.context() as patch:
            crash_at(patch, number)
            try:
                desk.ask("make")
                break
            except Crash:
                continue
    question = desk.question("make")
    assert desk.reply(question, Life.ONCE).settled


@pytest.mark.parametrize(
    ("policy", "command", "asks"),
    [
        ("never", "make", False),
        ("on-request", "make", True),
        ("granular:sandbox_approval=false", "make", False),
        ("granular:rules=false", "make", True),
    ],
)
def test_where_nobody_can_be_asked_it_is_refused_at_once(
    tmp_path: Path, policy: str, command: str, asks: bool
) -> None:
    desk = Desk(repository(tmp_path / "p"), asking=AskingPolicy.parse(policy).asking)
    found = desk.ask(command)
    assert isinstance(found, Question) is asks
    assert asks or found is Decision.FORBIDDEN


def test_in_ci_what_was_approved_before_still_passes(tmp_path: Path) -> None:
    project = repository(tmp_path / "p")
    desk = Desk(project)
    desk.approve("make")
    headless = Desk(project, clock=desk.clock, asking=NEVER_ASK)
    assert headless.ask("make") is Decision.ALLOW
    assert headless.ask("make other") is Decision.FORBIDDEN
    assert headless.questions.pending() == ()


def test_two_agents_one_answer(tmp_path: Path) -> None:
    project = repository(tmp_path / "p")
    first = Desk(project)
    second = Desk(project, clock=first.clock)
    one, other = first.question("make"), second.question("make")
    assert one.id == other.id
    assert second.questions.reply(Answer(other.id, Life.SESSION)).settled
    assert not first.questions.reply(Answer(one.id, Life.REJECT)).settled
    assert first.ask("make") is second.ask("make") is Decision.ALLOW


def test_a_request_without_a_directory_starts_where_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path / "p")
    desk = Desk(project)
    monkeypatch.chdir(project)
    question = desk.questions.ask(Request(text="make")).question
    assert question is not None
    assert question.id == desk.question("make").id
