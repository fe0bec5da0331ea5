"""What an agent asks the policy for to answer itself, and what it tells the hook."""

import json
from pathlib import Path

import pytest

from execpolicy import Decision, Engine, Request
from execpolicy.commands.hook import Hook
from tests.approvals.hostile.tries import CALLS, FORGED, PROCESSES
from tests.approvals.test_left import left, passes, project, waiting

__all__ = ["project"]


def test_the_tries_are_sixty_and_more() -> None:
    assert len(PROCESSES) + len(CALLS) + len(FORGED) > 60


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return Engine.load(cwd=tmp_path_factory.mktemp("p"))


@pytest.mark.parametrize("call", CALLS)
def test_no_call_that_answers_passes(call: str, engine: Engine) -> None:
    verdict = engine.decide(Request(text=call, cwd="/tmp"))
    assert Decision.ALLOW not in (verdict.decision, verdict.confined)


@pytest.mark.parametrize("forged", FORGED, ids=lambda f: "-".join(map(str, f.values()))[:40])
def test_no_event_is_an_answer(forged: dict[str, object], project: Path) -> None:
    question = left(project, "git push")
    call = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "cwd": str(project)}
    said = Hook("claude").answer(json.dumps({"session_id": "s1", **call, **forged}).encode())
    assert '"allow"' not in said.stdout
    assert question in waiting()
    assert not passes(project, "git push")
