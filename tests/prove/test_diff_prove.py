"""`execpolicy diff --prove`: what may be compared, and what the exit code says."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode, run

ASKS = 'prefix_rule(["deploy"], "prompt")\n'
FORBIDS = 'prefix_rule(["deploy"], "forbidden")\n'
LOOSE = 'posture(write = "allow", destroy = "allow")\n'
PROVE = ("diff", "--prove", "--no-builtin")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asks.rules").write_text(ASKS)
    (tmp_path / "forbids.rules").write_text(FORBIDS)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.rules").write_text(FORBIDS)
    (tmp_path / "other").mkdir()
    for where in (".", "other"):  # where a policy is read from is not part of it
        (tmp_path / where / "loose.rules").write_text(LOOSE)
    (tmp_path / "broken.rules").write_text("prefix_rule(")
    return tmp_path


CASES = [
    (["asks.rules", "forbids.rules"], ExitCode.ALLOW, "no looser: all commands"),
    (["forbids.rules", "asks.rules"], ExitCode.FORBIDDEN, "looser: deploy\n  - forbidden: "),
    (["--equal", "asks.rules", "forbids.rules"], ExitCode.FORBIDDEN, "stricter: deploy"),
    (["--equal", "rules", "forbids.rules"], ExitCode.ALLOW, "equal: all commands"),
    (["-", "asks.rules"], ExitCode.ALLOW, "no looser"),
    (["rules", "-"], ExitCode.FORBIDDEN, "looser: deploy"),
    (["--field", "confined", "forbids.rules", "asks.rules"], ExitCode.FORBIDDEN, "in the sandbox"),
    (["loose.rules", "other/loose.rules"], ExitCode.ALLOW, "no looser"),
    (["asks.rules", "broken.rules"], ExitCode.ERROR, ""),
    (["asks.rules", "missing.rules"], ExitCode.ERROR, ""),
    (["--field", "other", "asks.rules", "asks.rules"], ExitCode.USAGE, ""),
    (["asks.rules"], ExitCode.USAGE, ""),
]


@pytest.mark.parametrize(("arguments", "code", "said"), CASES, ids=lambda c: str(c)[:40])
@pytest.mark.usefixtures("files")
def test_sources_and_exit_codes(
    arguments: list[str], code: ExitCode, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(dispatch, [*PROVE, *arguments]) == code
    assert said in capsys.readouterr().out


def test_other_entries_for_a_program_are_asked_about(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`deploy --now` reads on one side and destroys on the other; with a rule all is forbidden."""
    for name, effect in (("old", "destroy"), ("new", "read")):
        entry = f'posture(read = "allow")\nprogram("deploy", "--now!{effect}", "")\n'
        (files / f"{name}.rules").write_text(entry)
        (files / f"{name}_forbids.rules").write_text(FORBIDS + entry)
    assert run(dispatch, [*PROVE, "old.rules", "new.rules"]) == ExitCode.FORBIDDEN
    assert "looser: deploy --now" in capsys.readouterr().out
    assert run(dispatch, [*PROVE, "new.rules", "old.rules"]) == ExitCode.ALLOW
    assert run(dispatch, [*PROVE, "old_forbids.rules", "new_forbids.rules"]) == ExitCode.ALLOW


def test_equal_and_field_need_a_proof() -> None:
    assert run(dispatch, ["diff", "--equal", "a.rules", "b.rules"]) == ExitCode.USAGE


def test_what_a_program_reads_cannot_be_told(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A digest does not say which text has it, so no example can be given."""
    digest = "sha256:" + 64 * "0"
    rule = f'prefix_rule(["run", "-"], effects = ["execute"], stdin = ["{digest}"])\n'
    (files / "digest.rules").write_text(rule)
    assert run(dispatch, [*PROVE, "-", "digest.rules"]) == ExitCode.PROMPT
    assert "known by its digest alone" in capsys.readouterr().out


def git(*words: str) -> None:
    person = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    subprocess.run(["git", *person, *words], check=True, capture_output=True, env=environment)


def test_a_branch_is_held_to_its_last_commit(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git("init", "-q")
    git("add", "rules", "forbids.rules")
    git("commit", "-qm", "rules")
    assert run(dispatch, [*PROVE, "HEAD:rules", "HEAD:forbids.rules"]) == ExitCode.ALLOW
    against = [*PROVE, "--against", "HEAD", "rules/a.rules"]
    assert run(dispatch, against) == ExitCode.ALLOW
    (files / "rules" / "a.rules").write_text(ASKS)
    capsys.readouterr()
    assert run(dispatch, against) == ExitCode.FORBIDDEN
    assert "looser: deploy" in capsys.readouterr().out
    assert run(dispatch, [*PROVE, "HEAD:nothing", "asks.rules"]) == ExitCode.ERROR
    assert run(dispatch, [*PROVE, "--against", "nothing", "asks.rules"]) == ExitCode.ERROR
    assert run(dispatch, [*PROVE, "--against", "--help", "asks.rules"]) != ExitCode.ALLOW


def test_query_finds_what_passes(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "query.rules").write_text('prefix_rule(["deploy", ["a", "b"]], exact = True)\n')
    query = ["query", "--policy", "query.rules", "--no-builtin", "--"]
    assert run(dispatch, [*query, "deploy"]) == ExitCode.ALLOW
    said = f"deploy a  # unknown (anywhere; {files / 'query.rules'}:1)\n"  # one of each sort
    beyond = "# each is one example of its sort: others of it may run as well\n"
    assert capsys.readouterr().out == said + beyond
    assert run(dispatch, [*query, "other"]) == ExitCode.ALLOW
    assert capsys.readouterr().out.startswith("none")
