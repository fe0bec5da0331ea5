"""From an attempt to a connection: judged, resolved, judged again, and dialled at that address."""

import asyncio
import errno
import select
import socket
from collections.abc import Awaitable, Callable, Sequence

from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.policy.network_hosts import Attempt, Ruling, is_this_machine
from execpolicy.proxy.asking import Questions
from execpolicy.proxy.endpoint import Endpoint
from execpolicy.proxy.limits import Limits
from execpolicy.support.hostname import LOOPBACK, Host, HostError, parse_host
from execpolicy.support.record import Value

Decide = Callable[[Attempt], Ruling]
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
Bridged = Callable[[Attempt], socket.socket | None]

MAX_RECORDS = 64


class RefusedError(ExecPolicyError):
    """The rules, or the user, refuse an attempt."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(ruling.why)
        self.ruling = ruling


class UnreachableError(ExecPolicyError):
    """The host is allowed and cannot be reached. `reason` is `lookup` or `connect`."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


async def lookup(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, in the order in which the system wants them tried."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Dialler(Value):
    """Reaches hosts for the connections of one proxy."""

    decide: Decide
    questions: Questions
    limits: Limits
    resolve: Resolve
    bridged: Bridged | None = None

    async def allowed(self, attempt: Attempt) -> Ruling:
        """The ruling that lets an attempt through. Raises `RefusedError`."""
        ruling = await self.questions.settle(attempt, self.decide(attempt))
        if ruling.decision is not Decision.ALLOW:
            raise RefusedError(ruling)
        return ruling

    async def connect(self, attempt: Attempt) -> Endpoint:
        """A connection for an allowed attempt. Raises `RefusedError` and `UnreachableError`."""
        bridge = self._bridge(attempt)
        if bridge is not None:
            return Endpoint(bridge)
        for address in await self._addresses(attempt):
            try:
                return await _connected(address, attempt.port, self.limits.connect)
            except (OSError, TimeoutError):
                continue
        raise UnreachableError("connect", f"`{attempt}` cannot be reached")

    def _bridge(self, attempt: Attempt) -> socket.socket | None:
        """What stands in the place of the host, if anything does."""
        try:
            return self.bridged(attempt) if self.bridged else None
        except OSError as error:
            raise UnreachableError("connect", f"`{attempt}` cannot be reached: {error}") from None

    async def _addresses(self, attempt: Attempt) -> Sequence[str]:
        """Where the host is: every address that it has is allowed, or none is given."""
        if attempt.host.address:
            return [attempt.host.text]
        if is_this_machine(attempt.host):
            return LOOPBACK
        try:
            async with asyncio.timeout(self.limits.lookup):
                found = await self.resolve(attempt.host.text, attempt.port)
        except (OSError, UnicodeError, TimeoutError):
            raise UnreachableError("lookup", f"`{attempt.host}` has no address") from None
        judged = [_host(text) for text in dict.fromkeys(found)][:MAX_RECORDS]
        for host in judged:
            await self.allowed(attempt.replace(resolved=host))
        return [host.text for host in judged]


def _host(text: str) -> Host:
    """A record as an address. One with a zone, of which IPv6 has some, is refused."""
    try:
        return parse_host(text)
    except HostError as error:
        raise UnreachableError(
            "lookup", f"the address `{text[:80]}` is not valid: {error}"
        ) from None


async def _connected(address: str, port: int, seconds: float) -> Endpoint:
    """A connection to exactly this address. Raises `OSError` and `TimeoutError`."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        error = sock.connect_ex((address, port))
        if error == errno.EINPROGRESS:
            if not _is_settled(sock):
                async with asyncio.timeout(seconds):
                    await _settled(sock)
            error = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise OSError(error, "it cannot be reached")
        dialled = sock.getpeername()[0].partition("%")[0]
        if dialled != address and parse_host(dialled).text != address:
            raise OSError("this is not the address that was judged")
        return Endpoint(sock)
    except BaseException:
        sock.close()
        raise


def _is_settled(sock: socket.socket) -> bool:
    """Whether a connection stands or has failed; on this machine it does at once."""
    poll = select.poll()
    poll.register(sock, select.POLLOUT)
    return bool(poll.poll(0))


async def _settled(sock: socket.socket) -> None:
    """Wait until a connection stands or has failed."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def settled() -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_writer(sock, settled)
    try:
        await ready
    finally:
        loop.remove_writer(sock)
