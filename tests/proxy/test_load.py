"""Memory stays flat whatever clients do."""

import resource
import socket
import threading

import pytest

from tests.proxy.support import World, listening


def memory() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def flood(listener: socket.socket, size: int) -> None:
    """Sends so many bytes to everyone who connects."""

    def one(client: socket.socket) -> None:
        chunk, left = bytes(1 << 20), size
        with client:
            try:
                while left > 0:
                    client.sendall(chunk[:left])
                    left -= len(chunk)
            except OSError:
                return

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.settimeout(300)
            threading.Thread(target=one, args=(client,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()


def tunnel(world: World, port: int) -> socket.socket:
    client = world.connect()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client.sendall(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client


def counted(client: socket.socket) -> int:
    """How many bytes come until the other side closes."""
    got, buffer = 0, bytearray(1 << 20)
    while size := client.recv_into(buffer):
        got += size
    return got


def shut(listener: socket.socket) -> None:
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def scene(clients: int, size: int) -> tuple[int, int]:
    """How much memory grew while nobody read, and how many bytes one reader got then."""
    listener = listening()
    port = listener.getsockname()[1]
    flood(listener, size)
    rules = f'network_rule("127.0.0.1", "https", "allow", ports = [{port}])'
    with World(rules).running() as world:
        tunnel(world, port).close()
        before = memory()
        waiting = [tunnel(world, port) for _ in range(clients)]
        for client in waiting:
            assert client.recv(12) == b"HTTP/1.1 200"
        reader = tunnel(world, port)
        got = counted(reader)
        grown = memory() - before
        for number, client in enumerate(waiting):
            if number % 2:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            client.close()
        reader.close()
    shut(listener)
    return grown, got


def test_who_does_not_read_holds_nobody_up_and_costs_little() -> None:
    grown, got = scene(20, 16 << 20)
    assert got > 16 << 20
    assert grown < 64 << 20  # 320 MiB wait at the other side


@pytest.mark.slow
def test_200_connections_that_do_not_read_and_a_gigabyte_through() -> None:
    grown, got = scene(200, 1 << 30)
    assert got > 1 << 30
    assert grown < 400 << 20
