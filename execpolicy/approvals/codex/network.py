"""Codex's questions about hosts, asked when a command inside the sandbox wants to connect."""

from collections.abc import Callable

from execpolicy.approvals.codex.policy import NEVER
from execpolicy.support.record import Value

APPROVED, DENIED = "approved", "denied"
RESTRICTS = ("read-only", "workspace-write")
"""The sandboxes that restrict the network: without one of them the user is not asked."""


class HostDecision(Value):
    """Whether a connection is allowed, whether the user was asked, and what the session knows of
    the host now: `approved`, `denied` or None."""

    allowed: bool
    asked: bool
    session: str | None


_ANSWERS = {
    "approved": (True, None),
    "approved_for_session": (True, APPROVED),
    "amend allow": (True, APPROVED),
    "amend deny": (False, DENIED),
}


def host_decision(
    policy: str, sandbox: str, known: str | None, ask: Callable[[], str]
) -> HostDecision:
    """The decision about a host.

    `known` is what the session knows of it. A refused host rule is kept for the session, a plain
    refusal is not.
    """
    if known is not None:
        return HostDecision(known == APPROVED, asked=False, session=known)
    if policy == NEVER or sandbox not in RESTRICTS:
        return HostDecision(allowed=False, asked=False, session=None)
    allowed, session = _ANSWERS.get(ask(), (False, None))
    return HostDecision(allowed, asked=True, session=session)
