"""An answer of the user is about the command that runs, and about no other."""

import asyncio
from pathlib import Path

import pytest

from execpolicy.sandbox import Orchestrator, Question
from tests.sandbox.test_execute import sandbox


@pytest.mark.parametrize(("answer", "there"), [(True, True), (False, False)])
def test_outside_only_after_a_question_of_its_own(project: Path, answer: bool, there: bool) -> None:
    asked: list[Question] = []

    def ask(question: Question) -> bool:
        asked.append(question)
        return answer

    Orchestrator(sandbox(project), ask).run("echo x > ../outside", cwd=str(project))
    assert [question.outside for question in asked] == [True]
    assert "happens twice" in asked[0].reason
    assert (project.parent / "outside").exists() is there


def test_an_answer_is_about_what_runs(project: Path) -> None:
    """Neither other rules nor other words count that come while the user thinks."""
    words, rules = ["cp", "a.txt", "asked"], project.parent / "a.rules"
    rules.write_text('prefix_rule(["cp"], "prompt", justification = "look")\n')
    made = sandbox(project)
    decided: list[str] = []

    def ask(question: Question) -> bool:
        decided.append(question.reason)
        words[2] = "exchanged"
        rules.write_text('prefix_rule(["cp"], "prompt", justification = "another")\n')
        made.engine.reload()
        return True

    assert Orchestrator(made, ask).run(words, cwd=str(project)).code == 0
    assert (project / "asked").exists()
    assert not (project / "exchanged").exists()
    assert len(decided) == 1


@pytest.mark.parametrize("answer", ["no", 1, None, asyncio.sleep])
def test_an_answer_that_is_neither_yes_nor_no(project: Path, answer: object) -> None:
    (project.parent / "a.rules").write_text('prefix_rule(["touch"], "prompt", justification = "?")')
    said = answer(0) if callable(answer) else answer
    with pytest.raises(TypeError, match="`ask` must say yes or no"):
        Orchestrator(sandbox(project), lambda _: said).run("touch x", cwd=str(project))  # type: ignore[arg-type, return-value]
    assert not (project / "x").exists()
