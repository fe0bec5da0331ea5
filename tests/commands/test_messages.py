"""What a user reads where a command line, a file or a directory is wrong, and what it ends with."""

import io
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run

FILES = {
    "good.rules": b'prefix_rule(["git", "push"], "prompt")\n',
    "good.rules_test": b'case("git push", "prompt")\n',
    "bad.rules": b'prefix_rule(["git"], "maybe")\nprefix_rule([], "allow")\n',
    "open.rules": b'prefix_rule(["git"\n',
    "latin.rules": b"\xff",
    "misplaced.rules_test": b'prefix_rule(["git"])\n',
    "empty/README": b"",
}
UNREADABLE = "error[read]: cannot read the file: no such file or directory"

# The command line | what stands at the beginning of stderr
WRONG_WORDS = """
    chekc -- ls                | unknown command `chekc`; did you mean `check`?
    check                      | no command: write `execpolicy check -- COMMAND…`, `-c TEXT` or `-`
    check --fromat json -- ls  | unknown option `--fromat`; did you mean `--format`?
    check --format xml -- ls   | unknown format `xml`: use text, json, codex or requirement
    learn --holdout -o a.rules | `--holdout` writes no rules: leave out `-o`
    check --format             | option `--format` needs a value
    check --cwd gone -- ls     | `gone` is not a directory: name one that exists
    check --cwd good.rules ls  | `good.rules` is not a directory: name one that exists
    check --mode plan -- ls    | `--mode` needs `--host NAME`
    check --session s1 -- ls   | `--session` needs `--host NAME`
    check --pretty -- ls       | `--pretty` needs `--format codex`
    check --pretty --format json -- ls     | `--pretty` cannot be used with `--format json`
    check --resolve-host-executables -- ls | `--resolve-host-executables` needs `--format codex`
    check --approval-policy never -- ls    | `--approval-policy` needs `--format requirement`
    check --jsonl --format text            | `--jsonl` cannot be used with `--format text`
    check --scope a --format requirement -- ls | `--scope` cannot be used with `--format
    check --shell zsh --format requirement -- ls | `--shell` cannot be used with `--format
    explain --width wide -- ls | `--width` needs a number from 40 to 1000, not `wide`
    explain --cwd gone -- ls   | `gone` is not a directory: name one that exists
    layers --cwd gone          | `gone` is not a directory: name one that exists
    layers here                | unexpected argument `here` (`execpolicy layers --help`)
    lint --cwd gone            | `gone` is not a directory: name one that exists
    lint --cwd empty good.rules | `--cwd` cannot be used with files: the layers
    lint --explain zzz         | unknown code `zzz` (`execpolicy lint --explain codes` lists them)
    trust gone                 | `gone` is not a directory: name one that exists
    amend --cwd gone -- ls     | `gone` is not a directory: name one that exists
    amend                      | give words after `--`, `-c`, `--rule`, `--from-verdict` or `--undo`
    amend --undo --prefix      | `--prefix` cannot be used with `--undo`
    amend --rule r --decision prompt | `--decision` cannot be used with `--rule`
    amend --from-verdict --prefix | `--prefix` cannot be used with `--from-verdict`
    approvals drop             | unknown action `drop`: use list, revoke or export
    approvals revoke           | say what to revoke: names, `--session`, `--project` or `--all`
    approvals revoke --all --json | `revoke` takes no `--json`
    approvals export --json    | `export` takes no options: it writes everything
    diff good.rules            | give two rules files: the old one and the new one
    fmt                        | no files: name rules files, or `-` for stdin
    import emacs               | unknown host `emacs`: use one of claude, copilot, cursor
    install emacs              | unknown host `emacs`: use one of antigravity, claude, codex
    log --since noon           | `noon` is not a time: write 2h or 2026-01-31T12:00:00Z
    log -n -1                  | `-n` takes a number of lines, 0 for all, not `-1`
    log --network --program git | `--program` cannot be used with `--network`
    proxy --cwd gone           | `gone` is not a directory: name one that exists
    proxy --tunnel --env a 1   | `--env` cannot be used with `--tunnel`
    proxy --listen home        | `home` is not an address: write 127.0.0.1:8899
    proxy --listen 0.0.0.0:0   | `0.0.0.0` is not loopback: other machines may reach it there
    proxy --tunnel a           | give a host and a port: `execpolicy proxy --tunnel HOST PORT`
    run                        | give words, or `-c TEXT`: `execpolicy run -- COMMAND…`
    run --session me -- ls     | `me` is not a process: write its number
    run --cwd gone -- ls       | `gone` is not a directory: name one that exists
    run --format json -- ls    | `--format` needs `--dry`
    run --status-fd 90000 -- ls | descriptor 90000 is not open for writing: `execpolicy run
    run --status-fd 99999999999999999999 -- ls | descriptor 99999999999999999999 is not open for
    test --cwd gone            | `gone` is not a directory: name one that exists
    test --cwd empty good.rules_test | `--cwd` cannot be used with files
"""
CANNOT = f"""
    check --rules gone.rules -- ls | HERE/gone.rules: {UNREADABLE}
    check --rules empty -- ls      | HERE/empty: error[read]: cannot read the file: it is a
    check --rules latin.rules -- a | HERE/latin.rules:1:1: error[encoding]: byte 0xff is not UTF-8
    amend --rule boo               | --rule:1:1: error[starlark]: variable `boo` not found
    amend -- ls                    | it is allowed already: `ls` only reads
    approvals revoke a1 b2         | no approval `a1` or `b2` (`execpolicy approvals --all`
    diff gone.rules good.rules     | HERE/gone.rules: {UNREADABLE}
    test --junit no/x good.rules_test | `no/x`: no such file or directory
    fmt empty                      | `empty` holds no `*.rules` files
"""


def rows(table: str) -> list[tuple[list[str], str]]:
    lines = [line.partition("|") for line in table.strip().splitlines()]
    return [(line.split(), message.strip()) for line, _, message in lines]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with some files that are wrong, and nothing on stdin."""
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    return tmp_path


@pytest.mark.parametrize(("words", "message"), rows(WRONG_WORDS), ids=lambda v: " ".join(v[:4]))
def test_a_wrong_command_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, words) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.err.startswith(f"execpolicy: {message}")
    assert captured.out == ""


@pytest.mark.parametrize(("words", "message"), rows(CANNOT), ids=lambda v: " ".join(v[:4]))
def test_what_cannot_be_done(
    words: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, words) == ExitCode.ERROR
    told = capsys.readouterr().err
    assert message.replace("HERE", str(here)) in told
    assert "Errno" not in told


@pytest.mark.parametrize(
    ("words", "places"),
    [
        (["check", "--rules", "bad.rules", "--", "ls"], ["bad.rules:1:23", "bad.rules:2:1"]),
        (["lint", "bad.rules", "open.rules"], ["bad.rules:1:23", "bad.rules:2:1", "open.rules:1:"]),
        (["diff", "bad.rules", "open.rules"], ["bad.rules:1:23", "bad.rules:2:1", "open.rules:1:"]),
        (["test", "misplaced.rules_test"], ["error[builtin]: `prefix_rule` is for rules"]),
    ],
)
def test_all_problems_are_told_at_once(
    words: list[str], places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, words) == ExitCode.ERROR
    captured = capsys.readouterr()
    assert [place for place in places if place not in captured.out + captured.err] == []


def test_a_current_directory_that_is_gone(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = here / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert run(dispatch, ["install", "claude", "--scope", "project"]) == ExitCode.ERROR
    assert "change to another one" in capsys.readouterr().err


def test_broken_rules_are_why_nothing_can_be_amended(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / ".config/execpolicy/rules"
    folder.mkdir(parents=True)
    (folder / "bad.rules").write_text("prefix_rule(]")
    assert run(dispatch, ["amend", "--", "git", "push"]) == ExitCode.ERROR
    told = capsys.readouterr().err
    assert "bad.rules:1`; `execpolicy layers` shows what is wrong" in told


def test_a_payload_that_is_not_json(capfd: pytest.CaptureFixture[str]) -> None:
    from execpolicy.commands.hook import Hook

    Hook("claude").answer(b'{"a": }')
    told = capfd.readouterr().err
    assert told.startswith(
        "execpolicy: the payload of the host: it is not JSON: expecting value at "
    )
