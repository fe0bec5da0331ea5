"""Heads and greetings with random changes: no crash, no grant, no request behind another."""

import asyncio
import random

import pytest

from execpolicy.proxy import socks
from execpolicy.proxy.http1 import Client, Head, MalformedError, Server
from execpolicy.support.hostname import Host
from tests.proxy.support import World

HEADS = [
    b"GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nAccept: */*\r\n\r\n",
    b"POST http://a.test:8080/x?y HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello",
    b"POST http://a.test/ HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"3\r\nabc\r\n0\r\n\r\n",
    b"GET http://a.test/ HTTP/1.1\r\nHost: a\r\n\r\n"
    b"GET http://evil.test/ HTTP/1.1\r\nHost: a\r\n\r\n",
    b"CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n\x16\x03\x01",
    b"CONNECT [2606:4700::1111]:443 HTTP/1.0\r\n\r\n",
]
GREETINGS = [
    b"\x05\x01\x00\x05\x01\x00\x03\x06a.test\x01\xbb",
    b"\x05\x02\x00\x02\x05\x01\x00\x01\x08\x08\x08\x08\x00\x50",
    b"\x05\x01\x00\x05\x01\x00\x04" + bytes(16) + b"\x01\xbb",
]
PIECES = [
    b"\r\n", b"\n", b"\r", b"\x00", b" ", b"\t", b"\x0b", b":", b"@", b"#", b"\\", b"%0d%0a", b"//",
    b"evil.test", b"Content-Length: 0\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n\r\n", b"\xff",
    b"Transfer-Encoding: identity\r\n", b"Transfer-Encoding:\x0bchunked\r\n", b"Content-Length: +5",
    b"GET http://evil.test/ HTTP/1.1\r\n\r\n", b"127.0.0.1", b"0x7f.1", b"\xe3\x80\x82", b"[::1]",
]  # fmt: skip


def mutated(generator: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(generator.randrange(1, 5)):
        at = generator.randrange(len(changed) + 1)
        kind = generator.randrange(5)
        if kind == 0:
            changed[at:at] = generator.choice(PIECES)
        elif kind == 1:
            del changed[at : at + generator.randrange(1, 6)]
        elif kind == 2 and at < len(changed):
            changed[at] = generator.randrange(256)
        elif kind == 3:
            changed[at:at] = changed[at : at + generator.randrange(20)]
        else:
            changed[at : at + 1] = generator.choice(PIECES)
    return bytes(changed)


def understood(data: bytes) -> list[Head]:
    """Every request that the proxy would decide about, and what would go upstream for each.

    What goes upstream is read again by a parser of its own: it is one request, for the same host.
    """
    server, heads = Server(), []
    server.feed(data)
    server.feed(b"")
    try:
        while (head := server.head()) is not None and head.path is not None:
            heads.append(head)
            client = Client()
            sent = client.request(head)
            while (part := server.part()) is not None:
                sent += client.body(part)
                if part.ends:
                    assert requests(sent) == [authority(head)], (data, sent)
                    break
            else:
                break
            reply = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
            client.feed(reply)
            answer = client.reply()
            assert answer is not None
            server.reply(answer)
            server.body(part)
            if not server.again():
                break
        else:
            heads += [head] if head else []
    except MalformedError:
        pass
    return heads


def authority(head: Head) -> bytes:
    host = f"[{head.host}]" if ":" in head.host.text else head.host.text
    return (host if head.port == 80 else f"{host}:{head.port}").encode()


def requests(data: bytes) -> list[bytes]:
    """The hosts of all requests in these bytes, by the shortest reading of RFC 9112."""
    hosts = []
    while data:
        head, _, data = data.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in lines[1:] if b": " in line)
        hosts.append(fields[b"host"])
        if fields.get(b"transfer-encoding") == b"chunked":
            while True:
                size, _, data = data.partition(b"\r\n")
                count = int(size, 16)
                data = data[count + 2 :]
                if not count:
                    break
        else:
            data = data[int(fields.get(b"content-length", b"0")) :]
    return hosts


def check_heads(generator: random.Random, count: int) -> int:
    """How many mutated heads still were requests."""
    found = 0
    for _ in range(count):
        data = mutated(generator, generator.choice(HEADS))
        for head in understood(data):
            found += 1
            assert head.host == Host(head.host.text, head.host.address)
            assert head.host.text.encode() in data.lower() or head.host.address, (data, head)
    return found


def check_greetings(generator: random.Random, count: int) -> int:
    found = 0
    for _ in range(count):
        data = mutated(generator, generator.choice(GREETINGS))
        try:
            greeted = socks.greeting(data)
            wanted = socks.request(data[greeted[0] :]) if greeted and greeted[1] else None
        except MalformedError:
            continue
        if wanted is not None:
            found += 1
            text = wanted.host.text.encode()
            assert text in data.lower() or wanted.host.address, (data, wanted)
            assert data[greeted[0] + 1] == socks.CONNECT  # type: ignore[index]
    return found


@pytest.mark.parametrize("seed", range(4))
def test_mutated_heads_and_greetings(seed: int) -> None:
    generator = random.Random(seed)  # noqa: S311
    assert check_heads(generator, 1500) > 100
    assert check_greetings(generator, 1500) > 100


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 20))
def test_100_000_mutated_heads_and_greetings(seed: int) -> None:
    generator = random.Random(seed)  # noqa: S311
    assert check_heads(generator, 5000) > 100
    assert check_greetings(generator, 5000) > 100


async def heard(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    writer.write_eof()
    try:
        return await asyncio.wait_for(reader.read(), 20)
    except ConnectionError:
        return b""
    finally:
        writer.close()


def test_a_running_proxy_grants_nothing_and_lives_on() -> None:
    generator = random.Random(7)  # noqa: S311

    async def scene(port: int) -> list[bytes]:
        return [
            await heard(port, mutated(generator, generator.choice(HEADS + GREETINGS)))
            for _ in range(300)
        ]

    with World('network_rule("good.test", "https", "allow")').running() as world:
        answers = asyncio.run(scene(world.port))
        refused = world.send(b"CONNECT evil.test:443 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert not any(answer.startswith(b"HTTP/1.1 2") for answer in answers)
    assert not any(answer[2:4] == b"\x05\x00" for answer in answers)
    assert world.looked_up == []
    assert refused.startswith(b"HTTP/1.1 403")
