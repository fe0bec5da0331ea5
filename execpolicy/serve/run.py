"""Starting a server, and ending it when a signal comes: what waits is answered before."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable

import uvicorn

from execpolicy.serve import sockets
from execpolicy.serve.app import application
from execpolicy.serve.guard import MAX_REQUESTS, Guard
from execpolicy.serve.line_protocol import Lines
from execpolicy.serve.protocol import BoundedProtocol
from execpolicy.serve.service import Service
from execpolicy.serve.standing_in import Installed
from execpolicy.support import directories

GRACE_SECONDS = 3
"""How long requests that run may go on when the server ends."""
KEEP_ALIVE_SECONDS = 15
WARM_SECONDS = 120.0


class _Server(uvicorn.Server):
    """One that leaves signals to who runs it."""

    @contextlib.contextmanager
    def capture_signals(self):  # type: ignore[no-untyped-def]
        yield


async def serve(service: Service, port: int | None, ready: Callable[[int], None]) -> None:
    """Serve until a signal comes. `port` is None for unix sockets alone, 0 for one that is free.

    `ready` is called with the port, 0 for none. Raises `ExecPolicyError` where it cannot begin.
    """
    sockets.prepare()
    owned: list[socket.socket] = []
    opened: list[socket.socket] = []
    paths: list[str] = []
    try:
        lines = sockets.listen_at(directories.hook_socket())
        owned.append(lines)
        paths.append(directories.hook_socket())
        opened.append(sockets.listen_at(sockets.http_socket()))
        paths.append(sockets.http_socket())
        if port is not None:
            opened.append(sockets.listen_on(port))
            service.token = sockets.new_token()
            paths.append(sockets.token_file())
        at: int = 0 if port is None else opened[-1].getsockname()[1]
        loopback = None
        if sockets.is_script():
            loopback = sockets.for_hooks()
            owned.append(loopback.listener)
            paths.append(sockets.loopback_file())
        with Installed():
            await _serve(service, Lines(service, lines, loopback), opened, at, ready)
    finally:
        for path in paths:
            sockets.remove(path)
        for each in (*owned, *opened):
            each.close()


async def _serve(
    service: Service,
    lines: Lines,
    opened: list[socket.socket],
    port: int,
    ready: Callable[[int], None],
) -> None:
    server = _Server(
        uvicorn.Config(
            Guard(application(service), service, port),
            http=BoundedProtocol,
            ws="none",
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # who is at the other end, no header says
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            limit_concurrency=2 * MAX_REQUESTS,
        )
    )
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(ValueError, RuntimeError):  # not in the main thread
            loop.add_signal_handler(number, service.ends.set)
    service.decider.start()
    await asyncio.to_thread(service.decider.warm, service.commands.check({}, []), WARM_SECONDS)
    service.decider.listen(lines)
    running = asyncio.create_task(server.serve(sockets=opened))
    while not server.started and not running.done():
        await asyncio.sleep(0.01)
    watching = asyncio.create_task(service.watch_package())
    ready(port)
    await service.ends.wait()
    watching.cancel()
    server.should_exit = True
    await running
    await asyncio.to_thread(service.decider.stop)
