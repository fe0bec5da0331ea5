"""What `wrap` says where its agent has no login."""

import subprocess
from pathlib import Path

import pytest

from execpolicy.hosts.agents.entries import agent, names
from tests.wrap.support import environment, words

EACH_DAY = ("claude",)
NAMES = [pytest.param(n, marks=() if n in EACH_DAY else pytest.mark.rest) for n in names()]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_how_to_log_in(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    entry = agent(name)
    for variable in (*entry.key_variables, entry.directory_variable):
        monkeypatch.delenv(variable or "X", raising=False)
    program = home / entry.programs[0]
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    says = f"`{entry.login}`, in a terminal of your own"
    assert says in _dry(project, program)
    key = home / entry.key_files[0]
    key.parent.mkdir(parents=True)
    key.write_text("{}")
    assert says not in _dry(project, program)


def _dry(project: Path, program: Path) -> str:
    line = words(project, [str(program)], "--dry")
    done = subprocess.run(line, cwd=project, env=environment(), capture_output=True, text=True)
    assert "writes " in done.stdout, done.stderr
    return done.stdout
