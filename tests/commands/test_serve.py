"""`execpolicy serve`: its options, and what it says where it cannot begin."""

import sys

import pytest

from execpolicy.commands import person
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.serve import main
from execpolicy.model.errors import ExecPolicyError, UsageError


@pytest.fixture(autouse=True)
def _typed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the user typed it in a terminal."""
    monkeypatch.setattr(person, "below_agent", lambda: False)


@pytest.mark.parametrize("port", ["", "x", "-1", "65536", "1e3", "٣"])
def test_a_port_is_a_number(port: str) -> None:
    with pytest.raises(UsageError, match="--port"):
        main([f"--port={port}"])


def test_below_an_agent_it_does_not_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(person, "below_agent", lambda: True)
    with pytest.raises(UsageError) as raised:
        main(["--demo"])
    assert raised.value.code == ExitCode.FORBIDDEN


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ExecPolicyError, match=r"pip install 'execpolicy\[serve\]'"):
        main([])


def test_a_port_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr("os.chdir", lambda _path: None)
        with pytest.raises(ExecPolicyError, match="cannot listen on port"):
            main(["--port", str(taken.getsockname()[1])])
