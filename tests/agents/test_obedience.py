"""The hosts' own programs obey the hook: with a model of paper that asks for one command.

What is forbidden does not run and the model reads why; what is allowed runs without a question;
what would be asked about does not run where there is nobody. The hosts are started in the mode
that asks nothing, where they have one, so it is the hook that holds the command back. Nothing but
loopback can be reached.
"""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands import pending_page, replying
from execpolicy.commands.host_records import HostRecords
from execpolicy.engine.audit import log_path
from execpolicy.hosts.install import start_words
from execpolicy.hosts.protocols import BRIEFED
from execpolicy.model.approval import Life
from execpolicy.model.decision import Decision
from execpolicy.store.log_lines import newest
from tests.agents import paper, real, support
from tests.store.support import user

pytestmark = pytest.mark.slow

COMMAND = "touch ran"
TOLD = {
    Decision.ALLOW: ("ran",),
    Decision.PROMPT: ("refused by the host", ""),
    Decision.FORBIDDEN: ("refused by the host", ""),
}
"""What the host's own transcript says of it. One that is to be resumed has no end yet, and one of a
program that calls tools no beginning."""
RULE = 'prefix_rule(["touch", "ran"], "{}", justification = "nothing is to run")'


def run(host: str, decision: Decision, home: Path, tmp_path: Path) -> tuple[paper.Paper, Path]:
    """What a host made of the command, and where it would have run."""
    start = real.LINES[host]
    assert start.path
    work = tmp_path / "work"
    work.mkdir()
    user(home, RULE.format(decision.word))
    with paper.model(COMMAND) as model:
        start.prepare(model, home)
        dispatch(["install", start.program])
        subprocess.run([*start_words.command(), "layers"], capture_output=True, check=True)
        start.run(model, work)
    return model, work


@pytest.fixture(autouse=True)
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = real.ourselves(tmp_path / "bin")
    monkeypatch.setattr(start_words, "command", lambda: (path,))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    for name in ("XDG_DATA_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("decision", Decision, ids=lambda d: d.word)
@pytest.mark.parametrize("host", real.LINES)
def test_the_host_does_what_was_decided(
    host: str, decision: Decision, home: Path, tmp_path: Path
) -> None:
    model, work = run(host, decision, home, tmp_path)
    assert model.offered, "the host never spoke to the model"
    assert (work / "ran").exists() is (decision is Decision.ALLOW)
    if decision is Decision.FORBIDDEN:
        assert "execpolicy forbids this: `touch ran`: nothing is to run" in model.said
    line = next(each for each in newest(log_path()) if each["command"] == COMMAND)
    assert HostRecords(str(home)).outcome(line) in TOLD[decision]
    sent, known = real.kept(start_words.command()[0]).keys(), recorded(real.LINES[host].program)
    assert sent <= set().union(*known)
    assert sent >= set.intersection(*known)


def recorded(host: str) -> list[set[str]]:
    """The fields of payloads that the host is recorded to send; in some only what is needed."""
    files = [path for path in support.golden(host) if not path.stem.endswith("_unknown_fields")]
    return [set(json.loads(path.read_text())["payload"]) for path in files]


# Claude Code alone has no mode, for a root user, in which it would run the command unasked.
@pytest.mark.parametrize("host", [host for host in real.STARTS if host != "claude"])
def test_without_the_hook_the_host_runs_it(host: str, home: Path, tmp_path: Path) -> None:
    start = real.STARTS[host]
    with paper.model(COMMAND) as model:
        start.prepare(model, home)
        start.run(model, tmp_path)
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("host", BRIEFED)
def test_the_model_is_told_the_rules_of_a_session(host: str, home: Path, tmp_path: Path) -> None:
    model, work = run(host, Decision.ALLOW, home, tmp_path)
    assert f"Your project is {work}." in model.told


@pytest.mark.parametrize("host", [host for host in real.STARTS if " " not in host])
def test_what_is_approved_from_elsewhere_runs_once(host: str, home: Path, tmp_path: Path) -> None:
    """Nobody can be asked: the call is refused, the next run makes it again after the answer."""
    ran = tmp_path / "work/ran"
    run(host, Decision.PROMPT, home, tmp_path)
    assert not ran.exists()
    (question,) = pending_page.questions()
    assert question.request == COMMAND
    replying.answer(question, Life.ONCE)
    again(host, tmp_path / "work")
    assert ran.exists()
    ran.unlink()
    again(host, tmp_path / "work")
    assert not ran.exists()
    assert len(pending_page.questions()) == 1


def again(host: str, work: Path) -> None:
    """The same host with the same wish, in another session."""
    with paper.model(COMMAND) as model:
        real.STARTS[host].prepare(model, Path.home())
        dispatch(["install", real.STARTS[host].program])
        real.STARTS[host].run(model, work)


def test_claude_takes_up_the_run_that_ended_at_a_question(home: Path, tmp_path: Path) -> None:
    """`defer` ends it; the resumed run asks about the same call again, and it runs once."""
    ran, start = tmp_path / "work/ran", real.STARTS["claude"]
    start = replace(start, arguments=(*start.arguments, "--output-format", "json"))
    work = ran.parent
    work.mkdir()
    user(home, RULE.format("prompt"))
    with paper.model(COMMAND) as model:
        start.prepare(model, home)
        dispatch(["install", "claude"])
        said = json.loads(start.run(model, work).stdout)
        assert (said["stop_reason"], ran.exists()) == ("tool_deferred", False)
        resumed = replace(start, arguments=("-p", "--resume", said["session_id"], "go on"))
        resumed.run(model, work)
        assert not ran.exists()
        (question,) = pending_page.questions()
        replying.answer(question, Life.ONCE)
        resumed.run(model, work)
        assert ran.exists()
        ran.unlink()
        resumed.run(model, work)
        assert not ran.exists()
