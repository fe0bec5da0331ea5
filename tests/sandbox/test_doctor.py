"""`doctor` tries each wall of the sandbox of this machine."""

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
        assert f"ok    sandbox: {text}\n" in out


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
