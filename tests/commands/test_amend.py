"""`execpolicy amend`, as the user calls it."""

import io
import json
import multiprocessing
import os
from pathlib import Path
from typing import Any

import pytest

from execpolicy import Decision, Engine
from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.engine.wire import to_wire
from execpolicy.store.sources import trust
from tests.repositories import new_repository


@pytest.fixture
def rules(home: Path) -> Path:
    return home / ".config/execpolicy/rules/default.rules"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "repo"
    new_repository(root)
    (root / "sub").mkdir()
    monkeypatch.chdir(root / "sub")
    return root


def amend(*arguments: str) -> int:
    """Amend a prefix, whatever the commands do that begin so."""
    taking = {"--undo", "--from-verdict"}.intersection(arguments)
    return run(dispatch, ["amend", *([] if taking else ["--prefix"]), *arguments])


def decision(command: str) -> Decision:
    return Engine.load(cwd=os.getcwd()).check(command).decision


def test_what_is_amended_is_allowed(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert decision("git push origin x") is Decision.PROMPT
    assert amend("--", "git", "push") == ExitCode.ALLOW
    assert decision("git push origin x") is Decision.ALLOW
    comment, rule = rules.read_text().splitlines()
    assert comment.startswith("# amend 20")
    assert comment.endswith("] for: git push")
    assert rule == 'prefix_rule(["git", "push"], decision = "allow")'
    said = capsys.readouterr().out
    assert said.startswith(f"{rules}:\n  {comment}\n  {rule}\nopens exactly: `git push …`: ")
    assert "  not: `git push --receive-pack x`: " in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["python3", "-c", "x"], "`python3 -c` runs any program text that it is given"),
        (["git"], "`git` alone unlocks all of its subcommands"),
        (["rm", "-f"], "`rm`"),
        (["/usr/bin/python3.12"], "`python3.12` alone unlocks"),
        (["timeout", "5", "bash"], "`bash` runs what follows it"),
        (["A=b", "git", "push"], "is an assignment in front"),
        (["git push"], "is not a plain word"),
        ([""], "is not a plain word"),
    ],
)
def test_a_banned_prefix_is_refused_with_the_reason(
    words: list[str], says: str, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert amend("--", *words) == ExitCode.ERROR
    err = capsys.readouterr().err
    assert says in err
    assert "would allow too much" in err
    assert not rules.exists()


def test_a_program_that_nobody_knows_is_a_persons_choice(rules: Path) -> None:
    assert amend("mytool") == ExitCode.ALLOW
    assert decision("mytool x") is Decision.ALLOW


@pytest.mark.parametrize("wanted", ["prompt", "forbidden"])
def test_a_rule_that_tightens_may_be_about_anything(wanted: str, rules: Path) -> None:
    assert amend("--decision", wanted, "--justification", "say why", "--", "ls") == 0
    assert decision("timeout 5 ls") is Decision.parse(wanted)
    assert 'justification = "say why"' in rules.read_text()
    assert amend("--undo") == ExitCode.ALLOW
    assert decision("ls") is Decision.ALLOW


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--", "git", "push"], 1),
        (["--", "git", "push", "origin"], 1),
        (["--decision", "prompt", "--", "npm", "publish", "x"], 2),
        (["--decision", "forbidden", "--", "npm", "publish"], 2),
    ],
)
def test_what_is_covered_is_refused_with_its_place(
    arguments: list[str], line: int, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.parent.mkdir(parents=True)
    text = 'prefix_rule(["git", "push"])\nprefix_rule(["npm", "publish"], "forbidden")\n'
    rules.write_text(text)
    assert amend(*arguments) == ExitCode.ERROR
    assert f"is covered already: {rules}:{line} says" in capsys.readouterr().err
    assert rules.read_text() == text


def test_a_rule_that_would_not_help_is_refused(
    rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.parent.mkdir(parents=True)
    rules.write_text('prefix_rule(["git", "push"], "forbidden")\n')
    assert amend("--", "git", "push") == ExitCode.ERROR
    err = capsys.readouterr().err
    assert "the rule would not help: `git push` would still be forbidden" in err
    assert f"{rules}:1" in err


@pytest.mark.parametrize(
    "text",
    ["prefix_rule(", 'prefix_rule(["ls"], match = ["cat"])\n', "\ufeffx = 1\n"],
    ids=["broken", "a failing example", "a BOM"],
)
def test_a_file_that_does_not_load_is_left_alone(
    text: str, rules: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules.parent.mkdir(parents=True)
    rules.write_text(text)
    assert amend("--", "git", "push") == ExitCode.ERROR
    assert f"{rules}:1" in capsys.readouterr().err
    assert rules.read_text() == text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_long_rule_stands_as_fmt_would_have_it(newline: str, rules: Path) -> None:
    rules.parent.mkdir(parents=True)
    before = f"# mine{newline}".encode()
    rules.write_bytes(before)
    why = "because " * 20
    assert amend("--decision", "forbidden", "--justification", why, "--", "ls", "a b") == 0
    text = rules.read_bytes().decode()
    assert text.count("\n") == text.count(newline) > 5
    assert decision("ls 'a b'") is Decision.FORBIDDEN
    assert amend("--undo") == ExitCode.ALLOW
    assert rules.read_bytes() == before


def test_a_secret_does_not_get_into_the_comment(rules: Path) -> None:
    words = ["x", "--password", "a s3cr3t b"]
    assert amend("--decision", "forbidden", "--", *words) == ExitCode.ALLOW
    assert "s3cr3t" not in rules.read_text().splitlines()[0]


def test_another_broken_file_does_not_stop_it(rules: Path) -> None:
    rules.parent.mkdir(parents=True)
    rules.with_name("a.rules").write_text("prefix_rule(")
    assert amend("--", "git", "push") == ExitCode.ALLOW


def test_the_project_layer_is_trusted_with_what_was_typed(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    path = repository / ".execpolicy/rules/default.rules"
    assert amend("--layer", "project", "--", "npm", "run", "build") == ExitCode.ALLOW
    assert decision("npm run build") is Decision.ALLOW
    assert amend("--layer=project", "--", "make", "test") == ExitCode.ALLOW
    assert decision("make test") is Decision.ALLOW
    assert trust.trusted(str(path), path.read_bytes(), trust.read())


@pytest.mark.parametrize("others", [0, 0o022])
def test_a_directory_of_rules_that_others_can_write_to(
    rules: Path, repository: Path, others: int
) -> None:
    """What is trusted of a project are its very files; of the user's own it is the directory."""
    for path in (rules.parent, repository / ".execpolicy/rules"):
        path.mkdir(parents=True)
        path.chmod(0o755 | others)
    assert amend("--layer", "project", "--", "make", "test") == ExitCode.ALLOW
    assert amend("--", "git", "push") == (ExitCode.ERROR if others else ExitCode.ALLOW)


def test_a_project_file_that_nobody_trusts_cannot_allow(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = repository / ".execpolicy/rules/default.rules"
    path.parent.mkdir(parents=True)
    path.write_text('prefix_rule(["curl"])\n')
    assert amend("--layer", "project", "--", "make", "test") == ExitCode.ERROR
    assert "read it, then run `execpolicy trust`" in capsys.readouterr().err
    assert amend("--layer", "project", "--decision", "forbidden", "--", "make") == ExitCode.ALLOW
    assert decision("make test") is Decision.FORBIDDEN
    assert decision("curl x") is Decision.PROMPT


def test_a_dry_run_shows_the_difference(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert amend("--dry-run", "--", "git", "push") == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert '+prefix_rule(["git", "push"], decision = "allow")\n' in out
    assert not rules.exists()
    assert not rules.parent.exists()


def test_undo_twice(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    amend("--", "git", "push")
    before = rules.read_bytes()
    amend("--", "make", "test")
    assert amend("--undo", "--dry-run") == ExitCode.ALLOW
    assert "-prefix_rule" in capsys.readouterr().out
    assert amend("--undo") == ExitCode.ALLOW
    assert rules.read_bytes() == before
    assert amend("--undo") == ExitCode.ALLOW
    assert amend("--undo") == ExitCode.ERROR
    told = capsys.readouterr().err
    assert "does not end with rules that `amend` wrote" in told
    assert "or name the other layer: `--layer project`" in told


def verdict_of(command: str) -> dict[str, Any]:
    return to_wire(Engine.load(cwd=os.getcwd()).check(command))


def from_verdict(verdict: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(verdict)))
    return amend("--from-verdict")


def test_a_verdicts_own_rules_are_written(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "git push && mkdir -p docs"
    assert from_verdict(verdict_of(command), monkeypatch) == ExitCode.ALLOW
    assert decision(command) is Decision.ALLOW
    _, *lines = rules.read_text().splitlines()
    assert [line.split("]")[0] for line in lines] == [
        'prefix_rule(["git", "push"',
        'prefix_rule(["mkdir"',
    ]
    assert amend("--undo") == ExitCode.ALLOW
    assert decision(command) is Decision.PROMPT


PUSH, ALLOWED = '["git", "push"]', '"allow"'
REMOTE, CONFIGURED = '["remote"]', '["@configured"]'


def grant(*arguments: str) -> int:
    """Amend what a command does."""
    return run(dispatch, ["amend", *arguments])


def test_a_grant_is_what_the_command_did(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grant("--", "git", "push") == ExitCode.ALLOW
    assert rules.read_text().splitlines()[1:] == [
        f"prefix_rule({PUSH}, decision = {ALLOWED}, exact = True, effects = {REMOTE},"
        f" hosts = {CONFIGURED})"
    ]
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("opens exactly: `git push`: changes something on another machine")
    assert decision("git push") is Decision.ALLOW
    for stronger in ("git push -f", "git push origin x", "git push https://evil.example/r"):
        assert decision(stronger) is Decision.PROMPT
    assert grant("--", "git", "push") == ExitCode.ERROR
    assert "it is allowed already" in capsys.readouterr().err


def test_code_of_the_project_is_bound_to_it(
    repository: Path, rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.chdir(repository)
    assert grant("--", "make", "lint") == ExitCode.ALLOW
    out = capsys.readouterr().out
    assert "it runs what the project then holds; the rule applies in this project only\n" in out
    assert (repository / ".execpolicy/rules/default.rules").exists()
    assert not rules.exists()
    assert decision("make lint") is Decision.ALLOW
    assert decision("make deploy") is Decision.PROMPT
    other = tmp_path / "other"
    new_repository(other)
    os.chdir(other)
    assert decision("make lint") is Decision.PROMPT


def test_a_script_is_granted_all_or_none(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grant("-c", "mkdir -p a && git push 2> log.txt") == ExitCode.ALLOW
    assert decision("mkdir -p a && git push 2> log.txt") is Decision.ALLOW
    assert decision("git push 2> other.txt") is Decision.PROMPT
    assert len(rules.read_text().splitlines()) == 4
    assert grant("-c", 'touch a && eval "$x"') == ExitCode.ERROR
    assert "no rule would allow it" in capsys.readouterr().err
    assert len(rules.read_text().splitlines()) == 4


def test_a_secret_after_what_the_rule_names_is_not_kept(repository: Path) -> None:
    os.chdir(repository)
    assert grant("--", "npm", "run", "build", "--", "--token", "s3cr3tvalue") == ExitCode.ALLOW
    assert "s3cr3tvalue" not in (repository / ".execpolicy/rules/default.rules").read_text()


def test_a_secret_is_not_kept_in_a_rule(rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grant("--", "docker", "compose", "up", "--token", "s3cr3tvalue") == ExitCode.ERROR
    assert "take the secret out of the words" in capsys.readouterr().err
    assert not rules.exists()


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ('prefix_rule(["git"])', "would allow too much"),
        ('prefix_rule(["python3", "-c"])', "would allow too much"),
        ('prefix_rule(["git", ["push", "fetch"]])', "something else than rules that allow"),
        ('path_rule(["/*"], decision = "allow")', "something else than rules that allow"),
        ('prefix_rule(["git", "push"], "forbidden")', "something else than rules that allow"),
        ('posture(write = "allow")', "the verdict proposes no rule"),
        ("prefix_rule(", "is never closed"),
        (None, "the verdict proposes no rule"),
    ],
)
def test_a_forged_verdict_gets_nothing(
    rule: str | None,
    says: str,
    rules: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    verdict = verdict_of("git push")
    verdict["amendment"] = {"pattern": ["git", "push"], "rule": rule}
    assert from_verdict(verdict, monkeypatch) == ExitCode.ERROR
    assert says in capsys.readouterr().err
    assert not rules.exists()


@pytest.mark.parametrize("verdict", [{}, [], "x", {"amendment": 1, "operations": []}])
def test_what_is_no_verdict_is_an_error(
    verdict: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert from_verdict(verdict, monkeypatch) == ExitCode.ERROR
    assert "stdin holds no verdict" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "one of them"),
        (["--"], "one of them"),
        (["--undo", "--", "ls"], "one of them"),
        (["--bogus", "ls"], "unknown option `--bogus`"),
        (["--layer", "system", "ls"], "unknown layer `system`: use user or project"),
        (["--decision", "deny", "ls"], "unknown decision `deny`"),
        (["--layer"], "option `--layer` needs a value"),
    ],
)
def test_usage(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert amend(*arguments) == ExitCode.USAGE
    assert says in capsys.readouterr().err


def test_a_directory_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert amend("--cwd", "/nowhere", "ls") == ExitCode.USAGE
    assert "`/nowhere` is not a directory" in capsys.readouterr().err


def test_help_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert amend("--help") == ExitCode.ALLOW
    assert "execpolicy amend --layer project -- npm run build" in capsys.readouterr().out


def _several(worker: int) -> None:
    for number in range(3):
        assert amend("--", f"tool{worker}", f"x{number}") == ExitCode.ALLOW


def test_eight_people_at_once_lose_nothing(rules: Path) -> None:
    decision("ls")  # the shipped rules are compiled
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_several, args=(n,)) for n in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    written = [x for x in rules.read_text().splitlines() if x.startswith("prefix_rule")]
    assert len(set(written)) == len(written) == 24


def test_the_same_rule_is_written_once_by_eight(rules: Path) -> None:
    decision("ls")
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=amend, args=("--", "make", "test")) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert rules.read_text().count("prefix_rule") == 1


def test_an_agent_may_not_amend() -> None:
    for command in ("execpolicy amend -- git push", "python3 -m execpolicy amend -- ls"):
        assert decision(command) is Decision.PROMPT
        assert Engine.load().check(command).amendments == ()


@pytest.mark.parametrize(
    "text",
    [
        "git commit -q -m \"$(cat <<'E'\nfix: x\nE\n)\"",
        "python3 - <<'E'\nprint(1)\nE",
        "psql shop <<< 'drop table x'",
        "cat .env",
        "git config user.name x",
        "ls > out.txt",
    ],
)
def test_what_is_offered_is_taken(
    rules: Path, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert grant("-c", text) == ExitCode.ALLOW
    assert grant("-c", text) == ExitCode.ERROR  # it is allowed already


def test_undo_takes_back_the_last_one_wherever_it_was_written(
    rules: Path, repository: Path
) -> None:
    project = repository / ".execpolicy/rules/default.rules"
    assert amend("--", "cargo", "test") == ExitCode.ALLOW
    before = rules.read_bytes()
    assert amend("--layer", "project", "--", "cargo", "check") == ExitCode.ALLOW
    assert amend("--undo") == ExitCode.ALLOW
    assert (project.read_bytes(), rules.read_bytes()) == (b"", before)
    assert amend("--undo") == ExitCode.ALLOW
    assert rules.read_bytes() == b""
