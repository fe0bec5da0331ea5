"""What `doctor` finds out about sessions of `wrap`."""

import shutil
from pathlib import Path

import pytest

from execpolicy.commands import doctor_wrap

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")


def test_each_wall_of_a_session_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)  # no agent is here
    opened = ("a wall that does not stand", f"echo {doctor_wrap.RAN}")
    monkeypatch.setattr(doctor_wrap, "PROBES", (*doctor_wrap.PROBES, opened))
    found = list(doctor_wrap.sessions())
    assert [one.text for one in found if not one.well] == ["wrap: a wall that does not stand"]
    assert len(found) == len(doctor_wrap.PROBES)


def test_an_agent_that_does_not_start_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = tmp_path / "codex"
    agent.write_text("#!/bin/sh\nexit 3\n")
    agent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(doctor_wrap, "PROBES", doctor_wrap.PROBES[-1:])
    runs, starts = doctor_wrap.sessions()
    assert (runs.well, starts.well) == (True, False)
    assert "codex" in starts.text
