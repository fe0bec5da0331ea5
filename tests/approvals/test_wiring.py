"""Earlier answers in `check`, in the hook and in the commands around them."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy import Decision, Engine, Request
from execpolicy.__main__ import dispatch
from execpolicy.approvals import Answer, Life, Questions, Remembered
from execpolicy.commands.doctor import main as doctor
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.hook import Hook
from execpolicy.model.approval import Question
from execpolicy.model.operation import Access
from execpolicy.store.ledger.ledger import Ledger
from execpolicy.support import directories
from tests.approvals.support import repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.model.operation import Mode


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "p")


def approve(project: Path, command: str, **more: object) -> None:
    """The user approves a command for the session `s` of Claude Code."""
    questions = Questions(Engine.load(cwd=project), "s", host="claude")
    question = questions.ask(Request(text=command, cwd=str(project), root=str(project))).question
    assert question is not None
    questions.reply(Answer(question.id, Life.SESSION, **more))  # type: ignore[arg-type]


def hooked(project: Path, command: str, session: str = "s") -> str:
    given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": session}
    payload = {**given, "cwd": str(project), "tool_input": {"command": command}}
    stdout = Hook("claude").answer(json.dumps(payload).encode()).stdout
    return str(json.loads(stdout)["hookSpecificOutput"]["permissionDecision"]) if stdout else ""


def test_a_hook_grants_what_a_person_approved(project: Path) -> None:
    assert hooked(project, "git push") == "ask"
    approve(project, "git push")
    assert hooked(project, "git push") == "allow"
    assert hooked(project, "git push", "other") == "ask"
    assert hooked(project, "git push --force") == "ask"


def test_a_hook_uses_up_and_check_does_not(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(project, "git push", uses=1)
    words = ["check", "--host", "claude", "--session", "s", "--cwd", str(project), "-c", "git push"]
    assert [run(dispatch, words) for _ in range(2)] == [ExitCode.ALLOW] * 2
    assert "approved by user" in capsys.readouterr().out
    assert [hooked(project, "git push") for _ in range(2)] == ["allow", "ask"]


def test_check_without_a_session_has_none_of_its_approvals(project: Path) -> None:
    approve(project, "git push")
    assert run(dispatch, ["check", "--cwd", str(project), "-c", "git push"]) == ExitCode.PROMPT


ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
sys.argv = ["execpolicy", *{words!r}]
from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import run
run(dispatch, sys.argv[1:])
print("_sqlite3" in sys.modules, "execpolicy.store.ledger.ledger" in sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("command", "opens"),
    [("ls -la", False), ("rm -rf /", False), ("git push", True), ("sudo ls", True)],
)
def test_only_a_verdict_that_asks_opens_the_ledger(
    project: Path, command: str, opens: bool
) -> None:
    approve(project, "git push")
    program = PROGRAM.format(words=("check", "--cwd", str(project), "-c", command))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=ROOT)
    assert done.stderr.decode().splitlines()[-1] == f"{opens} {opens}"


def test_without_a_ledger_nothing_of_it_is_imported(project: Path) -> None:
    program = PROGRAM.format(words=("check", "--cwd", str(project), "-c", "git push"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, cwd=ROOT)
    assert done.stderr.decode().splitlines()[-1] == "False False"
    assert not Path(directories.ledger()).exists()


def test_a_path_that_was_approved_is_written_again(project: Path) -> None:
    engine = Engine.load(rules=[], cwd=project)
    questions = Questions(engine, "s")

    def ask(path: str, mode: "Mode" = "write") -> Decision:
        request = Request(operations=(Access(path, mode),), cwd=str(project))
        asked = questions.ask(request)
        return Decision.PROMPT if asked.question else asked.verdict.decision

    request = Request(operations=(Access("a.txt", "write"),), cwd=str(project))
    question = questions.ask(request).question
    assert question is not None
    questions.reply(Answer(question.id, Life.SESSION))
    assert ask("a.txt") is Decision.ALLOW
    assert ask(f"{project}/./a.txt") is Decision.ALLOW
    assert ask("a.txt", "remove") is Decision.PROMPT
    assert ask("b.txt") is Decision.PROMPT
    assert ask("../a.txt") is Decision.PROMPT


def test_a_patch_over_three_files_of_which_two_are_known_asks_about_all(project: Path) -> None:
    questions = Questions(Engine.load(rules=[], cwd=project), "s")

    def patch(*paths: str) -> tuple[Decision, Question | None]:
        operations = tuple(Access(path, "write") for path in paths)
        asked = questions.ask(Request(operations=operations, cwd=str(project)))
        return asked.verdict.decision, asked.question

    for path in ("a", "b"):
        _, question = patch(path)
        assert question is not None
        questions.reply(Answer(question.id, Life.SESSION))
    assert patch("a", "b")[0] is Decision.ALLOW
    _, question = patch("a", "b", "c")
    assert question is not None
    assert [reach[0].path for reach in question.reaches] == [f"{project}/{n}" for n in "abc"]
    questions.reply(Answer(question.id, Life.SESSION))
    assert patch("c", "a")[0] is Decision.ALLOW


def test_secrets_stay_out_of_the_ledger(project: Path) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    questions = Questions(Engine.load(rules=[], cwd=project), "s")
    text = f"curl -H 'Authorization: Bearer {token}' https://x.example"
    question = questions.ask(Request(text=text, cwd=str(project))).question
    assert question is not None
    assert "curl" in question.request
    assert token.encode() not in Path(directories.ledger()).read_bytes()


def test_a_question_about_a_tool_names_what_it_touches(project: Path) -> None:
    questions = Questions(Engine.load(rules=[], cwd=project), "s")
    operations = (Access("a b", "write"), Access("c", "read"))
    question = questions.ask(Request(operations=operations, cwd=str(project))).question
    assert question is not None
    assert question.request.replace("\\n", "\n").split("\n") == ["write 'a b'", "read c"]


def test_a_write_through_a_link_into_the_policy_is_never_remembered(
    project: Path, home: Path
) -> None:
    (home / ".config/execpolicy/rules").mkdir(parents=True)
    (project / "notes").symlink_to(home / ".config/execpolicy/rules")
    questions = Questions(Engine.load(cwd=project), "s")
    request = Request(operations=(Access("notes/a.rules", "write"),), cwd=str(project))
    question = questions.ask(request).question
    assert question is not None
    assert not question.remembered


def listed(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    assert run(dispatch, ["approvals", "list", "--json", *words]) == ExitCode.ALLOW
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_approvals_are_listed_and_taken_back(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed(capsys) == []
    approve(project, "git push")
    approve(project, "npm test", width=1, uses=2)
    first, second = listed(capsys)
    assert (first["project"], second["uses"]) == (str(project), 2)
    assert len(listed(capsys, "--session", "s")) == 2
    assert listed(capsys, "--session", "t") == []
    assert listed(capsys, "--project", str(tmp_path)) == []
    assert run(dispatch, ["approvals"]) == ExitCode.ALLOW
    assert "`npm test …` (execute)" in capsys.readouterr().out
    assert run(dispatch, ["approvals", "revoke", str(first["id"])]) == ExitCode.ALLOW
    assert hooked(project, "git push") == "ask"
    assert run(dispatch, ["approvals", "revoke", "--all"]) == ExitCode.ALLOW
    capsys.readouterr()
    assert listed(capsys) == []
    assert run(dispatch, ["approvals"]) == ExitCode.ALLOW
    assert capsys.readouterr().out == "no approvals\n"


def test_every_event_is_exported(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approve(project, "git push")
    hooked(project, "git push")
    assert run(dispatch, ["approvals", "export"]) == ExitCode.ALLOW
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["kind"] for event in events] == ["asked", "answered", "answer", "approved"]
    assert [event["seq"] for event in events] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "words",
    [
        ["frob"],
        ["list", "x"],
        ["revoke"],
        ["revoke", "x", "--all"],
        ["export", "--json"],
    ],
)
def test_what_is_not_understood_is_usage(words: list[str]) -> None:
    assert run(dispatch, ["approvals", *words]) == ExitCode.USAGE


def test_a_broken_chain_shows(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    approve(project, "git push")
    connection = sqlite3.connect(directories.ledger())
    with connection:
        connection.execute("UPDATE events SET data = 'x' WHERE seq = 1")
    connection.close()
    assert run(dispatch, ["approvals"]) == ExitCode.ERROR
    assert "broken at 1" in capsys.readouterr().err
    doctor([])
    assert "broken at 1" in capsys.readouterr().out


def test_a_ledger_that_is_not_to_be_believed_shows(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    approve(project, "git push")
    Path(directories.ledger()).chmod(0o666)
    assert hooked(project, "git push") == "ask"
    assert run(dispatch, ["approvals"]) == ExitCode.ERROR
    assert "others may open" in capsys.readouterr().err
    doctor([])
    assert "others may open" in capsys.readouterr().out


def test_a_broken_rules_file_is_a_floor_that_no_approval_lowers(project: Path, home: Path) -> None:
    approve(project, "git push")
    rules = home / ".config/execpolicy/rules/a.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text("prefix_rule(\n")
    assert hooked(project, "git push") != "allow"


def test_a_rule_that_forbids_wins_over_an_approval(project: Path, home: Path) -> None:
    approve(project, "git push")
    rules = home / ".config/execpolicy/rules/a.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('prefix_rule(["git", "push"], "forbidden")\n')
    assert hooked(project, "git push") == "deny"


def test_many_approvals_are_found_by_their_keys(project: Path) -> None:
    approve(project, "git push")
    with Ledger.open() as ledger:
        only = ledger.every()[0]
        with ledger.writing():
            for number in range(2000):
                reach = only.reach.replace(exact=f"{number:064x}")
                ledger.approve(only.replace(id=f"n{number}", reach=reach), 1.0)
        assert [a.id for a in ledger.find([f"x:{only.reach.exact}"])] == [only.id]
    assert hooked(project, "git push") == "allow"


def test_an_engine_with_a_memory_answers_from_its_cache_too(project: Path) -> None:
    engine = Engine.load(cwd=project, approvals=Remembered("claude", "s"))
    assert engine.check("git push", cwd=str(project)).decision is Decision.PROMPT
    approve(project, "git push")
    assert engine.check("git push", cwd=str(project)).decision is Decision.ALLOW
    with Ledger.open() as ledger:
        ledger.revoke([a.id for a in ledger.every()], 1.0)
    assert engine.check("git push", cwd=str(project)).decision is Decision.PROMPT


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--", "make"], ExitCode.ALLOW, '"skip", "bypass_sandbox": false, "amendment": ["make"]'),
        (["--approval-policy", "unless-trusted", "--", "make"], ExitCode.PROMPT, "needs_approval"),
        (["--approval-policy", "never", "--", "rm", "-f", "x"], ExitCode.FORBIDDEN, "blocked"),
        (
            [
                "--approval-policy",
                '{"policy": "reject", "sandbox_approval": true}',
                "--sandbox-permissions",
                "require_escalated",
                "--",
                "make",
            ],
            ExitCode.FORBIDDEN,
            "sandbox_approval is false",
        ),
        (
            [
                "--approval-policy",
                "unless-trusted",
                "--prefix-rule",
                "git 'a b'",
                "-c",
                "git 'a b' c",
            ],
            ExitCode.PROMPT,
            '["git", "a b"]',
        ),
        (["--approval-policy", "sometimes", "--", "make"], ExitCode.USAGE, ""),
        (["--approval-policy", "{", "--", "make"], ExitCode.USAGE, ""),
        (["--sandbox-policy", "none", "--", "make"], ExitCode.USAGE, ""),
        (["--prefix-rule", "'", "--", "make"], ExitCode.USAGE, ""),
        ([], ExitCode.USAGE, ""),
    ],
)
def test_the_requirement_on_the_command_line(
    words: list[str], code: ExitCode, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, ["check", "--format", "requirement", *words]) == code
    assert says in capsys.readouterr().out


def test_policies_belong_to_the_requirement() -> None:
    assert run(dispatch, ["check", "--approval-policy", "never", "--", "ls"]) == ExitCode.USAGE
