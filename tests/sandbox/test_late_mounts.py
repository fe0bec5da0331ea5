"""What is mounted on the machine during a run does not come into it, nor does it run without that.

Each test has mounts of its own: `unshare` gives it a tree that is shared as systemd's is.
"""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from execpolicy.sandbox.backends import mounts
from tests.sandbox.test_run import ROOT, command
from tests.waiting import HANG_SECONDS

SHARED = ["unshare", *(() if os.geteuid() == 0 else ("-r",)), "-m", "--propagation", "shared"]
LATE = """
mount --make-rshared /
coproc RUN {{ {words}; }}
read -r line <&"${{RUN[0]}}"; echo "$line"
mount -t tmpfs none {place}
echo on >&"${{RUN[1]}}"
cat <&"${{RUN[0]}}"
"""
INSIDE = "echo begun; read -r line; grep -c ' {place} ' /proc/self/mountinfo; touch {place}/x"


def _inside(project: Path, place: Path, *flags: str) -> list[str]:
    """What a command says of a place that something is mounted on after it has begun."""
    words = shlex.join([*command(project, *flags, "-c", INSIDE.format(place=place))])
    script = LATE.format(words=words, place=place)
    done = subprocess.run([*SHARED, "bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                          timeout=HANG_SECONDS)  # fmt: skip
    assert done.stdout.startswith("begun\n"), done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("flags", [[], ["--session", str(os.getpid())]])
def test_nothing_arrives(project: Path, flags: list[str]) -> None:
    for place in (project / "stick", project.parent / "stick"):
        place.mkdir()
        assert _inside(project, place, *flags) == ["begun", "0"]
    assert not (project.parent / "stick/x").exists()
    assert (project / "stick/x").exists()  # what is there without it


def test_a_root_that_changes_just_now_is_entered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [[], [False], [True]]
    monkeypatch.setattr(mounts, "in_mount_namespace", lambda *_: answers.pop(0))
    assert mounts.keep_out(os.getpid())
    assert not answers


def test_a_run_that_has_ended_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[bool]] = [[False]]
    monkeypatch.setattr(mounts, "in_mount_namespace", lambda *_: answers.pop(0))
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert not mounts.keep_out(ended.pid)


@pytest.mark.parametrize("words", [["true"], ["ls"], ["no-such-program"]])
def test_runs_begin_and_end_as_they_do(project: Path, words: list[str]) -> None:
    script = shlex.join(command(project, "--", *words))
    shared = [*SHARED, "bash", "-c", f"mount --make-rshared /; {script}"]
    codes = [subprocess.run(run, cwd=ROOT, capture_output=True, timeout=HANG_SECONDS).returncode
             for run in (shared, ["bash", "-c", script])]  # fmt: skip
    assert codes[0] == codes[1]
