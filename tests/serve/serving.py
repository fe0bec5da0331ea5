"""A server of a test's own, in a thread of this process or in a process of its own."""

import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from execpolicy.commands.serving import Served
from execpolicy.serve import sockets
from execpolicy.serve.inputs import gathered
from execpolicy.serve.run import serve
from execpolicy.serve.service import Service
from execpolicy.support import directories
from execpolicy.support.record import Value
from tests.waiting import HANG_SECONDS, Process, until


class Running(Value):
    """A server that runs: its port, and the service itself."""

    port: int
    service: Service

    def ask(
        self,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        token: bool = True,
    ) -> tuple[int, bytes]:
        """The status and the body of an answer over loopback."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANG_SECONDS)
        given = {"Authorization": f"Bearer {self.service.token}"} if token else {}
        data = None if body is None else json.dumps(body)
        try:
            connection.request(
                "GET" if body is None else "POST", path, data, {**given, **(headers or {})}
            )
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def check(self, *requests: Mapping[str, object], **more: object) -> tuple[int, bytes]:
        """The answer of `/check`."""
        one = {"request": requests[0]} if len(requests) == 1 else {"requests": list(requests)}
        return self.ask("/check", {"client": gathered(), **one, **more})


@contextmanager
def running(port: int | None = 0, *, script: bool = False) -> Iterator[Running]:
    """A server in a thread, for the home of the test, and for hooks in bash where these ask."""
    with pytest.MonkeyPatch.context() as patch:
        if script:
            patch.setattr(sockets, "is_script", lambda: True)
        with _running(port) as server:
            yield server


@contextmanager
def _running(port: int | None) -> Iterator[Running]:
    begun = threading.Event()
    found: list[Running] = []
    failed: list[BaseException] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def begin() -> None:
        service = Service(Served())
        loops.append(asyncio.get_running_loop())

        def ready(at: int) -> None:
            found.append(Running(at, service))
            begun.set()

        await serve(service, port, ready)

    def run() -> None:
        try:
            asyncio.run(begin())
        except BaseException as error:
            failed.append(error)
            begun.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert begun.wait(HANG_SECONDS)
    if failed:
        raise failed[0]
    try:
        yield found[0]
    finally:
        loops[0].call_soon_threadsafe(found[0].service.ends.set)
        thread.join(HANG_SECONDS)
    assert not thread.is_alive()


@contextmanager
def process(*arguments: str) -> Iterator[Process]:
    """`execpolicy serve` as a process of its own."""
    command = [sys.executable, "-m", "execpolicy", "serve", *arguments]
    environment = {k: v for k, v in os.environ.items() if k not in ("CLAUDECODE",)}
    with Process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as begun:
        until(lambda: os.path.exists(sockets.http_socket()) or begun.poll() is not None)
        try:
            yield begun
        finally:
            begun.terminate()
            begun.communicate(timeout=HANG_SECONDS)


def line(data: bytes) -> bytes:
    """What the socket for hooks answers; nothing where it ends the connection."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(HANG_SECONDS)
        connection.connect(directories.hook_socket())
        found = b""
        try:
            connection.sendall(data)
            while chunk := connection.recv(65536):
                found += chunk
        except ConnectionError:
            return b""
    return found
