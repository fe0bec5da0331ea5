"""What `check` and `hook` give an engine: earlier answers, read where a verdict asks and nowhere
else. A verdict that does not ask imports nothing of this and opens no file."""

import os

from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.engine.engine import Approvals
    from execpolicy.model.approval import Confinement
    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.places.resolver import Resolver
    from execpolicy.store.snapshot import Snapshot


def remembered(
    host: str,
    session: str | None = None,
    *,
    spend: bool = False,
    confinement: "Confinement | None" = None,
    child: str = "",
) -> "Approvals":
    """The answers for a session of a host; `spend` for a call that is about to happen.

    `confinement` says where it will run; without one, outside of every sandbox. `child` is the
    sub-agent of the session that asks, which has the session's answers inside its scope.
    """

    def settled(
        request: "Request", verdict: "Verdict", snapshot: "Snapshot", resolver: "Resolver"
    ) -> "Verdict":
        if not os.path.lexists(directories.ledger()):
            return verdict
        from execpolicy.approvals.remembered import Remembered

        asked = session if session is not None else request.session
        parent = asked if child and asked else None
        asked = child_of(asked, child) if parent else asked
        found = Remembered(host, asked, parent=parent, spend=spend)
        if confinement is not None:
            found.confinement = confinement
        return found(request, verdict, snapshot, resolver)

    return settled


def child_of(session: str | None, child: str) -> str:
    """The id of a sub-agent's session; that of the session itself where none asks."""
    return f"{session or ''}/{child}" if child else session or ""
