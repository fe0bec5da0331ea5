"""A guarded tool runs only what the policy allows or the user agrees to."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from execpolicy import Denied, Engine, Request, Verdict, guard
from execpolicy.model.operation import Access

RULES = """
prefix_rule(["git", "push"], "prompt", justification = "talks to a remote")
prefix_rule(["git", "push", "--force"], "forbidden", justification = "use --force-with-lease")
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    path = tmp_path / "a.rules"
    path.write_text(RULES)
    return Engine.load([path])


def run(command: str, note: str = "") -> str:
    return f"ran {command}{note}"


async def run_later(command: str) -> str:
    return f"ran {command}"


def yes(_verdict: Verdict) -> bool:
    return True


def no(_verdict: Verdict) -> bool:
    return False


@pytest.mark.parametrize(
    ("command", "ask", "says"),
    [
        ("ls", None, None),
        ("git push", yes, None),
        ("git push", no, "the user said no: execpolicy asks: `git push`: talks to a remote"),
        ("git push", None, "needs approval, and the user cannot be asked here: "),
        ("git push --force", yes, "execpolicy forbids this: `git push --force`: use --force-with-"),
    ],
)
def test_what_runs(
    command: str, ask: Callable[[Verdict], bool] | None, says: str | None, engine: Engine
) -> None:
    async def later(verdict: Verdict) -> bool:
        assert ask is not None
        return ask(verdict)

    tool = guard(run, engine, ask=ask)
    tool_later = guard(run_later, engine, ask=ask and later)
    if says is None:
        assert tool(command, note="!") == f"ran {command}!"
        assert asyncio.run(tool_later(command)) == f"ran {command}"
        return
    attempts: list[Callable[[], str]] = [
        lambda: tool(command),
        lambda: asyncio.run(tool_later(command=command)),
    ]
    for attempt in attempts:
        with pytest.raises(Denied) as caught:
            attempt()
        assert str(caught.value).startswith(says)
        assert caught.value.as_dict()["decision"] == caught.value.verdict.decision.word


def test_any_tool_can_say_what_it_does(engine: Engine) -> None:
    def write(path: str, content: str) -> int:
        return len(content)

    def wants(path: str, content: str) -> Request:
        return Request(operations=(Access(path, "write"),))

    tool = guard(write, engine, request=wants)
    with pytest.raises(Denied, match="needs approval"):
        tool("/home/u/a", "x")
    with pytest.raises(Denied, match="nothing on it could be restored"):
        tool("/dev/sda", "x")
    assert guard(write, engine, request=wants, ask=yes)("/home/u/a", "x") == 1


def test_a_tool_keeps_its_face(engine: Engine) -> None:
    assert guard(run, engine).__name__ == "run"
    assert guard(run, engine).__annotations__ == run.__annotations__


def test_mistakes_are_told_to_the_author(engine: Engine) -> None:
    def nothing() -> None:
        raise AssertionError("it ran")

    with pytest.raises(TypeError, match="give `request` to `guard`"):
        guard(nothing, engine)()

    async def later(_verdict: Verdict) -> bool:
        return True

    with pytest.raises(TypeError, match="at once"):
        guard(run, engine, ask=later)("git push")


def test_an_agent_of_pydantic_ai_reads_the_denial(engine: Engine) -> None:
    """The agent's model calls a guarded tool; what it gets back says why, and it goes on."""
    ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed")
    said = pytest.importorskip("pydantic_ai.messages")
    function = pytest.importorskip("pydantic_ai.models.function")
    shell = guard(run, engine)

    def tool(command: str) -> str:
        try:
            return shell(command)
        except Denied as denied:
            raise ai.ModelRetry(str(denied)) from None

    def model(messages, _info):  # type: ignore[no-untyped-def]
        part = messages[-1].parts[-1]
        if "use --force-with-lease" in str(part.content):
            return said.ModelResponse([said.ToolCallPart("tool", {"command": "git status"})])
        if part.part_kind == "tool-return":
            return said.ModelResponse([said.TextPart(part.content)])
        return said.ModelResponse([said.ToolCallPart("tool", {"command": "git push --force"})])

    agent = ai.Agent(function.FunctionModel(model), tools=[tool])
    # `run_sync` makes a loop that it never closes.
    assert asyncio.run(agent.run("publish")).output == "ran git status"
