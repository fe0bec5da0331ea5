"""Every input of a verdict that is the client's is a field of the request."""

import os
from pathlib import Path

import pytest

from execpolicy.commands import serving
from execpolicy.model.errors import UsageError
from execpolicy.serve.inputs import INPUTS, SAME, gathered, process
from execpolicy.serve.standing_in import Client, For, Installed, UnsentError
from tests.serve.deciding import deciding, lines, result

ASKED = lines(["ls", "git push"])

OTHERS: dict[str, object] = {
    "version": ["0.0.0", "/elsewhere"],
    "user": [1, 1, 1, 1],
    "namespaces": ["mnt:[1]", "net:[1]", "pid:[1]", "user:[1]"],
    "root": [0, 0],
    "confined": [],
    "bases": ["/elsewhere", None, None, None],
    "cwd": "relative",
    "parent": -1,
    "names": "PATH",
    "values": {"NOT_AMONG_THE_NAMES": "x"},
}


@pytest.mark.parametrize("name", INPUTS)
def test_without_a_field_the_client_decides_itself(name: str) -> None:
    given = gathered()
    with deciding() as decider:
        assert result(decider, serving.check({}, ASKED), given).answer
        del given[name]
        found = result(decider, serving.check({}, ASKED), given)
    assert (found.answer, found.declined) == (b"", f"`{name}` was not sent")


@pytest.mark.parametrize("name", INPUTS)
def test_with_another_one_where_it_must_be_the_servers_too(name: str) -> None:
    given = {**gathered(), name: OTHERS[name]}
    with deciding() as decider:
        found = result(decider, serving.check({}, ASKED), given)
    assert found.answer == b""
    assert f"`{name}`" in found.declined
    assert ("is not the server's" in found.declined) is (name in SAME)


@pytest.mark.parametrize("name", ["PATH", "TMPDIR", "PYTHONPATH", "EXECPOLICY_CODEX"])
def test_a_value_that_is_read_and_was_not_sent(name: str) -> None:
    """Its name alone says that there is one, and a default would be a wrong answer."""
    given = gathered()
    assert isinstance(given["names"], list)
    assert isinstance(given["values"], dict)
    given["names"] = sorted({*given["names"], name})
    given["values"] = {k: v for k, v in given["values"].items() if k != name}
    with deciding() as decider:
        found = result(decider, serving.check({}, lines(["touch /var/tmp/x; python3 a.py"])), given)
    assert (found.answer, found.declined) == (b"", f"the value of `{name}` was not sent")


def test_a_value_that_is_read_by_a_hook_and_was_not_sent() -> None:
    given = gathered()
    assert isinstance(given["names"], list)
    given["names"] = [*given["names"], "CLAUDE_PROJECT_DIR"]
    payload = (
        b'{"session_id": "s", "cwd": "/", "hook_event_name": "PreToolUse",'
        b' "tool_name": "Bash", "tool_input": {"command": "git push"}}'
    )
    with deciding() as decider:
        found = result(decider, serving.hook("claude", payload), given)
    assert (found.answer, found.declined) == (
        b"",
        "the value of `CLAUDE_PROJECT_DIR` was not sent",
    )


def test_a_payload_that_is_not_valid_is_for_the_client() -> None:
    with deciding() as decider:
        assert result(decider, serving.hook("claude", b"{"), gathered()).declined


def test_a_host_that_does_not_exist_is_a_mistake_of_who_asks() -> None:
    with pytest.raises(UsageError, match="unknown host"):
        serving.hook("nobody", b"{}")


@pytest.mark.parametrize(
    "given",
    [{"cwd": 3}, {"rules": "x"}, {"shell": "fish"}, {"host": "nobody"}, {"mode": "plan"}],
)
def test_options_that_are_not_valid(given: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        serving.check(given, ASKED)


def test_a_thread_that_stands_in_sees_the_client_and_no_other_does(tmp_path: Path) -> None:
    given = {**gathered(), "cwd": str(tmp_path), "parent": 1, "names": ["A", "B"]}
    asking = process({**given, "values": {"A": "1"}}, gathered())
    assert not isinstance(asking, str)
    with Installed():
        before = os.getcwd(), os.getppid(), os.environ.get("PATH")
        with For(Client(asking)) as client:
            assert (os.getcwd(), os.getppid(), os.environ["A"]) == (str(tmp_path), 1, "1")
            assert (sorted(os.environ), os.environ.get("C"), "PATH" in os.environ) == (
                ["A", "B"],
                None,
                False,
            )
            with pytest.raises(UnsentError):
                os.environ.get("B")
            with pytest.raises(TypeError):
                os.environ["A"] = "2"
        assert client.unsent == ["B"]
        assert (os.getcwd(), os.getppid(), os.environ.get("PATH")) == before
