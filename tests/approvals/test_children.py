"""Sub-agents: whose question it is, what of the session holds for them, and what they read."""

import json
from pathlib import Path

import pytest

from execpolicy.commands import replying
from execpolicy.commands.hook import Hook
from execpolicy.commands.pending_page import page, questions
from execpolicy.model.approval import Life, Question
from tests.approvals.test_left import passes, project, waiting

__all__ = ["project"]


def call(project: Path, command: str, child: str = "a1", host: str = "claude", **more: str) -> str:
    """What the hook says to a sub-agent that cannot ask."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "agent_id": child,
        "agent_type": "explore",
        "cwd": str(project),
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        **more,
    }
    if host == "codex":
        payload["turn_id"] = "t"
    return Hook(host).answer(json.dumps(payload).encode()).stdout


def asked(project: Path, command: str, **more: str) -> Question:
    """The question that a sub-agent left."""
    assert "needs approval" in call(project, command, **more)
    return waiting()[-1]


def may(project: Path, command: str, child: str = "a1", **more: str) -> bool:
    return '"allow"' in call(project, command, child, **more)


@pytest.mark.parametrize("host", ["claude", "codex"])
def test_a_question_names_who_asks_and_for_which_session(host: str, project: Path) -> None:
    asked(project, "git push", host=host)
    shown = page(questions(), 80)
    assert f"{host} (explore)" in shown
    assert "for the session s1" in shown


def test_the_refusal_says_what_a_sub_agent_can_do(project: Path) -> None:
    code = asked(project, "git push").code
    said = call(project, "git push")
    assert f"say in your report that `execpolicy approve {code}` lets this call pass once" in said
    assert "tell the user" not in said


def test_one_answer_is_for_the_call(project: Path) -> None:
    replying.answer(asked(project, "git push"), Life.ONCE)
    assert may(project, "git push")
    assert not may(project, "git push")


def test_what_the_session_was_told_holds_for_its_sub_agents(project: Path) -> None:
    call(project, "git push", "")
    replying.answer(waiting()[0], Life.SESSION)
    assert passes(project, "git push")
    assert may(project, "git push", "a1")
    assert may(project, "git push", "a2")
    assert not may(project, "git push", "a1", session_id="s2")


def test_a_sub_agents_answer_for_a_time_is_its_own(project: Path) -> None:
    replying.answer(asked(project, "git push"), Life.TIMED, seconds=600)
    assert may(project, "git push")
    assert not may(project, "git push", "a2")
    assert not passes(project, "git push")


def test_a_sub_agents_answer_for_the_session_is_the_sessions(project: Path) -> None:
    replying.answer(asked(project, "git push"), Life.SESSION)
    assert passes(project, "git push")
    assert may(project, "git push", "a2")


def test_the_sessions_answers_hold_in_the_scope_of_a_sub_agent_alone(project: Path) -> None:
    """It is bound to a folder, and what was approved happens beside it."""
    (project / "app").mkdir()
    (project / ".execpolicy").mkdir()
    (project / ".execpolicy/scopes.json").write_text('{"explore": "app"}')
    for place in (project, project / "app"):
        call(project, "git push", "", agent_type="", cwd=str(place))
        replying.answer(waiting()[-1], Life.SESSION)
    assert may(project, "git push", cwd=str(project / "app"))
    assert not may(project, "git push")
