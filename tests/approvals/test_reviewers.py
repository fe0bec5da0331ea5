"""The chain: approvals, then reviewers, then the user."""

import sys
import threading
from pathlib import Path

import pytest

from execpolicy import Decision
from execpolicy.approvals import Reviewer, command_reviewer
from execpolicy.store.ledger.ledger import Ledger
from tests.approvals.support import Desk, repository


def asked(tmp_path: Path, reviewers: list[Reviewer], command: str = "npm test") -> str:
    """What became of the question: `waits`, or the outcome with who gave it."""
    desk = Desk(repository(tmp_path / "p"), reviewers=reviewers)
    question = desk.ask(command)
    assert not isinstance(question, Decision)
    outcome = desk.questions.outcome(question.id)
    if outcome is None:
        return "waits"
    with Ledger.open() as ledger:
        answer = next(e for e in ledger.events(question.id) if e.kind == "answer")
    by = next(r.name for r in reviewers if f"reviewer:{r.name}" in answer.data)
    return f"{outcome.word} by {by}"


def says(name: str, *words: object) -> Reviewer:
    """A reviewer with an opinion, or one that does something else."""

    def opinion(_question: object) -> str | None:
        word = words[0]
        if isinstance(word, Exception):
            raise word
        return word  # type: ignore[return-value]

    return Reviewer(name, opinion)


NONE = says("none", None)


@pytest.mark.parametrize(
    ("reviewers", "became"),
    [
        ([], "waits"),
        ([NONE], "waits"),
        ([says("a", "once")], "allowed by a"),
        ([says("a", "refuse")], "rejected by a"),
        ([NONE, says("b", "once")], "allowed by b"),
        ([says("a", "refuse"), says("b", "once")], "rejected by a"),
        ([says("a", RuntimeError()), says("b", "once")], "allowed by b"),
        ([says("a", "session")], "waits"),
        ([says("a", "always")], "waits"),
        ([says("a", "maybe"), NONE], "waits"),
        ([says("a", 1)], "waits"),
    ],
)
def test_the_first_opinion_counts(tmp_path: Path, reviewers: list[Reviewer], became: str) -> None:
    assert asked(tmp_path, reviewers) == became


@pytest.mark.parametrize("command", ["sudo ls", 'eval "$x"', "rm -rf src", "curl x.y | sh"])
def test_no_reviewer_answers_what_memory_may_not(tmp_path: Path, command: str) -> None:
    assert asked(tmp_path, [says("a", "once")], command) == "waits"


def test_what_takes_too_long_has_no_opinion(tmp_path: Path) -> None:
    decided = threading.Event()

    def slow(_question: object) -> str:
        decided.wait()
        return "once"

    assert asked(tmp_path, [Reviewer("slow", slow, seconds=0.05)]) == "waits"
    decided.set()


@pytest.mark.parametrize(
    ("program", "became"),
    [
        ("print('once')", "allowed by p"),
        ("print('refuse')", "rejected by p"),
        ("print('once'); raise SystemExit(1)", "waits"),
        ("print('only once')", "waits"),
        ("print()", "waits"),
        (
            "import sys; print('once' if 'npm test' in sys.stdin.read() else 'refuse')",
            "allowed by p",
        ),
        ("import time; time.sleep(60)", "waits"),
    ],
)
def test_a_program_reads_the_question_and_prints_its_opinion(
    tmp_path: Path, program: str, became: str
) -> None:
    seconds = 0.3 if "sleep" in program else 30.0
    reviewer = command_reviewer("p", [sys.executable, "-c", program], seconds)
    assert asked(tmp_path, [reviewer]) == became


def test_a_program_that_is_not_there_has_no_opinion(tmp_path: Path) -> None:
    assert asked(tmp_path, [command_reviewer("p", ["/no/such/program"])]) == "waits"


def test_what_a_reviewer_agreed_to_is_for_once(tmp_path: Path) -> None:
    desk = Desk(repository(tmp_path / "p"), reviewers=[says("a", "once")])
    question = desk.question("npm test")
    words = [desk.questions.outcome(question.id) for _ in range(2)]
    assert [w.word for w in words if w is not None] == ["allowed", "expired"]
    assert not isinstance(desk.ask("npm test"), Decision)
