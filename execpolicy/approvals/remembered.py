"""Reads the ledger for a verdict that asks, and for no other.

An engine is given an instance of `Remembered` and calls it where the decision is PROMPT. Whatever
is wrong with the ledger, the verdict stays as it is.
"""

import os
from _collections_abc import Callable, Iterator

from execpolicy.approvals.memory import never_whole
from execpolicy.approvals.subject import Here, Subject, exact, plain_host, whole_key
from execpolicy.model.approval import (
    ACCESS,
    CONNECT,
    EXEC,
    REQUEST,
    Approval,
    Confinement,
    Moment,
    Reach,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Connect, Exec, Request
from execpolicy.model.verdict import JudgedOperation, Verdict
from execpolicy.places.resolver import Resolver
from execpolicy.store.ledger import guard
from execpolicy.store.ledger.ledger import Ledger, lookup
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import directories


class Remembered:
    """The approvals that count for one host and session, and for the `parent` session above it.

    `spend`: what is used counts, as for a call that is about to happen; without it nothing is
    written. `problem` says why the ledger was not read, after a call that could not.
    """

    def __init__(
        self,
        host: str = "",
        session: str | None = None,
        *,
        parent: str | None = None,
        scope: str | None = None,
        confinement: Confinement = Confinement.NONE,
        spend: bool = False,
        clock: Callable[[], Moment] | None = None,
    ) -> None:
        self.host = host
        self.session = session
        self.parent = parent
        self.scope = scope
        self.confinement = confinement
        self.spend = spend
        self.clock = clock
        self.problem: str | None = None

    def __call__(
        self, request: Request, verdict: Verdict, snapshot: Snapshot, resolver: Resolver
    ) -> Verdict:
        """The verdict with the questions answered that were answered before."""
        if verdict.decision is not Decision.PROMPT or never_whole(verdict):
            return verdict
        try:
            guard.check(directories.ledger())
            return self._settled(request, verdict, snapshot, resolver)
        except FileNotFoundError:
            return verdict
        except (guard.LedgerError, OSError) as error:
            self.problem = str(error)
            return verdict

    def _settled(
        self, request: Request, verdict: Verdict, snapshot: Snapshot, resolver: Resolver
    ) -> Verdict:
        from execpolicy.approvals.settlement import settle, settle_whole

        here = self.here(request, verdict, snapshot, resolver)
        with Ledger.open() as ledger:
            here = self._above(ledger, here)
            approvals = found(ledger, verdict, here)
            settled = settle(verdict, approvals, here)
            if settled.verdict.decision is Decision.PROMPT:
                again = ledger.find([f"{REQUEST}:{whole_key(request, verdict, here)}"])
                settled = settle_whole(settled, again, here)
            if settled.used and not _hold(ledger, settled.used):
                return verdict
            if not self.spend or not settled.used:
                return settled.verdict
            self._seen(ledger, here)  # before a use is spent: it may fail where another one writes
            counted = [a for a in settled.used if a.bounds.uses is not None]
            if counted and not ledger.spend(counted, here.now.wall):
                return verdict
        return settled.verdict

    def here(
        self, request: Request, verdict: Verdict, snapshot: Snapshot, resolver: Resolver
    ) -> Here:
        """Who asks, where and when, as far as the machine tells."""
        from execpolicy.approvals.clock import now
        from execpolicy.approvals.situation import project, subjects
        from execpolicy.store.ledger.sessions import name

        place = project(request, resolver)
        session = None if self.session is None else name(self.host, self.session, place)
        return Here(
            (self.clock or now)(),
            place,
            session,
            () if self.parent is None else (name(self.host, self.parent, place),),
            self.scope or bound(request),
            self.confinement,
            subjects(request, verdict, snapshot, resolver),
        )

    def _above(self, ledger: Ledger, here: Here) -> Here:
        """The same with the sessions above, and none of what an idle session was told."""
        from functools import partial

        from execpolicy.store.ledger.sessions import is_over, parents, read

        above = [each for each in map(partial(read, ledger), here.parents) if each is not None]
        if any(is_over(each, here.now) for each in above):
            here = here.replace(parents=())
        known = read(ledger, here.session) if here.session is not None else None
        if known is None:
            return here
        if is_over(known, here.now):
            return here.replace(session=None)
        found = here.parents or parents(ledger, known)
        return here.replace(parents=found, scope=here.scope or known.scope)

    def _seen(self, ledger: Ledger, here: Here) -> None:
        from execpolicy.store.ledger.sessions import Session, seen

        if here.session is not None:
            above = here.parents[0] if here.parents else None
            seen(ledger, Session(here.session, here.project, above, here.scope), here.now)


def bound(request: Request) -> str | None:
    """The folder that the agent of a request is bound to; None where it is bound to none."""
    scope = request.scope
    return scope.root if scope is not None and scope.parent is not None else None


def _hold(ledger: Ledger, used: tuple[Approval, ...]) -> bool:
    """Whether approvals count here as they are, or have the signatures that they need."""
    if not os.path.lexists(guard.ONLY_SIGNED):
        return True
    from execpolicy.approvals.signatures import hold

    return hold(ledger, used)


def found(ledger: Ledger, verdict: Verdict, here: Here) -> list[Approval]:
    """The approvals in the ledger that may be about what asks."""
    names = [
        name
        for judged, subject in zip(verdict.judged, here.subjects, strict=False)
        if judged.decision is Decision.PROMPT
        for name in lookups(judged, subject)
    ]
    return ledger.find(names) if names else []


def lookups(judged: JudgedOperation, subject: Subject) -> Iterator[str]:
    """Under which names an approval for an operation may be found."""
    operation = judged.operation
    if isinstance(operation, Exec):
        yield lookup(Reach(EXEC, exact=exact(judged, subject)))
        yield lookup(Reach(EXEC, prefix=(str(operation.argv[0]),)))
    elif isinstance(operation, Access) and subject.path is not None:
        yield lookup(Reach(ACCESS, path=subject.path))
        path = subject.path
        while path:
            yield lookup(Reach(ACCESS, path=path, under=True))
            path = path.rpartition("/")[0]
        yield lookup(Reach(ACCESS, path="/", under=True))
    elif isinstance(operation, Connect):
        yield lookup(Reach(CONNECT, host=plain_host(operation)))
