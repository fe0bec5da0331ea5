"""What a connection through the proxy costs, beside another proxy in the same run.

    python -m benchmarks.bench_proxy

Counted is the processor time of the proxy's own process, in turns. `connect` is a tunnel, one round
trip through it and its end; `round trip` one more of 64 bytes; `throughput` bytes a second of
processor time. The peer is `pproxy`, where `EXECPOLICY_BENCH_PEERS` or PATH has it.
"""

import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchmarks.table import Row, show

ROUNDS, CONNECTIONS, TRIPS, BYTES = 7, 300, 1500, 128 << 20
CHUNK = 1 << 18
CONNECT_BUDGET, THROUGHPUT_BUDGET = 0.7, 1.5


class Server(NamedTuple):
    """A proxy that listens: its process and its port."""

    process: int
    port: int


class Cost(NamedTuple):
    """Seconds of processor time for a connection, for a round trip, and for a byte."""

    connect: float
    trip: float
    byte: float


def main() -> None:
    """Measure and print."""
    target = _target()
    with tempfile.TemporaryDirectory() as made, _ours(Path(made), target) as ours:
        program = _peer()
        if program is None:
            _print(_measured([ours], target)[0], None)
            return
        with _theirs(program) as theirs:
            _print(*_measured([ours, theirs], target))


def _print(ours: Cost, theirs: Cost | None) -> None:
    if theirs is None:
        print("pproxy is not installed: pip install pproxy")
        theirs = ours
    show(
        "through the proxy, over pproxy",
        [
            Row(
                "connect",
                f"{ours.connect * 1e6:.0f} µs",
                f"{ours.connect / theirs.connect:.2f} (≤ {CONNECT_BUDGET})",
            ),
            Row("round trip", f"{ours.trip * 1e6:.0f} µs", f"{ours.trip / theirs.trip:.2f}"),
            Row(
                "throughput",
                f"{1 / ours.byte / (1 << 20):.0f} MiB/s",
                f"{theirs.byte / ours.byte:.2f} (≥ {THROUGHPUT_BUDGET})",
            ),
        ],
    )


def _measured(servers: list[Server], target: int) -> list[Cost]:
    """The medians of each."""
    found: list[list[Cost]] = [[] for _ in servers]
    for turn in range(ROUNDS + 1):
        for server, costs in zip(servers, found, strict=True):
            cost = _once(server, target)
            costs.extend([cost] if turn else [])  # the first one loads modules
    return [Cost(*map(statistics.median, zip(*costs, strict=True))) for costs in found]


def _once(server: Server, target: int) -> Cost:
    before = _spent(server.process)
    for _ in range(CONNECTIONS):
        with _tunnel(server.port, target) as client:
            _trip(client)
    connected = _spent(server.process)
    with _tunnel(server.port, target) as client:
        for _ in range(TRIPS):
            _trip(client)
    tripped = _spent(server.process)
    with _tunnel(server.port, target) as client:
        sender = threading.Thread(target=_send, args=(client,))
        sender.start()
        _receive(client, BYTES)
        sender.join()
    sent = _spent(server.process)
    return Cost(
        (connected - before) / CONNECTIONS,
        (tripped - connected) / TRIPS,
        (sent - tripped) / BYTES,
    )


def _spent(process: int) -> float:
    """Seconds that all threads of a process ran (proc_pid_schedstat, in nanoseconds)."""
    time.sleep(0.2)  # what is left to do after the last connection is part of its cost
    files = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def _tunnel(port: int, target: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.sendall(f"CONNECT 127.0.0.1:{target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(4096)
        assert data, "the proxy hung up"
        head += data
    assert b" 200 " in head, head
    return client


def _trip(client: socket.socket) -> None:
    client.sendall(bytes(64))
    _receive(client, 64)


def _send(client: socket.socket) -> None:
    for _ in range(BYTES // CHUNK):
        client.sendall(bytes(CHUNK))


def _receive(client: socket.socket, size: int) -> None:
    left, buffer = size, bytearray(CHUNK)
    while left:
        got = client.recv_into(buffer)
        assert got, "the connection ended"
        left -= got


def _target() -> int:
    """The port of a server that sends back what it gets."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)

    def one(client: socket.socket) -> None:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client:
            while data := client.recv(CHUNK):
                client.sendall(data)

    def serve() -> None:
        while True:
            threading.Thread(target=one, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


@contextmanager
def _ours(directory: Path, target: int) -> Iterator[Server]:
    rules = directory / "a.rules"
    rules.write_text(f'network_rule("127.0.0.1", "https", "allow", ports = [{target}])\n')
    program = str(Path(sys.executable).with_name("execpolicy"))
    environment = {**os.environ, "XDG_STATE_HOME": str(directory)}
    words = [program, "proxy", "--rules", str(rules)]
    with subprocess.Popen(
        words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield Server(process.pid, int(process.stdout.readline().rpartition(":")[2]))
        process.terminate()


def _peer() -> str | None:
    folders = os.environ.get("EXECPOLICY_BENCH_PEERS", "")
    return shutil.which("pproxy", path=f"{folders}{os.pathsep}{os.environ['PATH']}")


@contextmanager
def _theirs(program: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    words = [program, "-l", f"http://127.0.0.1:{port}"]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(words, stdin=quiet, stdout=quiet, stderr=quiet) as process:
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield Server(process.pid, port)
        process.terminate()


if __name__ == "__main__":
    main()
