"""From an attempt to a connection: judged, resolved, judged again, and dialled at that address."""

import asyncio

from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.policy.network_hosts import Attempt, Ruling, is_this_machine
from execpolicy.proxy.endpoint import Endpoint
from execpolicy.support.hostname import LOOPBACK, Host, HostError, parse_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from execpolicy.proxy.asking import Questions
    from execpolicy.proxy.limits import Limits

    Decide = Callable[[Attempt], Ruling]
    Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

MAX_RECORDS = 64


class RefusedError(ExecPolicyError):
    """The rules, or a person, refuse an attempt."""

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(ruling.why)
        self.ruling = ruling


class UnreachableError(ExecPolicyError):
    """The host is allowed and cannot be reached. `reason` is `lookup` or `connect`."""

    def __init__(self, reason: str, why: str) -> None:
        super().__init__(why)
        self.reason = reason


async def lookup(host: str, port: int) -> "Sequence[str]":
    """The addresses of a name, in the order in which the system wants them tried."""
    import socket

    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class Dialler:
    """Reaches hosts for the connections of one proxy."""

    def __init__(
        self, decide: "Decide", questions: "Questions", limits: "Limits", resolve: "Resolve"
    ) -> None:
        self._decide, self._questions = decide, questions
        self._limits, self._resolve = limits, resolve

    async def allowed(self, attempt: Attempt) -> Ruling:
        """The ruling that lets an attempt through. Raises `RefusedError`."""
        ruling = await self._questions.settle(attempt, self._decide(attempt))
        if ruling.decision is not Decision.ALLOW:
            raise RefusedError(ruling)
        return ruling

    async def connect(self, attempt: Attempt) -> Endpoint:
        """A connection for an allowed attempt. Raises `RefusedError` and `UnreachableError`."""
        for address in await self._addresses(attempt):
            try:
                async with asyncio.timeout(self._limits.connect):
                    return await _connected(address, attempt.port)
            except (OSError, TimeoutError):
                continue
        raise UnreachableError("connect", f"`{attempt}` cannot be reached")

    async def _addresses(self, attempt: Attempt) -> "Sequence[str]":
        """Where the host is: every address that it has is allowed, or none is given."""
        if attempt.host.address:
            return [attempt.host.text]
        if is_this_machine(attempt.host):
            return LOOPBACK
        try:
            async with asyncio.timeout(self._limits.lookup):
                found = await self._resolve(attempt.host.text, attempt.port)
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


async def _connected(address: str, port: int) -> Endpoint:
    """A connection to exactly this address."""
    loop = asyncio.get_running_loop()
    transport, end = await loop.create_connection(Endpoint, address, port)
    dialled = transport.get_extra_info("peername")
    if dialled is None or parse_host(dialled[0].partition("%")[0]).text != address:
        end.abort()
        raise OSError("this is not the address that was judged")
    return end
