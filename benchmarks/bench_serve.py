"""A server beside processes: latency, rate, memory, as ratios to a bare start of Python.

    python -m benchmarks.bench_serve [--requests N] [--rate R] [--clients N]

It starts a server for a home of its own, asks it by several clients at a fixed rate, and measures
in turns with bare starts, `-I -c pass` of the Python that a hook is started with, so that a machine
that is busy slows both.
"""

import argparse
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.starts import PAYLOAD
from benchmarks.throwaway import throwaway_home
from execpolicy.hosts.install.start_words import CLIENT
from execpolicy.serve import sockets
from execpolicy.serve.inputs import gathered
from execpolicy.support import directories
from execpolicy.support.resources import compiled, package_directory
from hatch_build import hook_script

COMMANDS = ("git status && ls", "git push", "rg -n x src | head", "npm test", "rm -rf build")
TURNS = 40


def payload(command: str) -> str:
    """A call of Claude Code's shell."""
    call = json.loads(PAYLOAD)
    call["tool_input"]["command"] = command
    return json.dumps(call)


def bare() -> float:
    """Seconds of a start of Python that does nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "pass"], check=True)
    return time.perf_counter() - began


@contextmanager
def served() -> Iterator[int]:
    """A server for this process's home; its number."""
    command = [sys.executable, "-c", SERVES]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        try:
            started.stdout.readline()
            yield started.pid
        finally:
            started.terminate()


def hook(path: str, line: bytes) -> float:
    """Seconds from a line to the end of its answer."""
    began = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(line)
        found = b""
        while chunk := connection.recv(65536):
            found += chunk
    assert found.startswith(b"execpolicy "), found
    return time.perf_counter() - began


class Line:
    """A client of the unix socket for hooks."""

    def __init__(self) -> None:
        self._path = directories.hook_socket()

    def ask(self, line: bytes) -> float:
        """Seconds from a line to the end of its answer."""
        return hook(self._path, line)


class Http:
    """A client of `/hook/claude` that keeps its connection."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(sockets.http_socket())

    def ask(self, line: bytes) -> float:
        """Seconds from a request to the end of its answer."""
        began = time.perf_counter()
        head = b"POST /hook/claude HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        self._socket.sendall(head % len(line) + line)
        found = b""
        while not _is_whole(found):
            found += self._socket.recv(65536)
        assert found.startswith(b"HTTP/1.1 200 OK"), found
        return time.perf_counter() - began


def _is_whole(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    length = head.partition(b"content-length: ")[2].partition(b"\r\n")[0]
    return bool(length) and len(body) == int(length)


def at_rate(
    asks: Sequence[Line] | Sequence[Http], lines: Sequence[bytes], rate: float
) -> list[float]:
    """The seconds of each line, asked by clients that together keep a rate."""
    found: list[float] = []
    begins = time.perf_counter() + 0.1

    def client(number: int) -> None:
        for at in range(number, len(lines), len(asks)):
            time.sleep(max(0.0, begins + at / rate - time.perf_counter()))
            found.append(asks[number].ask(lines[at]))

    threads = [threading.Thread(target=client, args=(n,)) for n in range(len(asks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def resident(process: int) -> float:
    """MiB that a process has in memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def processor(process: int) -> float:
    """Seconds of processor time that a process used (proc_pid_stat(5))."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bare_processor() -> float:
    """Seconds of processor time of a bare start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(TURNS):
        bare()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / TURNS


def lines_for(number: int, over_http: bool) -> list[bytes]:
    """The lines of hooks, of a few commands in turns, as agents run them."""
    client = gathered()
    every = []
    for command in COMMANDS:
        call: object = payload(command)
        asked = {"client": client, "payload": json.loads(payload(command)) if over_http else call}
        every.append(json.dumps({"hook": "claude", **asked}).encode() + b"\n")
    return [every[n % len(every)] for n in range(number)]


SERVES = """
from execpolicy.commands.serve import main
from execpolicy.serve import sockets
sockets.is_script = lambda: True
main([])
"""
"""A server, for hooks in bash too, which no compiler is to have been missing for."""
HOOK = (sys.executable, "-I", "-S", str(Path(package_directory(), "__main__.py")), "hook", "claude")


def process_hook(*before: str) -> float:
    """Seconds of the hook as a process, which asks the server."""
    began = time.perf_counter()
    subprocess.run([*before, *HOOK], input=PAYLOAD, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def processor_of_hooks(server: int, *before: str) -> float:
    """Seconds of processor time of a hook, those of the server counted."""
    number = TURNS * 10  # the server's are known in ticks alone
    served = processor(server)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(number):
        process_hook(*before)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    return (spent + processor(server) - served) / number


def by_stream(lines: bytes) -> float:
    """Seconds that `check --jsonl` needs for lines, its start taken off."""
    command = [sys.executable, "-m", "execpolicy", "check", "--jsonl"]
    took = []
    for data in (lines.split(b"\n")[0] + b"\n", lines):
        began = time.perf_counter()
        subprocess.run(command, input=data, stdout=subprocess.DEVNULL, check=True)
        took.append(time.perf_counter() - began)
    return took[1] - took[0]


def by_batches(path: str, lines: bytes) -> float:
    """Seconds that the server needs for the same lines, as a stream over its socket."""
    head = json.dumps({"client": gathered()}).encode()
    body = head + b"\n" + lines
    began = time.perf_counter()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(
            b"POST /check HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            b"Content-Type: application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body)
        )
        threading.Thread(target=connection.sendall, args=(body,)).start()
        while connection.recv(1 << 20):
            pass
    return time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench_serve")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=200.0)
    parser.add_argument("--clients", type=int, default=8)
    options = parser.parse_args(arguments)
    with throwaway_home() as where:
        os.environ.update(where.variables)
        os.chdir(where.project)
        with served() as server:
            measure(server, options.requests, options.rate, options.clients)


def latency(
    server: int,
    name: str,
    asks: Sequence[Line] | Sequence[Http],
    lines: Sequence[bytes],
    rate: float,
) -> None:
    """How long clients wait, beside bare starts."""
    at_rate(asks, lines[:200], rate)
    used = processor(server)
    ratios: list[float] = []
    step = max(1, len(lines) // TURNS)
    for start in range(0, len(lines), step):
        base = statistics.median(bare() for _ in range(3))
        took = at_rate(asks, lines[start : start + step], rate)
        ratios += (each / base for each in took)
    used = (processor(server) - used) / len(ratios) / bare_processor()
    print(f"processor time of the server: {used:.3f} of a bare start's, for each request")
    ratios.sort()
    median, late = ratios[len(ratios) // 2], ratios[int(len(ratios) * 0.99)]
    print(f"hook {name} at {rate:.0f}/s by {len(asks)} clients, of a bare start: ", end="")
    print(f"median {median:.3f}, p99 {late:.3f} ({len(ratios)} requests)")


def measure(server: int, number: int, rate: float, clients: int) -> None:
    """All of it, with one server."""
    before = resident(server)
    latency(
        server, "on the socket", [Line() for _ in range(clients)], lines_for(number, False), rate
    )
    latency(server, "over HTTP", [Http() for _ in range(clients)], lines_for(number, True), rate)
    print(f"memory: {before:.0f} MiB before, {resident(server):.0f} MiB after {number} requests")
    in_bash = Path(directories.state(), "hook")
    in_bash.write_text(hook_script())
    in_bash.chmod(0o755)
    programs = (("in C", (compiled(CLIENT),)), ("in bash", (str(in_bash),)), ("in Python", ()))
    for name, before_it in programs:
        pairs = [(process_hook(*before_it), bare()) for _ in range(TURNS)]
        whole, start_alone = (statistics.median(each) for each in zip(*pairs, strict=True))
        spent = processor_of_hooks(server, *before_it) / bare_processor()
        print(f"hook {name}: {whole / start_alone:.2f} of a bare start, ", end="")
        print(f"{spent:.2f} of its processor time with that of the server")
    texts = [f"{COMMANDS[n % len(COMMANDS)]} # {n}" for n in range(2000)]
    asked = b"".join(json.dumps({"command": text}).encode() + b"\n" for text in texts)
    stream, batches = by_stream(asked), by_batches(sockets.http_socket(), asked)
    print(
        f"{len(texts)} lines: {stream:.2f} s by a process, {batches:.2f} s by the server: ", end=""
    )
    print(f"{stream / batches:.2f} of its rate")


if __name__ == "__main__":
    main()
