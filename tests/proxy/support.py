"""A proxy on loopback, a server behind it, and clients that send what they are told."""

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from execpolicy.language.compile import compile_text
from execpolicy.policy.network_hosts import Attempt, Ruling, decide
from execpolicy.policy.policy import Policy
from execpolicy.proxy.events import Event
from execpolicy.proxy.limits import Limits
from execpolicy.proxy.server import Background, Proxy
from tests.waiting import HANG_SECONDS

if TYPE_CHECKING:
    from execpolicy.proxy.asking import Ask

HOSTS = {"allowed.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], "read.test": ["127.0.0.1"]}


def listening() -> socket.socket:
    """A socket that listens on loopback."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    listener.settimeout(HANG_SECONDS)
    return listener


class World:
    """What a proxy under test sees: its rules, invented addresses, and what it wrote down."""

    def __init__(self, rules: str, hosts: dict[str, list[str]] | None = None) -> None:
        self.policy = Policy(compile_text(rules).rules)
        self.hosts = hosts or HOSTS
        self.events: list[Event] = []
        self.looked_up: list[str] = []
        self.decided: list[Attempt] = []
        self.port = 0

    def decide(self, attempt: Attempt) -> Ruling:
        self.decided.append(attempt)
        return decide(self.policy, attempt)

    async def resolve(self, host: str, _port: int) -> Sequence[str]:
        self.looked_up.append(host)
        if host not in self.hosts:
            raise OSError("no such host")
        return self.hosts[host]

    @contextmanager
    def running(
        self, limits: Limits | None = None, ask: "Ask | None" = None, *, deferred: bool = False
    ) -> Iterator["World"]:
        listener = listening()
        self.port = listener.getsockname()[1]
        made: list[Proxy] = []

        def make() -> Proxy:
            made.append(
                Proxy(
                    self.decide, ask, self.events.append,
                    limits=limits, resolve=self.resolve, deferred=deferred,
                )
            )  # fmt: skip
            return made[0]

        with Background(listener, make):
            yield self
        self.proxy = made[0] if made else None

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=HANG_SECONDS)

    def send(self, data: bytes, *, end: bool = False) -> bytes:
        """What the proxy answers until it closes, or until this many bytes came."""
        with self.connect() as client:
            client.sendall(data)
            if end:
                client.shutdown(socket.SHUT_WR)
            return everything(client)


def everything(client: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    data = b""
    try:
        while chunk := client.recv(65536):
            data += chunk
    except ConnectionError:
        pass
    return data


class Upstream:
    """A server that notes each request's head and body and answers as a function says."""

    def __init__(self, answer: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npong") -> None:
        self.answer = answer
        self.heard: list[bytes] = []
        self.listener = listening()
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(client,), daemon=True).start()

    def _one(self, client: socket.socket) -> None:
        client.settimeout(HANG_SECONDS)
        heard = b""
        try:
            with client:
                while chunk := client.recv(65536):
                    heard += chunk
                    if b"\r\n\r\n" in heard and self._whole(heard):
                        break
                self.heard.append(heard)
                client.sendall(self.answer)
        except OSError:
            self.heard.append(heard)

    def _whole(self, heard: bytes) -> bool:
        head, _, body = heard.partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            return body.endswith(b"0\r\n\r\n")
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return len(body) >= int(line.partition(b":")[2])
        return True

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
