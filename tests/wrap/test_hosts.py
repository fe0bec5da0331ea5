"""The hosts' own programs in a wrapped session, unmodified, with no hook installed and with one.

Each reaches its model through the proxy, and what the model asks for runs as a command of the
session, in the project, with its output.
"""

from pathlib import Path

import pytest

from execpolicy.engine.audit import log_path
from execpolicy.store.log_lines import newest
from tests.agents import paper, real
from tests.wrap import hosts

pytestmark = pytest.mark.slow

COMMAND = "echo made by $PPID > ran; cat a.txt; exit 3"


@pytest.mark.parametrize("hook", [False, True], ids=["", "hook"])
@pytest.mark.parametrize("host", real.LINES)
def test_the_command_of_the_model_runs_in_the_session(
    host: str, project: Path, home: Path, hook: bool
) -> None:
    with paper.model(COMMAND) as model:
        done = hosts.run(host, model, project, home, hook=hook)
    assert model.offered, f"the host never spoke to the model: {done.stdout!r} {done.stderr!r}"
    assert (project / "ran").exists(), (model.said, done.stdout, done.stderr)
    assert "hello" in model.said
    lines = newest(log_path())
    assert any(e["command"] == COMMAND and "agent" in e for e in lines) is hook  # of an event


def test_opencode_makes_no_snapshots_that_its_git_does_not_see(project: Path, home: Path) -> None:
    with paper.model(COMMAND) as model:
        hosts.run("opencode", model, project, home)
    assert (project / "ran").exists(), model.said
    assert [e for e in newest(log_path()) if "/opencode/snapshot/" in str(e["command"])] == []


def test_settings_of_a_project_need_not_have_been_used_before(project: Path, home: Path) -> None:
    """opencode writes a file beside them, which is there when it starts."""
    (project / ".opencode/command").mkdir(parents=True)
    with paper.model(COMMAND) as model:
        done = hosts.run("opencode", model, project, home)
    assert (project / "ran").exists(), (model.said, done.stdout, done.stderr)
