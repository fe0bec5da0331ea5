"""Runs and a person in one project at the same time: no file is lost, and what is hidden with its
directory is not read. A single file that is saved anew is there for the moment until it is covered
again: how often that was read is printed. A run is ended only where a process inside has it open at
that moment, and then it does not get past the reading."""

import os
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

import pytest

from tests.sandbox.test_run import command, run
from tests.waiting import HANG_SECONDS

PYTHON = "/usr/bin/python3"
if not os.path.exists(PYTHON):
    pytest.skip("needs a Python of the system", allow_module_level=True)

RUNS = 5
SECONDS = int(os.environ.get("EXECPOLICY_TEST_SECONDS", "20"))
"""After which no more runs begin."""
pytestmark = [pytest.mark.rest, pytest.mark.timeout(SECONDS + HANG_SECONDS)]
WORK = """
import os, socket, sys, tempfile, time
name = sys.argv[1]
for turn in range(20):
    hidden = (".env", os.path.expanduser("~/.aws/credentials"), "../other/.env")
    for path in hidden if turn == 0 else hidden[1:2]:
        try:
            print(open(path).read())
        except OSError:
            pass
    if turn == 0:
        print("past", flush=True)
    with open(f"out-{name}", "a") as file:
        file.write("x")
    with tempfile.TemporaryDirectory() as made, socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{made}/s")
        server.listen()
        client = socket.socket(socket.AF_UNIX)
        client.connect(f"{made}/s")
        client.close()
    time.sleep(0.05)
"""
PREPARE = """
git config user.name a; git config user.email a@b; git branch -m main
printf '.env\\nout-*\\nnotes*\\n' > .gitignore; git add .; git commit -qm two
git checkout -qb side; mkdir .vscode; echo '{}' > .vscode/settings.json; echo side > side.txt
git add .; git commit -qm side; git checkout -q main
"""


def _save(path: Path, text: str) -> None:
    """As an editor saves: a new file in the place of the other."""
    new = path.with_name(f".{path.name}.swp")
    new.write_text(text)
    new.replace(path)


def _person(project: Path, home: Path, stop: threading.Event) -> int:
    """Save, log in, change branches, until the runs are over; how many turns that were."""
    turn = 0
    while not stop.wait(0.3):
        turn += 1
        _save(project / ".env", f"NEW {turn}\n")
        _save(project / "notes", f"notes {turn}\n")
        (project / f"notes-{turn}").write_text("kept")
        _save(home / ".aws/credentials", f"SECRET {turn}\n")
        _save(project.parent / "other/.env", f"NEW {turn}\n")
        for branch in ("side", "main") if turn % 4 == 0 else ():
            subprocess.run(["git", "switch", "-q", branch], cwd=project, check=True)
    return turn


def test_five_runs_and_a_person(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.parent / "home"
    for path in (home / ".aws", project.parent / "other"):
        path.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    subprocess.run(["bash", "-ec", PREPARE], cwd=project, check=True)
    (project / "work.py").write_text(WORK)
    (project / ".env").write_text("SECRET\n")
    run(project, "--", "true")  # compiles the rules, once for all
    stop, turns = threading.Event(), [0]
    person = threading.Thread(target=lambda: turns.append(_person(project, home, stop)))
    person.start()
    done: list[tuple[int, str, str]] = []
    end = monotonic() + SECONDS
    try:
        while monotonic() < end:
            done += _runs(project)
    finally:
        stop.set()
        person.join()
    read = "".join(out for _, out, _ in done)
    print(f"{len(done)} runs, {turns[-1]} turns of the person", file=sys.stderr)
    print(f"{read.count('NEW')} times read before it was covered again", file=sys.stderr)
    assert "SECRET" not in read
    others = [one for one in done if not _had_it_open(*one)]
    print(f"{len(done) - len(others)} runs ended while they read it", file=sys.stderr)
    assert [said for code, _, said in others if code or "moved to" in said] == []
    assert (project / "notes").read_text() == f"notes {turns[-1]}\n"
    assert all((project / f"notes-{turn}").exists() for turn in range(1, turns[-1] + 1))
    status = ["git", "status", "--short", "--branch"]
    shown = subprocess.run(status, cwd=project, capture_output=True, text=True, check=True).stdout
    assert shown == "## main\n?? work.py\n"


def _had_it_open(code: int, out: str, said: str) -> bool:
    return code == 125 and "had open what stands there now" in said and "past" not in out


def _runs(project: Path) -> list[tuple[int, str, str]]:
    """Runs at the same time: the code of each, and what it said."""
    runs = [
        subprocess.Popen(
            command(project, "--", PYTHON, "work.py", str(number)),
            cwd=project, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for number in range(RUNS)
    ]  # fmt: skip
    said = [each.communicate() for each in runs]
    return [(each.returncode, *one) for each, one in zip(runs, said, strict=True)]
