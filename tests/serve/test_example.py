"""The client on the page about the server, run as it stands there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.serve import app, client, guard, protocol, service
from execpolicy.serve.inputs import INPUTS, SAME
from tests.serve.serving import running
from tests.waiting import HANG_SECONDS

PAGE = Path(__file__).parents[2] / "docs/serve.md"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The client, where `execpolicy` is found on PATH."""
    found = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    made = tmp_path / "client.py"
    made.write_text(found[1])
    own = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", own)
    return made


def printed(program: Path) -> str:
    """What the client prints."""
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.stderr == ""
    return done.stdout


def test_the_client_asks_the_server_and_else_the_command_line(program: Path) -> None:
    with running(None) as server:
        assert printed(program) == "prompt\n"
        assert server.service.decider.decided == 1
    assert printed(program) == "prompt\n"


def test_the_table_of_fields_is_that_of_the_server() -> None:
    whose = {True: "the same", False: "the client's"}
    rows = [f"| `{name}` | {each.what} | {whose[name in SAME]} |" for name, each in INPUTS.items()]
    assert "\n".join(rows) in PAGE.read_text()


def test_the_limits_on_the_page_are_the_servers() -> None:
    seconds = (protocol.HEAD_SECONDS, guard.BODY_SECONDS, service.DECISION_SECONDS)
    numbers = (guard.MAX_REQUESTS, guard.MAX_STREAMS, protocol.MAX_CONNECTIONS)
    sizes = (guard.MAX_BODY >> 20, app.MAX_LINE >> 20, protocol.MAX_HEAD >> 10)
    text = PAGE.read_text()
    for row in (
        "| {} MiB, {} MiB, {} KiB |".format(*sizes),
        "| {:g}, {:g}, {:g} |".format(*seconds),
        "| {}, {}, {} |".format(*numbers),
        f"| requests of a batch | {app.MAX_BATCH} |",
        f"A server has {client.SECONDS:g} s to answer a hook.",
    ):
        assert row in text
