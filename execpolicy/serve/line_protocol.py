"""The sockets for hooks: one line of JSON in, one answer out (`serve.client` has its form).

A hook in bash, on loopback, sends a token before its line, and its number: all else of it is looked
at here. Before the answer it gets a word by which it knows this server, and the answer's length
(`sockets.Loopback`).

All of it runs in the thread that decides, between its turns: to hand a line from one thread to
another and its answer back takes longer than to decide about most.
"""

import hmac
import json
import select
import socket
import time
from collections.abc import Callable

from execpolicy.model.errors import ExecPolicyError
from execpolicy.serve import sockets
from execpolicy.serve.decider import Job, Result
from execpolicy.serve.service import Service
from execpolicy.serve.sockets import Loopback
from execpolicy.serve.standing_in import fields_of

MAX_LINE = 6 * 1024 * 1024
"""Bytes of a line: the largest payload of a hook, with each of its quotes escaped."""
LINE_SECONDS = 2.0
"""How long a line may take to come, and an answer to be taken."""
HOOK_SECONDS = 1.5
"""How long a hook waits: it has to be in time when it decides itself."""
MAX_CONNECTIONS = 128
MAX_LOOPBACK = 32
"""Connections on loopback, which any user of the machine makes: those of the socket have others."""
_CHUNK = 1 << 18


class _Connection:
    """A hook: what is there of its line or still to be sent to it, until when, and what the kernel
    is asked to tell of it."""

    __slots__ = ("began", "data", "event", "socket", "token", "until", "word")

    def __init__(self, connected: socket.socket, loopback: Loopback | None) -> None:
        self.socket = connected
        self.token = f"{loopback.token} ".encode() if loopback else b""
        self.word = loopback.word if loopback else ""
        self.data = bytearray()
        self.began = time.monotonic()
        self.until = self.began + LINE_SECONDS
        self.event = 0


class Lines:
    """Answers hooks. Whatever is wrong with a line, the client decides itself."""

    def __init__(
        self, service: Service, listener: socket.socket, loopback: Loopback | None = None
    ) -> None:
        self._service = service
        self._listeners: dict[int, tuple[socket.socket, Loopback | None]]
        self._listeners = {listener.fileno(): (listener, None)}
        if loopback is not None:
            self._listeners[loopback.listener.fileno()] = loopback.listener, loopback
        self._open: dict[int, _Connection] = {}

    def begin(self, poll: select.epoll) -> None:
        """Take connections from now on."""
        self._poll = poll
        for each, _ in self._listeners.values():
            each.setblocking(False)
            poll.register(each, select.EPOLLIN)

    def end(self) -> None:
        """Close what is open."""
        for each in tuple(self._open.values()):
            self._close(each)

    def ready(self, descriptor: int) -> None:
        """Take what is there, or send what is left."""
        if descriptor in self._listeners:
            self._accept(*self._listeners[descriptor])
        elif descriptor in self._open:
            each = self._open[descriptor]
            self._tried(self._send if each.event == select.EPOLLOUT else self._read, each)

    def rest(self) -> float:
        """Close those that are late; the seconds until the next one is, -1 where there is none."""
        now = time.monotonic()
        for each in [one for one in self._open.values() if one.until <= now]:
            self._close(each)
        return min((one.until - now for one in self._open.values()), default=-1.0)

    def _accept(self, listener: socket.socket, loopback: Loopback | None) -> None:
        while True:
            try:
                connected = listener.accept()[0]
            except OSError:
                return
            each = _Connection(connected, loopback)
            self._open[connected.fileno()] = each
            self._tried(self._begin, each)

    def _tried(self, act: "Callable[[_Connection], None]", each: _Connection) -> None:
        """Go on with a connection: what is wrong with it ends it alone."""
        try:
            act(each)
        except Exception:
            self._close(each)

    def _begin(self, each: _Connection) -> None:
        if not each.word:
            sockets.peer(each.socket)
        elif sum(bool(one.word) for one in self._open.values()) > MAX_LOOPBACK:
            raise ConnectionError
        if len(self._open) > MAX_CONNECTIONS + MAX_LOOPBACK:
            raise ConnectionError
        each.socket.setblocking(False)
        self._read(each)

    def _read(self, each: _Connection) -> None:
        """Take what came; a whole line is decided about. Raises `OSError` for what is none."""
        while not each.data.endswith(b"\n"):
            try:
                chunk = each.socket.recv(_CHUNK)
            except BlockingIOError:
                self._await(each, select.EPOLLIN)
                return
            each.data += chunk
            if each.token and len(each.data) >= len(each.token):
                self._know(each)
            if not chunk or len(each.data) > MAX_LINE:
                raise ConnectionError
        if each.token:
            raise ConnectionError
        self._await(each, 0)
        each.until = each.began + HOOK_SECONDS + LINE_SECONDS
        self._decide(each)

    def _know(self, each: _Connection) -> None:
        """Take the token off. Raises `ConnectionError` for another one, before more is read."""
        size = len(each.token)
        known = hmac.compare_digest(each.data[:size], each.token) and sockets.is_private()
        if not known:
            raise ConnectionError
        del each.data[:size]
        each.token = b""

    def _decide(self, each: _Connection) -> None:
        given = _object(each.data)
        if each.word:
            given["client"] = fields_of(given["process"], given["version"])
        host, payload, client = (given.get(name) for name in ("hook", "payload", "client"))
        if not (isinstance(host, str) and isinstance(payload, str) and isinstance(client, dict)):
            self._answer(each, Result(declined="give `hook`, `payload` and `client` as JSON"))
            return
        try:
            work = self._service.commands.hook(host, payload.encode())
        except (ExecPolicyError, UnicodeError):
            self._answer(each, Result(declined="the host or its payload is not valid"))
            return
        self._service.submit(
            Job(client, work, lambda result: self._answer(each, result), each.began + HOOK_SECONDS)
        )

    def _answer(self, each: _Connection, result: Result) -> None:
        why = f"declined {result.declined}".replace("\n", " ").encode("utf-8", "replace") + b"\n"
        answer = why if result.declined else result.answer
        head = f"{each.word} {len(answer):07}\n" if each.word else ""
        each.data = bytearray(head.encode() + answer)
        self._tried(self._send, each)

    def _send(self, each: _Connection) -> None:
        try:
            while each.data:
                del each.data[: each.socket.send(each.data)]
        except BlockingIOError:
            self._await(each, select.EPOLLOUT)
            return
        self._close(each)

    def _await(self, each: _Connection, event: int) -> None:
        """Have the kernel tell of another event of a connection; 0 for none."""
        if event == each.event:
            return
        if not each.event:
            self._poll.register(each.socket, event)
        elif event:
            self._poll.modify(each.socket, event)
        else:
            self._poll.unregister(each.socket)
        each.event = event

    def _close(self, each: _Connection) -> None:
        self._open.pop(each.socket.fileno(), None)
        each.socket.close()


def _object(line: bytearray) -> dict[str, object]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
