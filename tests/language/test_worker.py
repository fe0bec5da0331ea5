"""A worker is started once for all evaluations of a process that says so, and none is left."""

import os

import pytest

from execpolicy.language.evaluate import worker
from execpolicy.language.evaluate.evaluate import Source, evaluate

RULES = 'prefix_rule(["a"])'

pytestmark = pytest.mark.usefixtures("no_evaluator")


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[worker.Worker]:
    """Every worker that is started."""
    made: list[worker.Worker] = []

    class Counted(worker.Worker):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(worker, "Worker", Counted)
    return made


def names(text: str) -> list[str]:
    (evaluated,) = evaluate([Source("f", text)])
    return [call.name for call in evaluated.calls]


def running(workers: list[worker.Worker]) -> list[bool]:
    return [one._process.poll() is None for one in workers]


def test_each_evaluation_ends_its_worker(started: list[worker.Worker]) -> None:
    assert names(RULES) == names(RULES) == ["prefix_rule"]
    assert running(started) == [False, False]


def test_one_worker_serves_all_evaluations_of_a_process(started: list[worker.Worker]) -> None:
    with worker.ahead():
        assert running(started) == [True]
        assert names(RULES) == names(RULES) == ["prefix_rule"]
        assert running(started) == [True]
    assert running(started) == [False]


def test_a_text_knows_nothing_of_the_one_before(started: list[worker.Worker]) -> None:
    with worker.ahead():
        assert names("x = 1\ndef prefix_rule(*args): pass") == []
        assert names(f"y = x\n{RULES}") == ["prefix_rule"]  # `x` is reported and stood in for
        assert evaluate([Source("f", "y = x")])[0].problems
    assert len(started) == 1


def test_one_that_died_is_not_used_again(started: list[worker.Worker]) -> None:
    with worker.ahead():
        (evaluated,) = evaluate([Source("f", "x = [0] * 1000000000")])
        assert [d.code for d in evaluated.problems] == ["limit"]
        assert names(RULES) == ["prefix_rule"]
    assert len(started) == 2
    assert running(started) == [False, False]


def test_a_fork_does_not_ask_the_worker_of_its_parent(started: list[worker.Worker]) -> None:
    with worker.ahead():
        assert names(RULES) == ["prefix_rule"]
        child = os.fork()
        if not child:
            os._exit(names(RULES) != ["prefix_rule"] or len(started) != 2)
        assert os.waitpid(child, 0)[1] == 0
        assert names(RULES) == ["prefix_rule"]
    assert len(started) == 1


def test_an_error_of_the_user_leaves_none(started: list[worker.Worker]) -> None:
    with pytest.raises(KeyError), worker.ahead():
        raise KeyError
    assert running(started) == [False]
    assert not worker._waiting
    assert not worker._kept
