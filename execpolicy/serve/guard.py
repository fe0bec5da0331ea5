"""Who may ask what: each request is looked at here before any of it is read further."""

import asyncio
import hmac
import time
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from execpolicy.serve.protocol import MAX_HEAD, UNIX
from execpolicy.serve.service import Service

MAX_BODY = 8 * 1024 * 1024
BODY_SECONDS = 5.0
"""How long a body may take to come, whole. A stream of lines has it for each piece."""
MAX_REQUESTS = 128
MAX_STREAMS = 16
COOKIE = "execpolicy"
OPEN = "/open"
"""The path that needs no token: the page's one-time key is checked there."""
HEADERS = (
    (b"content-security-policy", (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
        b" connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)  # fmt: skip


class TooLargeError(Exception):
    """A body has more bytes than are read."""


class Guard:
    """The application, for those who may ask it.

    A request has to name this server as its `Host`; one that a page of another origin made is
    refused; over loopback it has to bring the token, or the cookie that a one-time key was swapped
    for.
    """

    def __init__(self, app: ASGIApp, service: Service, port: int) -> None:
        self._app, self._service = app, service
        self._hosts = {"execpolicy", "localhost"}
        self._page = f"{service.host}:{port}"
        names = (f"127.0.0.1:{port}", f"localhost:{port}", self._page)
        self._names = {*names} if port else set()
        self._running = self._streams = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        status = self._refusal(scope)
        stream = scope["path"].endswith("/stream")
        if not status and (
            self._streams >= MAX_STREAMS if stream else self._running >= MAX_REQUESTS
        ):
            status = 503
        if status:
            self._service.metrics.requested("refused", status)
            await JSONResponse({"error": WORDS[status]}, status)(scope, receive, _headed(send))
            return
        self._running += not stream
        self._streams += stream
        try:
            await self._bounded(scope, receive, _headed(send))
        finally:
            self._running -= not stream
            self._streams -= stream

    async def _bounded(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                name = getattr(scope.get("endpoint"), "__name__", "other")
                self._service.metrics.requested(name, message["status"])
            await send(message)

        await self._app(scope, _Body(receive), sending)

    def _refusal(self, scope: Scope) -> int:
        """The status with which a request is refused; 0 where it is not."""
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEAD:
            return 431
        headers = Headers(scope=scope)
        local = bool(scope.get("client")) and scope["client"][0] == UNIX
        host = headers.get("host", "")
        names = self._hosts if local else self._names
        if host not in names or len(headers.getlist("host")) != 1:
            return 421
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            return 403
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MAX_BODY:
            return 413
        if local or (host == self._page and scope["path"] == OPEN):
            return 0
        return 0 if self._is_known(headers, host == self._page) else 401

    def _is_known(self, headers: Headers, on_page: bool) -> bool:
        """Whether a request has the token, or the cookie on the page's own host."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(given, self._service.token):
            return True
        try:
            if not on_page:
                return False
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        except CookieError:
            return False
        return cookie is not None and _same(cookie.value, self._service.cookie)


class _Body:
    """The messages of a request, as long as they come in time and are not too many bytes."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._size = 0
        self._whole = False
        self._until = time.monotonic() + BODY_SECONDS

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()  # whether the client went away
        async with asyncio.timeout(max(self._until - time.monotonic(), 0.01)):
            message = await self._receive()
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > MAX_BODY:
            raise TooLargeError
        return message


def _same(given: str, known: str) -> bool:
    return bool(known) and hmac.compare_digest(given.encode(), known.encode())


def _headed(send: Send) -> Send:
    """Send with the headers that every answer has."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *HEADERS]}
        await send(message)

    return sending


WORDS = {
    401: "send the token of this server",
    403: "only pages of this server may ask it",
    408: "the request took too long",
    413: "the request is too large",
    421: "this is not the host that is meant",
    431: "the head of the request is too large",
    503: "too many requests at once",
}
