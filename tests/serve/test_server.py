"""The paths of the server: verdicts, hooks, questions, and what it says of itself."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from execpolicy.commands import ancestors, notifying
from execpolicy.serve import client, line_protocol, sockets
from execpolicy.serve.app import application
from execpolicy.serve.client import ask
from execpolicy.serve.inputs import INPUTS, gathered
from execpolicy.support import directories, processes
from tests.serve.asked import left
from tests.serve.deciding import by_process, lines
from tests.serve.serving import line, process, running
from tests.test_start import HEAVY
from tests.waiting import HANG_SECONDS, until


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long an answer takes on a busy machine decides nothing."""
    monkeypatch.setattr(client, "SECONDS", HANG_SECONDS)
    monkeypatch.setattr(line_protocol, "HOOK_SECONDS", HANG_SECONDS)


TEXTS = ["ls", "git push", "rm -rf ~", "cat .env | head"]


def payload(command: str) -> bytes:
    """A call of Claude Code's shell."""
    call = {
        "session_id": "s1",
        "cwd": "/",
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    return json.dumps(call).encode()


def test_one_request_and_a_batch_get_the_verdicts_of_the_command_line() -> None:
    with running() as server:
        status, body = server.check({"command": "git push"})
        assert (status, body) == (200, by_process(lines(["git push"])))
        status, body = server.check(*({"command": text} for text in TEXTS))
    expected = [json.loads(each) for each in by_process(lines(TEXTS)).splitlines()]
    assert (status, json.loads(body)) == (200, {"verdicts": expected})


def test_a_stream_of_lines_gets_a_line_each() -> None:
    head = json.dumps({"client": gathered(), "options": {"host": "claude"}}).encode()
    with running() as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=HANG_SECONDS)
        headers = {
            "Authorization": f"Bearer {server.service.token}",
            "Content-Type": "application/x-ndjson",
        }
        connection.request("POST", "/check", b"\n".join([head, *lines(TEXTS)]), headers)
        found = connection.getresponse().read()
        connection.close()
    assert found == by_process(lines(TEXTS), "claude")


def test_a_hook_decides_itself_where_any_field_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = gathered()
    with running():
        assert ask("claude", payload("git push")) is not None
        for name in INPUTS:
            given = {k: v for k, v in whole.items() if k != name}
            monkeypatch.setattr(client, "gathered", lambda given=given: given)
            assert ask("claude", payload("git push")) is None, name


def test_a_request_without_the_clients_fields_is_for_the_client() -> None:
    with running() as server:
        status, body = server.ask("/check", {"request": {"command": "ls"}})
    assert status == 409
    why = {"decide": "yourself", "error": "`version` was not sent", "unsent": []}
    assert json.loads(body) == why


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/check", []),
        ("/check", {"requests": "ls"}),
        ("/check", {"request": {}, "client": 1}),
        ("/check", {"request": {}, "options": {"rules": "x"}}),
        ("/hook/nobody", {}),
        ("/explain", {"command": 1}),
        ("/explain", {"command": "ls", "cwd": "relative"}),
        ("/rule", {"rule": "prefix_rule("}),
        ("/undo", {"root": "relative", "number": 1}),
        ("/undo", {"root": "/", "number": 1}),
        ("/undo", {"root": "/", "number": "1"}),
        ("/undo", {"root": "/", "number": 1, "steps": [1]}),
        ("/questions/K7QX2M", {"answer": "user"}),
        ("/questions/K7QX2M", {"answer": "timed"}),
        ("/questions/K7QX2M", {"answer": "project"}),
        ("/questions/K7QX2M", {"answer": "once"}),
        ("/log?rows=1", None),
        ("/policy?cwd=relative", None),
    ],
)
def test_what_is_asked_wrongly_is_said(path: str, body: object) -> None:
    with running() as server:
        status, answer = server.ask(path, body)
    assert status == 400
    assert json.loads(answer)["error"]


def test_a_value_that_was_asked_for_may_be_sent() -> None:
    given = gathered()
    assert isinstance(given["names"], list)
    given["names"] = [*given["names"], "PYTHONSTARTUP"]
    with running() as server:
        asked = {"client": given, "request": {"command": "python3 a.py"}}
        status, body = server.ask("/check", asked)
        assert (status, json.loads(body)["unsent"]) == (409, ["PYTHONSTARTUP"])
        assert isinstance(given["values"], dict)
        given["values"]["PYTHONSTARTUP"] = ""
        assert server.ask("/check", asked)[0] == 200


def test_a_hook_asks_the_server_first() -> None:
    with running() as server:
        reply = ask("claude", payload("git push"))
        assert server.service.decider.decided == 1
    assert reply is not None
    assert json.loads(reply.stdout)["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert ask("claude", payload("git push")) is None


@pytest.mark.parametrize("text", [*TEXTS, "git push --force", "echo $(cat ~/.ssh/id_rsa)"])
def test_a_hook_says_with_a_server_what_it_says_without(text: str) -> None:
    command = [sys.executable, "-m", "execpolicy", "hook", "claude"]

    def said() -> tuple[bytes, bytes, int]:
        done = subprocess.run(
            command, input=payload(text), capture_output=True, timeout=HANG_SECONDS
        )
        return done.stdout, done.stderr, done.returncode

    alone = said()
    with running() as server:
        assert said() == alone
        until(lambda: server.service.decider.decided == 1)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"{",
        b"[]\n",
        b'{"hook": "claude"}\n',
        b'{"hook": 1}\n',
        b"\xff\n",
        b"[" * 5000 + b"\n",
    ],
)
def test_a_line_that_is_none_is_declined(data: bytes) -> None:
    with running():
        if not data.endswith(b"\n"):
            data += b'"hook": "claude"\n'
        assert line(data).startswith(b"declined ")


def test_a_socket_that_others_may_open_is_not_asked() -> None:
    with running() as server:
        os.chmod(directories.hook_socket(), 0o660)
        assert ask("claude", payload("ls")) is None
        os.chmod(directories.hook_socket(), 0o600)
        os.chmod(sockets.folder(), 0o755)  # noqa: S103
        assert ask("claude", payload("ls")) is None
        os.chmod(sockets.folder(), 0o700)
        assert server.service.decider.decided == 0


def test_sockets_and_token_are_for_the_user_alone() -> None:
    with running():
        paths = [directories.hook_socket(), sockets.http_socket(), sockets.token_file()]
        assert [oct(os.stat(path).st_mode & 0o777) for path in paths] == ["0o600"] * 3
        assert os.stat(sockets.folder()).st_mode & 0o777 == 0o700
    assert os.listdir(sockets.folder()) == []


def test_an_answer_given_here_holds_once_and_is_noted_as_the_pages() -> None:
    with running() as server:
        code = left("git push").code
        listed = json.loads(server.ask("/questions")[1])["questions"]
        assert [one["code"] for one in listed] == [code]
        assert listed[0]["opens"]["once"]
        status, _ = server.ask(f"/questions/{code}", {"answer": "once"})
        assert status == 200
        assert json.loads(server.ask("/questions")[1]) == {"questions": []}
        assert server.ask(f"/questions/{code}", {"answer": "once"})[0] == 400
        assert b'execpolicy_answers_total{answer="once"} 1.0' in server.ask("/metrics")[1]


def test_an_agent_gives_no_answer_and_undoes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the unix socket the processes above the one that asks are looked at."""
    own = processes.status(os.getpid())[0]
    monkeypatch.setattr(ancestors, "AGENTS", frozenset((own,)))
    with running() as server:
        code = left("git push").code
        for path in (f"questions/{code}", "undo"):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(HANG_SECONDS)
                connection.connect(sockets.http_socket())
                body = b'{"answer": "once"}'
                connection.sendall(
                    b"POST /%b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    b"Content-Length: %d\r\n\r\n%b" % (path.encode(), len(body), body)
                )
                found = b""
                while chunk := connection.recv(65536):
                    found += chunk
            assert found.startswith(b"HTTP/1.1 403")
        assert len(json.loads(server.ask("/questions")[1])["questions"]) == 1


def test_it_does_not_begin_below_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**os.environ, "CLAUDECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "execpolicy", "serve"],
        env=environment,
        capture_output=True,
        timeout=HANG_SECONDS,
    )
    assert (done.returncode, done.stdout) == (2, b"")


def test_one_server_runs_at_a_time_and_one_that_was_killed_is_no_server() -> None:
    with process() as first:
        done = subprocess.run(
            [sys.executable, "-m", "execpolicy", "serve"],
            capture_output=True,
            timeout=HANG_SECONDS,
        )
        assert (done.returncode, b"runs already" in done.stderr) == (1, True)
        first.kill()
        first.wait(HANG_SECONDS)
        assert os.path.exists(directories.hook_socket())
    with process() as second:
        until(lambda: second.poll() is None and ask("claude", payload("ls")) is not None)
        second.send_signal(signal.SIGTERM)
        assert second.wait(HANG_SECONDS) == 0
    assert not os.path.exists(directories.hook_socket())


def test_the_description_names_every_path_and_every_input() -> None:
    with running() as server:
        found = json.loads(server.ask("/openapi.json")[1])
    schemas = found["components"]["schemas"]
    assert schemas["Client"]["required"] == list(INPUTS)
    served = {route.path for route in application(server.service).routes}  # type: ignore[attr-defined]
    own = {"/openapi.json", "/open", "/", "/page/{name}"}
    assert set(found["paths"]) == served - own


def test_a_rule_is_tried_before_it_is_written(home: Path) -> None:
    by_process(lines(["git push", "git push", "npm install x"]))
    with running() as server:
        status, body = server.ask("/rule", {"rule": 'prefix_rule(["git", "push"])'})
        found = json.loads(body)
        assert (status, found["asked"], found["settled"]) == (200, 3, 2)
        assert [row["command"] for row in found["rows"]] == ["git push"]
        assert not (home / ".config/execpolicy/rules").exists()


def test_history_sessions_and_policy_are_what_the_log_and_the_rules_say(home: Path) -> None:
    rules = home / ".config/execpolicy/rules/own.rules"
    rules.parent.mkdir(parents=True)
    rules.write_text('prefix_rule(["git", "push"], "forbidden")\n')
    with running() as server:
        ask("claude", payload("git push"))
        ask("claude", payload("npm install x"))
        logged = json.loads(server.ask("/log?decision=forbidden")[1])
        assert [one["command"] for one in logged["lines"]] == ["git push"]
        sessions = json.loads(server.ask("/sessions")[1])["sessions"]
        assert sessions[0]["decisions"] == {"forbidden": 1, "prompt": 1}
        policy = json.loads(server.ask("/policy?cwd=/")[1])
        assert [(f["path"], f["decided"]) for f in policy["files"] if f["layer"] == "user"] == [
            (str(rules), {"1": 1})
        ]
        asked = json.loads(server.ask("/asked")[1])
        assert asked["commands"] == [{"command": "npm install x", "times": 1}]


IMPORTED = """
import os, sys
from execpolicy import __main__
leave = os._exit
def end(code):
    os.write(2, repr(sorted(sys.modules)).encode())
    leave(code)
os._exit = end
__main__.main()
"""


def test_a_hook_that_is_answered_by_the_server_imports_nothing_heavy() -> None:
    command = [sys.executable, "-c", IMPORTED, "hook", "claude"]
    with running() as server:
        assert ask("claude", payload("git push"))  # what it takes is there then
        done = subprocess.run(
            command, input=payload("git push"), capture_output=True, timeout=HANG_SECONDS
        )
        assert server.service.decider.decided == 2
    names = {name for name in eval(done.stderr) if not name.startswith("encodings")}  # noqa: S307
    assert not names & HEAVY
    ours = {name.split(".")[1] for name in names if name.startswith("execpolicy.")}
    assert not ours & {"engine", "policy", "catalogue", "shell", "language", "approvals"}
    assert not names & {"socket", "selectors", "asyncio", "signal"}


def test_a_question_that_is_left_by_the_server_is_told_to_the_users_program(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every variable that the program gets has to be one that clients send."""
    for name in (*notifying._KEPT, *notifying._FOUND):
        monkeypatch.setenv(name, os.environ.get(name, ":0"))
    heard = home / "heard"
    config = home / ".config/execpolicy/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'notify = "tee {heard}"\n')
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "session_id": "s1", "cwd": "/"}
    asked = json.dumps({**call, "tool_input": {"command": "crontab -r"}, "turn_id": "1"}).encode()
    with running() as server:
        reply = ask("codex", asked)
        assert (server.service.decider.decided, server.service.decider.declined) == (1, 0)
    assert reply is not None
    assert "execpolicy approve" in reply.stdout
    until(lambda: heard.exists() and heard.read_text())
    assert json.loads(heard.read_text())["request"] == "crontab -r"
