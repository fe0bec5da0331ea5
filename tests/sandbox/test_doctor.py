"""`doctor` tries each wall of the sandbox of this machine."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import doctor_sandbox
from execpolicy.commands.exit_codes import ExitCode, run
from execpolicy.sandbox.backends.start import prepared


def told(capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    run(dispatch, ["doctor"])
    return capsys.readouterr().out


def test_each_wall_stands(sandboxes: None, capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys)
    for text, _ in doctor_sandbox.PROBES:
        assert f"ok    sandbox: {text}" in out
    assert f"ok    sandbox: {doctor_sandbox.PROBES[2][0]}\n" in out


@pytest.mark.parametrize(("text", "command"), doctor_sandbox.PROBES[:3])
def test_what_is_tried_works_outside(text: str, command: str, tmp_path: Path) -> None:
    """Else the wall would seem to stand."""
    with doctor_sandbox.outside(str(tmp_path)) as there:
        done = subprocess.run(["bash", "-c", command.format(**there)], capture_output=True)
    assert done.returncode == 0, text


def test_what_could_not_be_tried_is_told(
    sandboxes: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_sandbox, "PROBES", (("nothing is there", "no-such-program"),))
    assert "ok    sandbox: nothing is there (not tried: no program" in told(capsys)


def test_a_wall_that_does_not_stand_is_told(
    sandboxes: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor_sandbox, "PROBES", (("nothing runs", "true"),))
    assert run(dispatch, ["doctor"]) == ExitCode.ERROR
    out = capsys.readouterr().out
    assert "WRONG sandbox: nothing runs\n      tell the maintainers of execpolicy\n" in out


def test_where_no_sandbox_can_be_made_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prepared, "DIRECTORIES", ())
    monkeypatch.setattr(prepared, "packaged", str)
    out = told(capsys)
    assert "WRONG sandbox: none can be made here\n      there is no sandbox: `bwrap` is not" in out
