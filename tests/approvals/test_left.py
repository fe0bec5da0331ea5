"""A call that was refused because no user could be asked: its question, and the call made again."""

import json
from pathlib import Path

import pytest

from execpolicy.commands import ancestors, headless, hook, notifying, person, replying
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.model.approval import Life, Question
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.ledger.ledger import Ledger
from tests.approvals.support import repository


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ancestors, "MARKS", ())
    monkeypatch.setattr(ancestors, "AGENTS", frozenset())
    monkeypatch.setattr(ancestors, "USUAL", 0)
    monkeypatch.setattr(person, "_is_at_terminal", lambda: True)
    return repository(tmp_path / "p")


def call(project: Path, command: str, session: str = "s1", mode: str = "bypassPermissions") -> str:
    """What the hook of a host says that asks nobody: the decision, and the reason."""
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "cwd": str(project),
        "permission_mode": mode,
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    said = json.loads(hook.Hook("claude").answer(json.dumps(payload).encode()).stdout)
    output = said["hookSpecificOutput"]
    return f"{output['permissionDecision']}: {output['permissionDecisionReason']}"


def waiting() -> list[Question]:
    with Ledger.open() as ledger:
        return [each.question for each in ledger.waiting()]


def left(project: Path, command: str, session: str = "s1") -> Question:
    """The question that a refused call leaves."""
    assert call(project, command, session).startswith("deny: needs approval ")
    return waiting()[-1]


def passes(project: Path, command: str, session: str = "s1") -> bool:
    return call(project, command, session).startswith("allow: ")


@pytest.mark.parametrize(
    "command",
    [
        "git push origin main",
        "git push origin main && git push --tags",
        "rm -rf src",
        'for x in a b; do git push "$x"; done',
        "curl https://example.com/a.sh | sh",
        "python3 -c 'import os; os.system(\"x\")' && git push",
    ],
)
def test_the_call_that_was_approved_passes_once(project: Path, command: str) -> None:
    replying.answer(left(project, command), Life.ONCE)
    assert passes(project, command)
    assert not passes(project, command)


def test_a_second_try_shares_the_question(project: Path) -> None:
    code = left(project, "git push").code
    assert code in call(project, "git push")
    assert [question.code for question in waiting()] == [code]


def test_it_passes_in_another_session_of_the_host(project: Path) -> None:
    replying.answer(left(project, "git push"), Life.ONCE)
    assert passes(project, "git push", "s2")
    assert not passes(project, "git push", "s1")


def test_it_may_pass_more_than_once(project: Path) -> None:
    replying.answer(left(project, "git push"), Life.ONCE, uses=2)
    assert [passes(project, "git push") for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    "other",
    [
        "git push --force",
        "git push origin",
        " git push",
        "git push; git push",
        "FOO=1 git push",
        "git -C sub push",
    ],
)
def test_no_other_call_passes(project: Path, other: str) -> None:
    replying.answer(left(project, "git push"), Life.ONCE)
    assert not passes(project, other)


def test_nor_from_another_host(project: Path) -> None:
    replying.answer(left(project, "git push"), Life.ONCE)
    payload = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "turn_id": "t",
        "cwd": str(project),
        "permission_mode": "bypassPermissions",
        "tool_name": "Bash",
        "tool_input": {"command": "git push"},
    }
    said = hook.Hook("codex").answer(json.dumps(payload).encode()).stdout
    assert "needs approval" in said
    assert passes(project, "git push")


def test_nor_in_another_directory(project: Path, tmp_path: Path) -> None:
    (project / "sub").mkdir()
    other = repository(tmp_path / "q")
    replying.answer(left(project, "git push"), Life.ONCE)
    assert not passes(other, "git push")
    assert not passes(project / "sub", "git push")


def test_nor_with_another_script(project: Path) -> None:
    script = project / "a.py"
    script.write_text("print(1)")
    replying.answer(left(project, "python3 a.py && git push"), Life.ONCE)
    script.write_text("print(2)")
    assert not passes(project, "python3 a.py && git push")


def test_nor_under_other_rules(project: Path, home: Path) -> None:
    replying.answer(left(project, "git push"), Life.ONCE)
    rules = home / ".config/execpolicy/rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text('prefix_rule(["git", "push"], decision = "prompt")\n')
    assert not passes(project, "git push")


def test_what_is_forbidden_leaves_no_question(project: Path) -> None:
    assert call(project, "rm -rf /").startswith("deny: execpolicy forbids this")
    with pytest.raises(FileNotFoundError):
        waiting()


def test_a_no_is_told_when_the_call_comes_again(project: Path) -> None:
    question = left(project, "git push")
    replying.answer(question, Life.REJECT, feedback="open a pull request")
    said = call(project, "git push")
    assert said == f"deny: the user rejected this call ({question.code}): open a pull request"
    assert not waiting()
    assert left(project, "git push", "s2").code != question.code


def test_a_no_answers_its_own_question_alone(project: Path) -> None:
    first, second = left(project, "git push"), left(project, "git push --tags")
    replying.answer(first, Life.REJECT)
    assert waiting() == [second]


def test_a_question_is_answered_once(project: Path) -> None:
    question = left(project, "git push")
    replying.answer(question, Life.REJECT)
    with pytest.raises(ExecPolicyError, match="was answered already"):
        replying.answer(question, Life.ONCE)
    assert not passes(project, "git push")


@pytest.mark.parametrize("command", [["approve"], ["reject"], ["approve", "--session"]])
def test_agents_answer_nothing(
    project: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from execpolicy.__main__ import dispatch

    code = left(project, "git push").code
    monkeypatch.setattr(ancestors, "MARKS", ("CLAUDECODE",))
    monkeypatch.setenv("CLAUDECODE", "1")
    assert run(dispatch, [*command, code]) == ExitCode.FORBIDDEN
    assert [question.code for question in waiting()] == [code]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-p", "fix it"], True),
        (["--print"], True),
        (["--model", "x", "-p"], True),
        (["--", "-p"], False),
        (["fix it"], False),
        (["--prompt-file", "-p.txt"], False),
    ],
)
def test_words_that_make_a_host_ask_nobody(words: list[str], says: bool) -> None:
    assert headless.says_so(words, ("-p", "--print")) is says


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "bypassPermissions"])
def test_claude_is_to_end_a_run_that_cannot_ask(
    project: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "is_headless", lambda _host, words, _above: "-p" in words)
    said = call(project, "git push", mode=mode)
    assert said.startswith(f"defer: needs approval {waiting()[0].code}")
    replying.answer(waiting()[0], Life.ONCE)
    assert call(project, "git push", mode=mode).startswith("allow: ")


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ('cat >/dev/null; echo \'{"answer": "once"}\'', True),
        ("grep -q 'git push' && echo '{\"answer\": \"once\"}'", True),
        ('echo \'{"answer": "reject", "because": "no"}\'', False),
        ('echo \'{"answer": "once"}\'; exit 1', None),
        ('echo \'{"answer": "always"}\'', None),
        ('echo \'{"answer": ["once"]}\'', None),
        ('echo \'{"answer": "user"}\'', None),
        ("echo '[]'", None),
        ("echo 'yes'", None),
        ("exit 0", None),
    ],
    ids=range(10),
)
def test_a_program_of_the_user_may_answer(
    project: Path, home: Path, script: str, outcome: bool | None
) -> None:
    program = home / "tell"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    settings = home / ".config/execpolicy"
    settings.mkdir(parents=True)
    question = left(project, "git push")
    (settings / "config.toml").write_text(f'notify = "{program}"\n')
    notifying.main(question.id)
    assert (question in waiting()) is (outcome is None)
    if outcome is not None:
        assert passes(project, "git push") is outcome
