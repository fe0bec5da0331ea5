"""What goes through the proxy, and what it answers to the rest."""

import json
import socket
import threading
from collections.abc import Iterator

import pytest

from execpolicy.proxy.limits import Limits
from tests.proxy.support import Upstream, World, everything, listening
from tests.waiting import HANG_SECONDS


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    server = Upstream()
    yield server
    server.close()


@pytest.fixture
def world(upstream: Upstream) -> Iterator[World]:
    ports = f"ports = [{upstream.port}]"
    rules = f"""
network_rule("allowed.test", "http", "allow", {ports})
network_rule("allowed.test", "https", "allow", {ports})
network_rule("127.0.0.1", "http", "allow", {ports})
network_rule("127.0.0.1", "https", "allow", {ports})
network_rule("denied.test", "https", "deny", justification = "not that one")
network_rule("read.test", "http", "allow", {ports}, methods = ["GET"])
network_rule("gone.test", "https", "allow")
"""
    with World(rules).running() as world:
        yield world


def get(world: World, url: str, *headers: str, method: str = "GET", body: bytes = b"") -> bytes:
    lines = [f"{method} {url} HTTP/1.1", "Host: whatever", "Connection: close", *headers]
    return world.send("\r\n".join([*lines, "", ""]).encode() + body)


def told(answer: bytes) -> dict[str, object]:
    body = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert isinstance(body, dict)
    return body


def test_a_plain_request_goes_to_the_host_of_its_address_line(
    world: World, upstream: Upstream
) -> None:
    answer = get(world, f"http://allowed.test:{upstream.port}/a?b", "Proxy-Connection: x", "TE: x")
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"pong")
    (heard,) = upstream.heard
    assert heard == (
        f"GET /a?b HTTP/1.1\r\nhost: allowed.test:{upstream.port}\r\nConnection: close\r\n\r\n"
    ).encode().replace(b"Connection", b"connection")


def test_a_body_goes_along(world: World, upstream: Upstream) -> None:
    url = f"http://allowed.test:{upstream.port}/"
    get(world, url, "Content-Length: 5", method="POST", body=b"hello")
    get(world, url, "Transfer-Encoding: chunked", method="PUT", body=b"3\r\nabc\r\n0\r\n\r\n")
    first, second = upstream.heard
    assert first.endswith(b"\r\n\r\nhello")
    assert second.endswith(b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n")


def test_each_request_of_a_kept_connection_is_decided_anew(
    world: World, upstream: Upstream
) -> None:
    with world.connect() as client:
        client.sendall(
            f"GET http://allowed.test:{upstream.port}/1 HTTP/1.1\r\nHost: x\r\n\r\n"
            f"GET http://read.test:{upstream.port}/2 HTTP/1.1\r\nHost: x\r\n\r\n"
            "GET http://denied.test/ HTTP/1.1\r\nHost: allowed.test\r\n\r\n".encode()
        )
        answer = everything(client)
    assert answer.count(b"HTTP/1.1 200") == 2
    assert b"HTTP/1.1 403 Forbidden\r\nx-proxy-error: blocked-by-denylist" in answer
    assert [e.decision for e in (event.ruling for event in world.events)] == [0, 0, 2]
    assert len(upstream.heard) == 2


def test_a_tunnel_carries_bytes_and_half_closed_ends(world: World, upstream: Upstream) -> None:
    with world.connect() as client:
        client.sendall(
            f"CONNECT allowed.test:{upstream.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            + b"GET / early\r\n"
        )
        client.sendall(b"\r\n")
        client.shutdown(socket.SHUT_WR)
        answer = everything(client)
    assert answer.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK")
    assert upstream.heard == [b"GET / early\r\n\r\n"]


def test_socks(world: World, upstream: Upstream) -> None:
    name = b"allowed.test"
    asked = b"\x05\x01\x00\x03" + bytes((len(name),)) + name + upstream.port.to_bytes(2, "big")
    answer = world.send(b"\x05\x02\x00\x02" + asked + b"GET / HTTP/1.1\r\n\r\n")
    assert answer[:4] == b"\x05\x00\x05\x00"
    assert answer[12:].startswith(b"HTTP/1.1 200 OK")


SOCKS_REFUSED = [
    (b"\x05\x01\x02", b"\x05\xff"),
    (b"\x05\x01\x00\x05\x03\x00\x01\x00\x00\x00\x00\x00\x50", b"\x05\x00\x05\x07"),
    (b"\x05\x01\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x50", b"\x05\x00\x05\x07"),
    (b"\x05\x01\x00\x05\x01\x00\x01\x0a\x00\x00\x05\x01\xbb", b"\x05\x00\x05\x02"),
    (b"\x05\x01\x00\x05\x01\x00\x03\x0bdenied.test\x01\xbb", b"\x05\x00\x05\x02"),
    (b"\x05\x01\x00\x05\x01\x00\x03\x060x7f.1\x00\x50", b"\x05\x00\x05\x02"),
    (b"\x05\x01\x00\x05\x01\x00\x03\x09gone.test\x01\xbb", b"\x05\x00\x05\x04"),
    (b"\x05\x01\x00\x05\x01\x00\x09\x0a\x00\x00\x05\x01\xbb", b"\x05\x00\x05\x08"),
]


@pytest.mark.parametrize(("sent", "answer"), SOCKS_REFUSED)
def test_socks_refuses(world: World, sent: bytes, answer: bytes) -> None:
    assert world.send(sent)[: len(answer)] == answer


REFUSED = [
    # request line, header, status and word, reason
    ("CONNECT denied.test:443", "", "403 blocked-by-denylist", "rule"),
    ("CONNECT other.test:443", "", "403 blocked-by-allowlist", "no-rule"),
    ("CONNECT allowed.test:22", "", "403 blocked-by-allowlist", "port"),
    ("CONNECT 10.0.0.5:443", "", "403 blocked-by-policy", "address"),
    ("CONNECT [::ffff:10.0.0.5]:443", "", "403 blocked-by-policy", "address"),
    ("CONNECT gone.test:443", "", "502 upstream", "lookup"),
    ("CONNECT allowed.test", "", "400 malformed", "malformed"),
    ("CONNECT allowed.test:443:22", "", "400 malformed", "malformed"),
    ("CONNECT 0x7f.1:80", "", "400 malformed", "malformed"),
    ("CONNECT [fe80::1%25lo]:80", "", "400 malformed", "malformed"),
    ("CONNECT user@allowed.test:443", "", "400 malformed", "malformed"),
    ("CONNECT allowed.test:443", "Content-Length: 3", "400 malformed", "malformed"),
    ("GET /", "", "400 malformed", "malformed"),
    ("PUT /mode", "", "400 malformed", "malformed"),
    ("GET https://allowed.test/", "", "400 malformed", "malformed"),
    ("GET http://denied.test@allowed.test/", "", "400 malformed", "malformed"),
    ("GET http://allowed.test\\.evil.test/", "", "400 malformed", "malformed"),
    ("GET http://allowed.test#x/", "", "400 malformed", "malformed"),
    ("POST http://read.test:PORT/", "Content-Length: 0", "403 blocked-by-method-policy", "method"),
    ("GET http://allowed.test:PORT/", "Content-Length : 1", "400 malformed", "malformed"),
    ("GET http://allowed.test:PORT/", "X: " + "x" * 17000, "400 malformed", "malformed"),
    (
        "POST http://allowed.test:PORT/",
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "400 malformed",
        "malformed",
    ),
    (
        "POST http://allowed.test:PORT/",
        "Content-Length: 5\r\nContent-Length: 6",
        "400 malformed",
        "malformed",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("line", "header", "status", "reason"), REFUSED)
def test_what_is_refused_and_why(
    world: World, upstream: Upstream, line: str, header: str, status: str, reason: str
) -> None:
    lines = [f"{line} HTTP/1.1", "Host: allowed.test", *([header] if header else []), "", ""]
    request = "\r\n".join(lines)
    answer = world.send(request.replace("PORT", str(upstream.port)).encode())
    code, word = status.split()
    assert answer.startswith(f"HTTP/1.1 {code} ".encode()), answer
    assert f"\r\nx-proxy-error: {word}\r\n".encode() in answer
    assert told(answer)["reason"] == reason
    assert upstream.heard == []


def test_the_answer_names_the_rule(world: World) -> None:
    body = told(world.send(b"CONNECT denied.test:443 HTTP/1.1\r\nHost: x\r\n\r\n"))
    assert body == {
        "status": 403, "host": "denied.test", "port": 443, "protocol": "https", "reason": "rule",
        "message": "not that one", "rule": 'network_rule("denied.test", "https", "forbidden")',
        "file": "<rules>", "line": 6,
    }  # fmt: skip


def test_no_name_is_looked_up_before_it_is_allowed(world: World) -> None:
    for host in ("denied.test", "other.test", "secret.exfil.test"):
        world.send(f"CONNECT {host}:443 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert world.looked_up == []


REBOUND = {
    "private": ["10.0.0.5"],
    "metadata": ["169.254.169.254"],
    "mixed": ["127.0.0.1", "10.0.0.5"],
    "mapped": ["::ffff:10.0.0.5"],
    "translated": ["64:ff9b::a00:5"],
    "zone": ["fe80::1%lo"],
    "another port": ["127.0.0.2"],
}


@pytest.mark.parametrize("name", REBOUND)
def test_every_record_is_judged(name: str, upstream: Upstream) -> None:
    rules = f"""
network_rule("**.test", "https", "allow", ports = [{upstream.port}])
network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])
"""
    with World(rules, {"a.test": REBOUND[name]}).running() as world:
        answer = world.send(f"CONNECT a.test:{upstream.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert not answer.startswith(b"HTTP/1.1 200")
    assert world.looked_up == ["a.test"]
    assert upstream.heard == []


def test_events_say_what_moved_and_nothing_of_paths(world: World, upstream: Upstream) -> None:
    from execpolicy.proxy.events import entry

    get(world, f"http://allowed.test:{upstream.port}/secret?token=1")
    world.send(b"CONNECT denied.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    first, second = map(entry, world.events)
    assert "secret" not in str(first)
    assert "token" not in str(first)
    assert (first["decision"], first["host"], first["method"]) == ("allow", "allowed.test", "GET")
    assert first["sent"] == 0
    assert first["received"] == 42
    assert second == {
        "decision": "forbidden", "reason": "rule", "protocol": "https", "host": "denied.test",
        "port": 443, "rule": "<rules>:6",
    }  # fmt: skip


def test_half_requests_keep_nobody_out(upstream: Upstream) -> None:
    rules = f"""
network_rule("allowed.test", "https", "allow", ports = [{upstream.port}])
network_rule("127.0.0.1", "https", "allow", ports = [{upstream.port}])
"""
    with World(rules).running(Limits(connections=8)) as world:
        half = [world.connect() for _ in range(20)]
        for client in half:
            client.sendall(b"CONNECT allowed.test:443 HTTP/1.1\r\n")
        denied = world.send(b"CONNECT denied.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        allowed = world.send(
            f"CONNECT allowed.test:{upstream.port} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            + b"GET / HTTP/1.1\r\n\r\n"
        )
        for client in half:
            client.close()
    assert denied.startswith(b"HTTP/1.1 403")
    assert allowed.startswith(b"HTTP/1.1 200")


def test_a_request_that_does_not_arrive_is_given_up(upstream: Upstream) -> None:
    with World("").running(Limits(head=0.2)) as world:
        assert world.send(b"CONNECT a.test:443 HTTP/1.1\r\n") == b""
        assert world.send(b"\x05\x01") == b""
        assert world.send(b"") == b""


def test_an_idle_tunnel_is_ended() -> None:
    silent = listening()
    port = silent.getsockname()[1]
    rules = f'network_rule("127.0.0.1", "https", "allow", ports = [{port}])'
    with World(rules).running(Limits(idle=0.3)) as world:
        answer = world.send(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 200")
    silent.close()


def test_an_aborted_client_ends_the_other_end() -> None:
    server = listening()
    port = server.getsockname()[1]
    rules = f'network_rule("127.0.0.1", "https", "allow", ports = [{port}])'
    with World(rules).running() as world:
        client = world.connect()
        client.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        there, _ = server.accept()
        assert client.recv(100).startswith(b"HTTP/1.1 200")
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        client.close()
        with there:
            there.settimeout(HANG_SECONDS)
            assert everything(there) == b""
    server.close()


def test_stopping_writes_down_what_is_open() -> None:
    server = listening()
    port = server.getsockname()[1]
    rules = f'network_rule("127.0.0.1", "https", "allow", ports = [{port}])'
    with World(rules).running() as world:
        client = world.connect()
        client.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\nhello".encode())
        there, _ = server.accept()
        with there:
            assert there.recv(5) == b"hello"
    assert [event.sent for event in world.events] == [5]
    client.close()
    server.close()


def test_an_answer_that_breaks_off_is_none(world: World, upstream: Upstream) -> None:
    upstream.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"
    answer = get(world, f"http://allowed.test:{upstream.port}/")
    assert answer.endswith(b"short")
    upstream.answer = b"SSH-2.0-x\r\n\r\n"
    answer = get(world, f"http://allowed.test:{upstream.port}/")
    assert answer.startswith(b"HTTP/1.1 502")
    assert told(answer)["reason"] == "response"


def test_many_at_once(world: World, upstream: Upstream) -> None:
    answers: list[bytes] = []

    def one() -> None:
        answers.append(get(world, f"http://allowed.test:{upstream.port}/"))

    threads = [threading.Thread(target=one) for _ in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answer.endswith(b"pong") for answer in answers)
    assert len(answers) == 60
