"""`pending`, `approve` and `reject`: what is shown, and what an answer says."""

from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import pending_page, pending_watch, replying
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.commands.render.pending_text import lines
from execpolicy.model.approval import Moment, Question
from tests.approvals.test_left import left, passes, project, waiting

__all__ = ["project"]

NOW = Moment(1000.0, 1000.0, "b")
SHORT = Question(
    id="0" * 32,
    code="K7QX2M",
    key="",
    request="cd sub && git push origin main",
    asking=("`git push origin main` sends commits to a remote",),
    reaches=((),),
    session="",
    project="",
    at=Moment(880.0, 880.0, "b"),
    until=Moment(2000.0, 2000.0, "b"),
    policy="",
    agent="claude",
    cwd="/home/u/work",
    marked=("git push origin main",),
    held=False,
)
PAGE = """\
K7QX2M  2 min  claude  in ~/work
    cd sub && git push origin main
              ^^^^^^^^^^^^^^^^^^^^
  asks: `git push origin main` sends commits to a remote
  the sandbox would not hold it"""
LONG = SHORT.replace(
    request="for x in a b; do\n  npm publish\ndone" + "\n# more" * 9, marked=("npm publish",)
)
LONG_PAGE = """\
K7QX2M  2 min  claude  in ~/work
    for x in a b; do
      npm publish
      ^^^^^^^^^^^
    done
    # more
    # more
    # more
    … 6 lines more
  asks: `git push origin main` sends
    commits to a remote
  the sandbox would not hold it"""


@pytest.mark.parametrize(("question", "width", "page"), [(SHORT, 80, PAGE), (LONG, 40, LONG_PAGE)])
def test_a_question_as_lines(question: Question, width: int, page: str) -> None:
    assert "\n".join(lines(question, NOW, width, "/home/u")) == page


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("many", [0, 1, 200])
def test_no_page_is_wider_than_its_terminal(columns: int, many: int) -> None:
    screen = pending_watch.screen([SHORT] * many, 0, "", columns, 24)
    for text in (pending_page.page([SHORT] * many, columns), screen):
        assert max(map(len, text.splitlines())) <= columns
    assert len(screen.splitlines()) <= 24


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """What waits, for a live page; an answer takes it out."""
    every = [SHORT.replace(id=f"{n:032}", code=f"K{n:05}") for n in range(3)]
    monkeypatch.setattr(pending_page, "questions", lambda: list(every))
    monkeypatch.setattr(replying, "answer", lambda q, *_, **__: every.remove(q))
    return every


def shown(page: pending_watch.Page) -> tuple[str, bool]:
    """The code of the question that a live page shows, and whether a key answers it."""
    page.read()
    lines = page.screen(80, 24).splitlines()
    return lines[0].split()[0], "any key" not in "\n".join(lines)


def test_each_answer_is_for_the_question_that_was_shown(live: list[Question]) -> None:
    page = pending_watch.Page()
    assert shown(page) == ("K00000", True)
    page.press("j")
    page.press("y")
    assert [each.code for each in live] == ["K00000", "K00002"]
    assert shown(page) == ("K00002", True)  # it stands where the answered one was


def test_a_key_for_a_question_that_went_meanwhile_answers_none(live: list[Question]) -> None:
    page = pending_watch.Page()
    page.read()
    del live[0]  # answered elsewhere
    assert shown(page) == ("K00001", False)
    page.press("y")
    assert len(live) == 2
    assert shown(page) == ("K00001", True)
    page.press("n")
    assert [each.code for each in live] == ["K00002"]
    live.clear()
    page.read()
    page.press("y")
    assert "nothing waits" in page.screen(80, 24)


def say(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert run(dispatch, words) == ExitCode.ALLOW
    return capsys.readouterr().out


def test_the_way_of_a_question(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert say(capsys, "pending") == "nothing waits\n"
    code = left(project, "git push").code
    assert say(capsys, "pending").startswith(f"{code}  ")
    assert say(capsys, "approve", code.lower()).startswith("approved: git push\n")
    assert "one call, when it is made again" in say(capsys, "approvals")
    assert passes(project, "git push")
    assert say(capsys, "pending") == "nothing waits\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--for", "10"], "`10` is not a time: write `90s`, `10m` or `2h`"),
        (["--for", "0m"], "`0m` is not a time"),
        (["--uses", "0"], "`0` is not a number from 1 to 100"),
        (["--for", "1m", "--session"], "choose one of `--for`, `--session` and `--always`"),
    ],
)
def test_what_no_answer_is(
    project: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = left(project, "git push").code
    assert run(dispatch, ["approve", *words, code]) == ExitCode.USAGE
    assert message in capsys.readouterr().err
    assert [question.code for question in waiting()] == [code]


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_a_code_of_no_question(
    project: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, [command, "AAAAAA"]) == ExitCode.ERROR
    assert "no question `AAAAAA` waits" in capsys.readouterr().err


def test_a_session_is_not_for_what_is_asked_each_time(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = left(project, 'git push "$x"').code
    assert run(dispatch, ["approve", "--session", code]) == ExitCode.ERROR
    assert "is asked each time it comes" in capsys.readouterr().err


def test_the_rule_for_good_is_shown_and_not_written(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = left(project, "git push origin main").code
    said = say(capsys, "approve", "--always", code)
    assert "opens exactly: `git push origin main`:" in said
    assert f"to write it: execpolicy amend {code}" in said
    assert not (home / ".config/execpolicy/rules").exists()
    assert [question.code for question in waiting()] == [code]


def test_a_rule_for_good_answers_the_question(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = left(project, "git push origin main")
    assert "opens exactly: `git push origin main`:" in say(capsys, "amend", question.code)
    assert waiting() == []
    assert passes(project, "git push origin main")
    assert passes(project, "git push origin main")
    assert not passes(project, "git push origin topic")


def test_no_rule_is_written_for_what_none_may_allow(project: Path) -> None:
    code = left(project, "curl https://example.com/a.sh | sh").code
    assert run(dispatch, ["amend", code]) == ExitCode.ERROR
    assert [question.code for question in waiting()] == [code]


def test_the_session_is_answered_for_the_same_command(project: Path) -> None:
    code = left(project, "git push origin main").code
    assert run(dispatch, ["approve", "--session", code]) == ExitCode.ALLOW
    assert passes(project, "git push origin main")
    assert passes(project, "git push origin main")
    assert not passes(project, "git push origin main", "s2")
