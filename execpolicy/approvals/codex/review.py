"""What an answer does in Codex, and what approval hooks may answer."""

from collections.abc import Sequence

from execpolicy.support.record import Value

ALLOW_AND_DENY, DENY_ONLY, SKIPPED = "allow and deny", "may deny only", "skip"
NOT_ASKED = "not asked"


class ReviewOutcome(Value):
    """What follows an answer: whether the call runs, why not, and what is remembered."""

    runs: bool
    why: str | None = None
    remembers: str | None = None


RULE, KEYS, HOST_RULE = "rule saved", "each key cached", "host rule saved"
_REFUSED = "rejected by user"

_SETTLED = {
    "approved": ReviewOutcome(runs=True),
    "approved_execpolicy_amendment": ReviewOutcome(runs=True, remembers=RULE),
    "approved_for_session": ReviewOutcome(runs=True, remembers=KEYS),
    "network_policy_amendment allow": ReviewOutcome(runs=True, remembers=HOST_RULE),
    "network_policy_amendment deny": ReviewOutcome(runs=False, why=_REFUSED, remembers=HOST_RULE),
    "denied": ReviewOutcome(runs=False, why=_REFUSED),
    "abort": ReviewOutcome(runs=False, why=_REFUSED),
    "timed_out": ReviewOutcome(runs=False, why="reviewer timeout"),
}


def settled(answer: str) -> ReviewOutcome:
    """What an answer does. An answer that is not known refuses."""
    return _SETTLED.get(answer, ReviewOutcome(runs=False, why=_REFUSED))


def hook_mode(strict_review: bool, one_shot: bool) -> str:
    """What approval hooks may answer before a first attempt."""
    if strict_review:
        return SKIPPED
    return DENY_ONLY if one_shot else ALLOW_AND_DENY


class Attempts(Value):
    """How often the user was asked and the call was tried, and whether it ran in the end."""

    asked: int
    attempts: int
    succeeds: bool


def one_shot(hooks: Sequence[str]) -> Attempts:
    """A call that is approved for one attempt at a time: the first, which the sandbox refuses, and
    the second, without a sandbox, which succeeds.

    `hooks` are the answers of the approval hook before each of them. A denial ends the call. An
    approval by a hook does not count, so the user is asked, who says yes.
    """
    asked = attempts = 0
    for answer in hooks[:2]:
        if answer == "deny":
            return Attempts(asked, attempts, succeeds=False)
        asked, attempts = asked + 1, attempts + 1
    return Attempts(asked, attempts, succeeds=attempts == 2)
