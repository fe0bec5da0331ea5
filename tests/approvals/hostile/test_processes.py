"""An agent runs `execpolicy approve` in every way that leaves the process tree of its host."""

import sys
from pathlib import Path

import pytest

from execpolicy.commands import ancestors
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.pending_page import questions
from tests.approvals.hostile.support import Agent
from tests.approvals.hostile.tries import PROCESSES
from tests.approvals.support import repository

HOOK = f'printf %s "$PAYLOAD" | {sys.executable} -m execpolicy hook claude >/dev/null 2>&1; '
FIND = f"CODE=$({sys.executable} -m execpolicy pending | cut -c1-6 | head -1); export CODE; "
SAMPLE = ("plainly", "on a terminal, with a clean environment", "as a daemon on a terminal, clean")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    return Agent(tmp_path / "agent", repository(tmp_path / "p"))


def tried(agent: Agent, way: str) -> None:
    """The host asks, is refused, and tries this; `execpolicy` says that only the user answers."""
    variables = {**agent.environment(), "PAYLOAD": agent.asks("git push")}
    agent.run(HOOK + FIND + PROCESSES[way], variables)
    code, said = agent.said()
    assert (code, "only the user answers" in said) == (ExitCode.FORBIDDEN, True), said
    assert [question.request for question in questions()] == ["git push"]


@pytest.mark.parametrize("way", SAMPLE)
def test_an_agent_is_not_taken_for_the_user(way: str, agent: Agent) -> None:
    tried(agent, way)


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for way in PROCESSES if way not in SAMPLE])
def test_nor_in_any_other_way(way: str, agent: Agent) -> None:
    tried(agent, way)


def test_the_user_answers_in_another_login_session_when_the_agent_has_gone(agent: Agent) -> None:
    if ancestors.is_marked(1):
        pytest.skip("NOT TESTED: every process here has the limit that marks agents")
    agent.run(HOOK, {**agent.environment(), "PAYLOAD": agent.asks("git push")})
    (question,) = questions()
    agent.user("$CLEAN $PTY $EP approve $CODE", agent.environment(question.code))
    assert agent.said()[0] == ExitCode.ALLOW
    assert questions() == ()
    again = agent.run(
        HOOK.replace(">/dev/null", ""), {**agent.environment(), "PAYLOAD": agent.asks("git push")}
    )
    assert '"allow"' in again
