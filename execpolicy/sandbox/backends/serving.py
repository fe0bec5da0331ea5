"""The proxy of one run: it begins with the first connection, and asks on the run's own terminal."""

import os

from execpolicy.model.decision import Decision
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.policy.network_hosts import Attempt, Ruling
    from execpolicy.policy.policy import Policy
    from execpolicy.proxy.events import Event, EventLog
    from execpolicy.proxy.server import Background, Proxy
    from execpolicy.proxy.terminal import Terminal
    from execpolicy.sandbox.backends.published import Forwarded
    from execpolicy.sandbox.backends.streams.streams import Streams
    from execpolicy.sandbox.keys.bridging import Bridging

    Watched = dict[int, Callable[[], None]]
    Missed = dict[tuple[str, str, int], tuple[Attempt, Ruling]]

MAX_WRITTEN = 1000
"""Connections of a run that are written down one by one; of the others their number is."""
MAX_MISSED = 100
"""Hosts that are named after a run."""


ONLY_KEY = "a key is open in this run, which reaches only what that is for"
ONLY_REGISTRIES = "a program that is not known reaches registries only"


class Asking(Value):
    """Who is asked about hosts that no rule decides.

    `known` says by which earlier answer a connection is allowed, `terminal` asks the user; with
    neither no question can be asked. `named` are hosts and ports that the user approved with the
    command. `possible`: an earlier answer may let something through. `deferred`: nothing waits for
    the user, who is asked after the run. `session` is written down with each event.
    """

    known: "Callable[[Attempt], str] | None" = None
    terminal: "Terminal | None" = None
    named: frozenset[tuple[str, int]] = frozenset()
    possible: bool = False
    deferred: bool = False
    session: str = ""


class KeyWay(Value):
    """All that a run with a key reaches: `hosts`, each with its port, of which a name may begin as
    those of rules do; and what stands in the place of some."""

    hosts: frozenset[tuple[str, int]]
    bridging: "Bridging"


class Way:
    """What lets connections of one run through: its policy, and the user.

    `policy` gives the policy, once, when it is needed. `missed` has, after the run, what was
    refused because nothing decided it. `registries`: for a program that is not known, which reaches
    no other host, whatever the rules let through. `key`: for a run with one.
    """

    def __init__(
        self,
        policy: "Callable[[], Policy]",
        asking: "Asking | None" = None,
        *,
        registries: bool = False,
        key: KeyWay | None = None,
    ) -> None:
        self.registries, self.key = registries, key
        self._given = policy
        self._known_policy: Policy | None = None
        self._events: EventLog | None = None
        self._written = 0
        self.asking = asking or Asking()
        self.missed: Missed = {}

    @property
    def policy(self) -> "Policy":
        """The policy by which connections are decided."""
        if self._known_policy is None:
            self._known_policy = self._given()
        return self._known_policy

    @property
    def answers(self) -> bool:
        """Whether anything but the rules may let a connection through: the user, now or before."""
        asking = self.asking
        asked = asking.terminal is not None or asking.known is not None
        return asked or bool(asking.named) or asking.possible

    def leads_out(self) -> bool:
        """Whether anything may be let through at all: else there is no network inside."""
        asking = self.asking
        if self.key or asking.terminal is not None or asking.named or asking.possible:
            return True
        return any(r.decision is not Decision.FORBIDDEN for r in self.policy.network)

    def proxy(self) -> "Proxy":
        """The proxy, by the rules that the command was decided by."""
        from execpolicy.engine.audit import record_connections
        from execpolicy.policy.network_hosts import NO_RULE, Ruling, Rulings, is_registry
        from execpolicy.proxy.events import EventLog, dated
        from execpolicy.proxy.server import Proxy

        rulings, session = Rulings(), self.asking.session
        self._events = EventLog(lambda events: record_connections(dated(events, session)))

        def ruling(attempt: "Attempt") -> "Ruling":
            if self.key and not self._is_for_key(attempt):
                return Ruling(Decision.FORBIDDEN, NO_RULE, ONLY_KEY)
            if self.key and self.key.bridging.unjudged(attempt):
                return Ruling(Decision.ALLOW, "rule", ONLY_KEY)
            found = rulings.of(self.policy, attempt)
            if not self.registries or found.decision or is_registry(self.policy, attempt.host):
                return found
            return found.replace(decision=Decision.PROMPT, reason=NO_RULE, why=ONLY_REGISTRIES)

        asking = self.asking
        ask = None if asking.terminal is None else asking.terminal.ask
        bridged = self.key.bridging.connected if self.key else None
        known = self._known
        return Proxy(ruling, ask, self._log, deferred=asking.deferred, known=known, bridged=bridged)

    def _is_for_key(self, attempt: "Attempt") -> bool:
        """Whether a connection leads to what the key of this run is for."""
        from execpolicy.policy.network_hosts import is_about

        assert self.key is not None  # noqa: S101
        return self.key.bridging.unjudged(attempt) or any(
            port == attempt.port and is_about(host, attempt.host) for host, port in self.key.hosts
        )

    def ended(self) -> None:
        """Write down what is not yet, after the proxy has ended."""
        if self.key is not None:
            self.key.bridging.close()
        if self._events is not None:
            self._events.flush()
        if self._written > MAX_WRITTEN:
            from time import time

            from execpolicy.engine.audit import record_connections

            session = {"session": self.asking.session} if self.asking.session else {}
            record_connections([(time(), {**session, "more": self._written - MAX_WRITTEN})])

    def _known(self, attempt: "Attempt") -> str:
        if (attempt.host.text, attempt.port) in self.asking.named and attempt.resolved is None:
            return "approved with the command"
        if self.key is not None and attempt.resolved is None:  # others are refused before that
            return "the key of this run is for it"
        return self.asking.known(attempt) if self.asking.known else ""

    def _log(self, event: "Event") -> None:
        from execpolicy.policy.network_hosts import ALLOWABLE

        self._written += 1
        if self._events is not None and self._written <= MAX_WRITTEN:
            self._events(event)
        attempt, ruling = event.attempt, event.ruling
        if len(self.missed) >= MAX_MISSED:
            return
        if attempt is not None and ruling.decision and ruling.reason in ALLOWABLE:
            self.missed.setdefault(attempt.key, (attempt, ruling))


class Serving:
    """Sockets that listen inside, while the run goes on: the proxy's, and those of the ports of
    this machine that are `reached`."""

    def __init__(self, listener: int, way: Way, reached: "Iterable[int]" = ()) -> None:
        self._listener, self._way, self._reached = listener, way, [*reached]
        self._background: Background | None = None
        self._forwarded: list[Forwarded] = []

    def close(self) -> None:
        """End the proxy, and every connection."""
        for fd in self._reached:
            os.close(fd)
        for one in self._forwarded:
            one.close()
        if self._background is None:
            os.close(self._listener)
        else:
            self._background.__exit__(None, None, None)
            self._way.ended()
        if self._way.asking.terminal is not None:
            self._way.asking.terminal.close()

    def watch(self, watched: "Watched", streams: "Streams | None" = None) -> None:
        """Be told of the first connection, and of questions, which need the run's streams."""

        def begin() -> None:
            del watched[self._listener]
            self._begin()

        watched[self._listener] = begin
        for fd in self._reached:
            watched[fd] = self._forwarder(fd, watched)
        terminal = self._way.asking.terminal
        if terminal is not None and streams is not None:
            desk = _Desk(terminal, streams, watched)
            watched[terminal.wake] = desk.woken

    def _forwarder(self, fd: int, watched: "Watched") -> "Callable[[], None]":
        """What serves a port of this machine from its first connection on."""

        def begin() -> None:
            from execpolicy.sandbox.backends.published import Forwarded

            del watched[fd]
            self._reached.remove(fd)
            self._forwarded.append(Forwarded(fd))

        return begin

    def _begin(self) -> None:
        import socket

        from execpolicy.proxy.server import Background

        listener = socket.socket(fileno=self._listener)
        self._background = Background(listener, self._way.proxy)
        self._background.__enter__()


class _Desk:
    """Holds the command's terminal back while a question is on the user's."""

    def __init__(self, terminal: "Terminal", streams: "Streams", watched: "Watched") -> None:
        self._terminal, self._streams, self._watched = terminal, streams, watched

    def woken(self) -> None:
        """A question came, or is not waited for any more."""
        self._terminal.woken()
        self._turn()

    def _typed(self) -> None:
        self._terminal.typed()
        self._turn()

    def _turn(self) -> None:
        terminal = self._terminal
        if terminal.waiting and not terminal.open and terminal.in_front:
            self._streams.suspend()
        terminal.turn()
        if terminal.open:
            self._watched[terminal.read] = self._typed
        else:
            self._watched.pop(terminal.read, None)
            self._streams.resume()
