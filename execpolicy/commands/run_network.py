"""The network of one `run`: whom its proxy asks, and what is told afterwards."""

import os

from execpolicy.commands.ancestors import terminal_session
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.operation import Connect, Request
from execpolicy.policy.network_hosts import PORTS, UNDECIDED
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import directories, watching
from execpolicy.support.hostname import HostError, parse_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.commands.dialling import Desk
    from execpolicy.engine.engine import Engine
    from execpolicy.policy.network_hosts import Attempt, Ruling
    from execpolicy.sandbox.backends.serving import Way

MAX_TOLD = 8


class Ways:
    """What may lead out of a run.

    `approved`: the user approved the command as it is written. `writes`: an answer may become a
    rule of the user. `person`: the user can be asked. `unknown`: a program that is not known runs
    because the sandbox holds it, which reaches registries, and asks about no other host.
    """

    def __init__(
        self,
        engine: "Engine",
        request: Request,
        approved: bool,
        *,
        writes: bool,
        person: bool,
        unknown: bool = False,
    ) -> None:
        self._unknown = unknown and not approved
        self.approved = approved
        self._writes = writes
        self.way: Way | None = None
        self._who = request.text if request.text is not None else _joined(request)
        self._person = person
        self._desk: Desk | None = None
        if self._person or approved or engine.snapshot.policy.network or _in_terminal():
            self.way = self._made(engine, request)

    def tell(self) -> None:
        """Ask about, or name, the hosts that were refused because nothing decided."""
        if self.way is None or not self.way.missed:
            return
        if self._person and self.way.asking.deferred and self._desk is not None:
            from execpolicy.commands import dialling

            missed = _missed(self.way)
            asked = [one for one in missed if one[1].reason in UNDECIDED]
            dialling.ask_afterwards(self._desk, asked, self._who)
            for attempt, ruling in [one for one in missed if one not in asked]:
                dialling.tell(attempt, ruling)
            return
        tell_missed(self.way)

    def _made(self, engine: "Engine", request: Request) -> "Way":
        from execpolicy.sandbox.backends.serving import Asking, Way

        snapshot = engine.snapshot
        with watching.Aside():  # a run that begins alike asks again which session it belongs to
            asking = Asking(session=terminal_session())
        if self.approved:
            asking = asking.replace(named=hosts_named(request, snapshot))
        if self._unknown:
            possible = os.path.lexists(directories.ledger())
            return Way(lambda: snapshot.policy, asking.replace(possible=possible), registries=True)
        if not self._person and not os.path.lexists(directories.ledger()):
            return Way(lambda: snapshot.policy, asking)
        from execpolicy.commands.dialling import Desk
        from execpolicy.model.approval import Confinement

        cwd = request.cwd or "/"
        desk = Desk(engine, cwd, Confinement.SANDBOX, whole=True, writes=self._writes)
        self._desk, asking = desk, asking.replace(known=desk.known)
        if not self._person:
            return Way(lambda: snapshot.policy, asking.replace(possible=desk.possible))
        from execpolicy.proxy.terminal import Terminal
        from execpolicy.store.sources import settings

        deferred = settings.load().ask_hosts == "deferred"
        terminal = Terminal(f"`{self._who}`", desk.offer, desk.take)
        return Way(lambda: snapshot.policy, asking.replace(terminal=terminal, deferred=deferred))


def tell_missed(way: "Way") -> None:
    """Name the hosts that were refused because nothing decided."""
    from execpolicy.commands import dialling

    for attempt, ruling in _missed(way):
        dialling.tell(attempt, ruling)


def _missed(way: "Way") -> "list[tuple[Attempt, Ruling]]":
    return list(way.missed.values())[:MAX_TOLD]


def _in_terminal() -> bool:
    """Whether this process belongs to a terminal, where the user may have answered before."""
    return any(os.isatty(fd) for fd in range(3))


def _joined(request: Request) -> str:
    from execpolicy.support.redact import joined

    return joined(request.argv or ())


def hosts_named(request: Request, snapshot: Snapshot) -> frozenset[tuple[str, int]]:
    """Each host in the form in which hosts are compared, with the port that is written for it or
    that its protocol has."""
    found = set[tuple[str, int]]()
    touched = (each for step in unwrap(request, snapshot) for each in step.touched)
    for connect in (each for each in touched if isinstance(each, Connect)):
        port = connect.port or PORTS.get(connect.protocol)
        if port is None or not isinstance(connect.host, str):
            continue
        try:
            found.add((parse_host(connect.host).text, port))
        except HostError:
            continue
    return frozenset(found)
