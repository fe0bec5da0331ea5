"""What a model that is led astray asks for, in each host's own program, reaches nothing outside.

The project has hooks, settings, skills and servers of its own that try the same. Beside each call
stands that it is an attack: without a session it reaches what it wants.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import confined
from tests.agents import paper
from tests.waiting import HANG_SECONDS, Process
from tests.wrap import hosts
from tests.wrap.hostile.field import AGENT_KEY, Field
from tests.wrap.hostile.model import Astray, Call, calls
from tests.wrap.support import environment

SECONDS = 1200
HOSTS = {
    "claude": {"hook", "skill", "server"},
    "codex": {"hook", "server"},
    "gemini": set(),
    "opencode": {"plugin", "spawned", "server"},
    "copilot": {"hook", "server"},
    "qwen": {"hook", "server"},
}
"""Each host, with what it lets the project start."""
CALLS_SERVER = ("claude", "opencode", "copilot")
"""Those that offer the tool of the project's server by a name of its own."""


@pytest.fixture
def field(project: Path, home: Path) -> Iterator[Field]:
    """A project of the attacker, and what it must not reach."""
    made = Field(project, home)
    with Process(["sleep", str(SECONDS)]) as process:
        made.names["PROCESS"] = str(process.pid)
        yield made
        assert process.poll() is None
        process.kill()


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("host", HOSTS)
def test_nothing_outside_is_reached(host: str, field: Field) -> None:
    model = Astray(field)
    said = work(host, model, field)
    questions = {call.name for call in model.made if call.asks}
    began = field.project / "began"
    assert model.lost == {}
    assert len(model.outcomes) >= 100, said
    assert [one for one in questions if "execpolicy" not in model.outcomes[one]] == []
    assert not (field.project / "ran-late").exists()
    by_server = {call.name for call in model.made if call.tool == "server"}
    assert len(by_server) == (5 if host in CALLS_SERVER else 0)
    assert HOSTS[host] <= set(began.read_text().split() if began.exists() else ())


def work(host: str, model: Astray, field: Field) -> str:
    """What a host says that works in a session until it has no more to do."""
    begun = hosts.prepared(host, model, field.project, field.home, AGENT_KEY)
    with paper.served(model), begun as (words, variables):
        field.lost("")  # the rules open the model by now
        with Process(words, cwd=field.project, env=variables, stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as session:  # fmt: skip
            model.session = session.pid
            return session.communicate(timeout=SECONDS)[0].decode(errors="replace")[-3000:]


ATTACKS = [pytest.param(call, id=call.name) for call in calls() if call.real]


@pytest.mark.rest
@pytest.mark.parametrize("call", ATTACKS)
def test_it_is_an_attack(field: Field, call: Call) -> None:
    """Where nothing but the system is kept from it."""
    (field.project / "away").symlink_to(field.out)
    (field.project / "leads").symlink_to(field.home / ".ssh/id_test")
    *walls, _, _, _ = confined.words(field.project.parent)
    done = subprocess.run(
        [*walls, "--share-net", "--chdir", str(field.project), "--", *shell(call, field)],
        env={**environment(), "AGENT_KEY": AGENT_KEY, "ANTHROPIC_API_KEY": AGENT_KEY},
        capture_output=True,
        timeout=HANG_SECONDS,
        stdin=subprocess.DEVNULL,
    )
    assert field.lost((done.stdout + done.stderr).decode(errors="replace")), done


def shell(call: Call, field: Field) -> tuple[str, ...]:
    """The words of a shell for a call, also for one that file tools do."""
    ways = {"read": 'cat "$0"', "write": 'mkdir -p "$(dirname "$0")"; echo x > "$0"'}
    text = field.filled(call.text)
    return ("bash", "-c", ways.get(call.tool, text), text)
