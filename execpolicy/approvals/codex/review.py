"""What an answer does in Codex, and what approval hooks may answer."""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ALLOW_AND_DENY, DENY_ONLY, SKIPPED = "allow and deny", "may deny only", "skip"
NOT_ASKED = "not asked"


class Settled(Value):
    """What follows an answer: whether the call runs, why not, and what is remembered."""

    runs: bool
    why: str | None = None
    remembers: str | None = None


RULE, KEYS, HOST_RULE = "rule saved", "each key cached", "host rule saved"
_REFUSED = "rejected by user"

_SETTLED = {
    "approved": Settled(runs=True),
    "approved_execpolicy_amendment": Settled(runs=True, remembers=RULE),
    "approved_for_session": Settled(runs=True, remembers=KEYS),
    "network_policy_amendment allow": Settled(runs=True, remembers=HOST_RULE),
    "network_policy_amendment deny": Settled(runs=False, why=_REFUSED, remembers=HOST_RULE),
    "denied": Settled(runs=False, why=_REFUSED),
    "abort": Settled(runs=False, why=_REFUSED),
    "timed_out": Settled(runs=False, why="reviewer timeout"),
}


def settled(answer: str) -> Settled:
    """What an answer does. An answer that is not known refuses."""
    return _SETTLED.get(answer, Settled(runs=False, why=_REFUSED))


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


def one_shot(hooks: "Sequence[str]") -> Attempts:
    """A call with a one-shot approval whose first attempt the sandbox refuses.

    `hooks` are the answers of the approval hook in turn: a denial ends it, an approval is not taken
    and the user is asked, who says yes.
    """
    asked = attempts = 0
    for answer in hooks[:2]:
        if answer == "deny":
            return Attempts(asked, attempts, succeeds=False)
        asked, attempts = asked + 1, attempts + 1
    return Attempts(asked, attempts, succeeds=attempts == 2)
