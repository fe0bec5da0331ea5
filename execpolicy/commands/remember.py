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
) -> "Approvals":
    """The answers for a session of a host; `spend` for a call that is about to happen.

    `confinement` says where it will run; without one, outside of every sandbox.
    """

    def settled(
        request: "Request", verdict: "Verdict", snapshot: "Snapshot", resolver: "Resolver"
    ) -> "Verdict":
        if not os.path.lexists(directories.ledger()):
            return verdict
        from execpolicy.approvals.remembered import Remembered

        asked = session if session is not None else request.session
        found = Remembered(host, asked, spend=spend)
        if confinement is not None:
            found.confinement = confinement
        return found(request, verdict, snapshot, resolver)

    return settled
