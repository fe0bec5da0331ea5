"""Who may not ask gets no verdict, and whatever comes, the server goes on."""

import contextlib
import json
import os
import random
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from execpolicy.serve import guard, line_protocol, protocol, service, sockets
from execpolicy.serve.guard import COOKIE, MAX_BODY
from execpolicy.serve.inputs import gathered
from execpolicy.support import directories
from tests.serve.serving import Running, line, running
from tests.waiting import HANG_SECONDS, until


def asking() -> bytes:
    """The body of a request that is decided."""
    return json.dumps({"client": gathered(), "request": {"command": "ls"}}).encode()


@pytest.fixture(scope="module")
def _patience() -> Iterator[None]:
    """No test waits as long as a server does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(protocol, "HEAD_SECONDS", 0.3)
        patch.setattr(guard, "BODY_SECONDS", 0.3)
        patch.setattr(line_protocol, "LINE_SECONDS", 0.3)
        yield


def exchange(port: int, data: bytes, half: bool = False) -> bytes:
    """What comes back until the server ends the connection."""
    with socket.create_connection(("127.0.0.1", port), HANG_SECONDS) as connection:
        try:
            connection.sendall(data)
            if half:
                connection.shutdown(socket.SHUT_WR)
            found = b""
            while chunk := connection.recv(65536):
                found += chunk
        except ConnectionError:
            return b""
    return found


def request(
    server: Running, *headers: str, body: bytes | None = None, length: int | None = None
) -> bytes:
    """The bytes of a request for a verdict, with the token unless a header is for that."""
    body = asking() if body is None else body
    own = [f"Authorization: Bearer {server.service.token}", f"Host: 127.0.0.1:{server.port}"]
    given = {each.partition(":")[0] for each in headers}
    kept = [each for each in own if each.partition(":")[0] not in given]
    size = len(body) if length is None else length
    lines = ["POST /check HTTP/1.1", *kept, *headers, "Connection: close"]
    if "Transfer-Encoding" not in given:
        lines.append(f"Content-Length: {size}")
    return (
        "\r\n".join(line for line in lines if not line.endswith(":")).encode() + b"\r\n\r\n" + body
    )


def status(answer: bytes) -> int:
    """The status of an answer; 0 where there is none."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0


REFUSED = [
    (401, "Authorization:"),
    (401, "Authorization: Bearer x"),
    (401, "Authorization: Bearer"),
    (401, "Authorization: Basic eDp4"),
    (401, "Authorization: Bearer x", f"Cookie: {COOKIE}=x"),
    (401, "Authorization: Bearer x", f"Cookie: {COOKIE}="),
    (421, "Host: evil.example"),
    (421, "Host: localhost"),
    (421, "Host: 127.0.0.1"),
    (421, "Host: 127.0.0.1.evil.example:80"),
    (403, "Origin: https://evil.example"),
    (403, "Origin: null"),
    (403, "Sec-Fetch-Site: cross-site"),
    (403, "Sec-Fetch-Site: same-site"),
    (421, "Authorization:", "Host: localhost", "X-Forwarded-For: unix"),
    (421, "Authorization:", "Host: localhost", "Forwarded: for=unix"),
]


@pytest.mark.parametrize(("code", "headers"), [(code, rest) for code, *rest in REFUSED])
def test_who_is_not_to_ask_gets_no_verdict(code: int, headers: list[str]) -> None:
    with running() as server:
        answer = exchange(server.port, request(server, *headers))
        assert (status(answer), server.service.decider.decided) == (code, 0)
        assert status(exchange(server.port, request(server))) == 200


def test_a_page_of_this_server_may_ask_by_its_cookie_on_its_own_host_alone() -> None:
    """Any server on loopback gets the cookies of the names that it has, whatever their port."""
    with running() as server:
        cookie = f"Cookie: {COOKIE}={server.service.cookie}"
        for name, code in ((server.service.host, 200), ("127.0.0.1", 401), ("localhost", 401)):
            host, origin = f"Host: {name}:{server.port}", f"Origin: http://{name}:{server.port}"
            answer = exchange(server.port, request(server, "Authorization:", cookie, host, origin))
            assert status(answer) == code


def test_a_key_opens_the_page_once() -> None:
    with running() as server:
        own = {"Host": f"{server.service.host}:{server.port}"}
        path = f"/open?key={server.service.new_key()}"
        assert server.ask(path, token=False)[0] == 401
        assert [server.ask(path, None, own, token=False)[0] for _ in range(2)] == [303, 401]
        assert server.ask("/open?key=", None, own, token=False)[0] == 401
        assert server.ask("/open", None, own, token=False)[0] == 401


def test_what_is_too_large_is_not_read() -> None:
    with running() as server:
        assert status(exchange(server.port, request(server, length=MAX_BODY + 1))) == 413
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        chunked = request(server, "Transfer-Encoding: chunked", body=chunk * 9)
        assert status(exchange(server.port, chunked)) in (0, 413)
        head = request(server, "X-Long: " + "x" * 100_000)
        assert status(exchange(server.port, head)) in (0, 400, 431)
        assert server.service.decider.decided == 0
        assert line(b'"' + b"x" * (line_protocol.MAX_LINE + 70_000) + b'"\n') == b""
        assert status(exchange(server.port, request(server))) == 200


@pytest.mark.usefixtures("_patience")
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 20, 90, -500, -1])
def test_what_does_not_come_whole_gets_no_verdict(cut: int, half: bool) -> None:
    with running() as server:
        answer = exchange(server.port, request(server)[:cut] if cut else b"", half)
        assert status(answer) in (0, 400, 408)
        assert server.service.decider.decided == 0
        assert status(exchange(server.port, request(server))) == 200


@pytest.mark.usefixtures("_patience")
def test_a_line_that_does_not_end_is_left() -> None:
    with running() as server, socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(HANG_SECONDS)
        connection.connect(directories.hook_socket())
        connection.sendall(b'{"hook": ')
        assert connection.recv(10) == b""
        assert server.check({"command": "ls"})[0] == 200


def test_lines_that_do_not_end_make_no_work_for_the_others() -> None:
    def looks() -> int:
        """How often the thread that decides wakes for ten lines."""
        before = woken[0]
        for _ in range(10):
            assert line(b"{}\n").startswith(b"declined")
        return woken[0] - before

    with running() as server:
        decider, woken = server.service.decider, [0]
        look = decider._receive

        def counted() -> None:
            woken[0] += 1
            look()

        decider._receive = counted  # type: ignore[method-assign]
        alone = looks()
        stalled = [socket.socket(socket.AF_UNIX) for _ in range(60)]
        for each in stalled:
            each.connect(directories.hook_socket())
            each.sendall(b'{"hook": ')
        until(lambda: woken[0] > alone)
        assert looks() <= 2 * alone + len(stalled)
        for each in stalled:
            each.close()


def test_an_answer_that_is_taken_slowly_comes_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    long = b"x" * 3_000_000
    with running() as server:
        monkeypatch.setattr(server.service.commands, "hook", lambda *_: lambda *_: long)
        asked = {"hook": "claude", "client": gathered(), "payload": "{}"}
        assert line(json.dumps(asked).encode() + b"\n") == long


def for_bash(**other: object) -> tuple[int, str, bytes]:
    """The port for hooks in bash, the token, and a line as they send it, of this process."""
    port, _, _, token, _ = Path(sockets.loopback_file()).read_text().split()[1:]
    call = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}
    own = {"process": os.getpid(), "version": gathered()["version"], "hook": "claude"}
    payload = json.dumps({"session_id": "s", "cwd": "/", **call})
    return int(port), token, json.dumps({**own, "payload": payload, **other}).encode() + b"\n"


def test_on_loopback_a_line_without_the_token_gets_nothing() -> None:
    with running(script=True) as server:
        port, token, asked = for_bash()
        known = f"{token} ".encode()
        other = b"x" if known[:1] != b"x" else b"y"
        for before in (b"", known[1:], known[:-1], other + known[1:], known.swapcase(), b"\n"):
            assert exchange(port, before + asked) == b""
        assert exchange(port, b"x" * (line_protocol.MAX_LINE * 2)) == b""
        assert exchange(port, known + b"x" * (line_protocol.MAX_LINE + 1)) == b""
        assert server.service.decider.decided == 0
        assert b"\ndeclined `bases`" in exchange(port, known + asked)  # it began in another home


@pytest.mark.parametrize(
    "other", [{"process": 99_999_999}, {"process": "1"}, {"process": None}, {"process": True}]
)
def test_a_process_that_cannot_be_looked_at_gets_nothing(other: dict[str, object]) -> None:
    with running(script=True) as server:
        port, token, asked = for_bash(**other)
        assert exchange(port, f"{token} ".encode() + asked) == b""
        assert server.service.decider.decided == 0


def test_connections_on_loopback_leave_room_for_those_of_the_socket() -> None:
    with running(script=True), contextlib.ExitStack() as opened:
        port, token, asked = for_bash()
        for _ in range(line_protocol.MAX_LOOPBACK + 1):
            silent = socket.create_connection(("127.0.0.1", port), HANG_SECONDS)
            opened.enter_context(silent)
        assert exchange(port, f"{token} ".encode() + asked) == b""
        assert line(b"{}\n").startswith(b"declined")


def test_connections_that_say_nothing_leave_room_for_others() -> None:
    with running() as server:
        idle = [
            socket.create_connection(("127.0.0.1", server.port), HANG_SECONDS) for _ in range(60)
        ]
        try:
            assert server.check({"command": "ls"})[0] == 200
        finally:
            for each in idle:
                each.close()


def test_more_connections_than_there_may_be_are_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_CONNECTIONS", 4)
    with running() as server:
        every = [
            socket.create_connection(("127.0.0.1", server.port), HANG_SECONDS) for _ in range(8)
        ]
        ended = 0
        for each in every[4:]:
            try:
                ended += each.recv(1) == b""
            except ConnectionError:
                ended += 1
        for each in every:
            each.close()
        assert ended == 4
        until(lambda: status(exchange(server.port, request(server))) == 200)


def test_a_verdict_that_takes_too_long_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "DECISION_SECONDS", -1.0)
    monkeypatch.setattr(service.Service.decide, "__defaults__", (-1.0,))
    with running() as server:
        assert server.check({"command": "ls"})[0] == 409


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few of them changed, left out, doubled or put elsewhere."""
    made = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(made) or 1)
        kind = chance.randrange(4)
        if kind == 0 and made:
            made[min(at, len(made) - 1)] = chance.randrange(256)
        elif kind == 1:
            del made[at : at + chance.randint(1, 40)]
        elif kind == 2:
            made[at:at] = made[at : at + chance.randint(1, 40)]
        else:
            made[at:at] = bytes(chance.choices(b'\r\n\0:{}[]"\\ \xff', k=chance.randint(1, 5)))
    return bytes(made)


@pytest.mark.usefixtures("_patience")
@pytest.mark.parametrize(
    ("seed", "number"), [(1, 150), pytest.param(2, 5000, marks=pytest.mark.rest)]
)
def test_mutated_requests_and_lines_get_no_verdict(seed: int, number: int) -> None:
    """The requests have another token, the lines another version, so that none may get one."""
    chance = random.Random(seed)  # noqa: S311
    other = json.dumps({"client": {**gathered(), "version": []}, "hook": "claude", "payload": "{}"})
    with running(script=True) as server:
        base = request(server, "Authorization: Bearer x")
        for _ in range(number):
            answer = exchange(server.port, mutated(base, chance), half=True)
            assert status(answer) != 200
            data = mutated(other.encode(), chance).replace(b"\n", b"") + b"\n"
            assert not line(data).startswith(b"execpolicy")
            assert exchange(for_bash()[0], data) == b""
        assert server.service.decider.decided == 0
        assert status(exchange(server.port, request(server))) == 200
