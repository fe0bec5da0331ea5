"""The proxy on one listening socket: plain HTTP, tunnels of HTTP, and SOCKS5, by the first byte."""

import asyncio
import socket
import threading
from collections.abc import Callable

from execpolicy.proxy import answers
from execpolicy.proxy.asking import Ask, Known, Questions
from execpolicy.proxy.dial import Bridged, Decide, Dialler, Resolve, lookup
from execpolicy.proxy.endpoint import Endpoint
from execpolicy.proxy.limits import Limits
from execpolicy.proxy.session import Log, Session

BACKLOG = 256
CROWDED_SECONDS = 1.0


class Proxy:
    """Serves a listening socket. `decide` rules, `ask` waits for the user, `log` takes events.

    Only `decide` and the user let anything through; `known` tells what the user let through before.
    `questions` has what is left to ask where asking is `deferred`. `bridged` gives what stands in
    the place of an allowed host, if anything does.
    """

    def __init__(
        self,
        decide: Decide,
        ask: Ask | None,
        log: Log,
        *,
        limits: Limits | None = None,
        resolve: Resolve = lookup,
        deferred: bool = False,
        known: Known | None = None,
        bridged: Bridged | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.questions = Questions(ask, self.limits.ask, deferred=deferred, known=known)
        self._dialler = Dialler(decide, self.questions, self.limits, resolve, bridged)
        self._log = log
        self._open: dict[Endpoint, tuple[Session, asyncio.Task[None]]] = {}

    async def serve(self, listener: socket.socket) -> None:
        """Serve until cancelled, then end every connection and write it down."""
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        listener.listen(BACKLOG)
        self._accept_from(listener)
        try:
            while True:
                await asyncio.sleep(min(self.limits.idle / 4, 5.0))
                self._end_idle(loop.time() - self.limits.idle)
        finally:
            loop.remove_reader(listener)
            listener.close()
            await self._end_all()

    def _accept_from(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(listener, self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        """Take one connection: where more wait, the loop calls again.

        Where there are too many files, look again in a while.
        """
        try:
            client, _ = listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return
        except OSError:
            loop = asyncio.get_running_loop()
            loop.remove_reader(listener)
            loop.call_later(CROWDED_SECONDS, self._accept_from, listener)
            return
        self._made(Endpoint(client, self._lost))

    def _made(self, client: Endpoint) -> None:
        if len(self._open) >= self.limits.connections and not self._make_room():
            client.write(answers.crowded())
            client.close()
            return
        session = Session(client, self._dialler, self.limits, self._log)
        self._open[client] = session, asyncio.create_task(self._run(client, session))

    async def _run(self, client: Endpoint, session: Session) -> None:
        try:
            await session.run()
        finally:
            self._open.pop(client, None)

    def _lost(self, client: Endpoint) -> None:
        session, task = self._open.get(client, (None, None))
        if session is not None and task is not None and not session.joined:
            task.cancel()

    def _make_room(self) -> bool:
        """End the oldest connection that asked for nothing yet; whether there was one."""
        for client, (session, _) in list(self._open.items()):
            if not session.began:
                self._open.pop(client)[1].cancel()
                session.abort()
                return True
        return False

    def _end_idle(self, since: float) -> None:
        for session, _ in list(self._open.values()):
            if session.began and session.touched < since and not session.waits:
                session.abort()

    async def _end_all(self) -> None:
        tasks = [task for _, task in self._open.values()]
        for session, task in list(self._open.values()):
            session.client.abort()
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def serve(listener: socket.socket, decide: Decide, ask: Ask | None, log: Log) -> None:
    """Serve a socket that already listens, wherever it was opened, until cancelled."""
    await Proxy(decide, ask, log).serve(listener)


class Background:
    """A proxy in a thread of its own, for a launcher that waits for a command meanwhile.

    The socket may have been opened in another network namespace; it is accepted on from here.
    """

    def __init__(self, listener: socket.socket, make: Callable[[], Proxy]) -> None:
        self._listener, self._make = listener, make
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[None] | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> "Background":
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop)
        if self._thread is not None:
            self._thread.join()
        self._listener.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._task = self._loop.create_task(self._make().serve(self._listener))
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            pass
        finally:
            self._loop.close()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
