"""Whether a patch is applied unasked (openai/codex, `core/src/safety.rs`).

A model to compare with: nothing else in this package asks it.
"""

from execpolicy.approvals.codex.policy import GRANULAR, NEVER, UNLESS_TRUSTED, AskingPolicy
from execpolicy.support.record import Value

AUTO, ASK, REJECT = "auto", "ask", "reject"
_SETTINGS = "rejected by user approval settings"
READ_ONLY = f"writing is blocked by read-only sandbox; {_SETTINGS}"
NO_SANDBOX = f"no sandbox is there to hold the patch; {_SETTINGS}"
OUTSIDE = f"writing outside of the project; {_SETTINGS}"


class Patch(Value):
    """What a patch writes. `writable`: every target may be written, both ends of a move counted.
    `sandboxed`: a sandbox of Codex itself is meant to hold the write. `any_root`: some directory
    may be written. `platform_sandbox`: this machine has such a sandbox."""

    empty: bool = False
    writable: bool = True
    sandboxed: bool = True
    any_root: bool = True
    platform_sandbox: bool = True


class Safety(Value):
    """`auto`, `ask` or `reject`, and for the last why."""

    word: str
    reason: str | None = None


def patch_safety(patch: Patch, asking: AskingPolicy) -> Safety:
    """What happens with a patch.

    One that stays in its roots is still applied in the sandbox: a target may be a hard link.
    """
    if patch.empty:
        return Safety(REJECT, "empty patch")
    if asking.name == UNLESS_TRUSTED:
        return Safety(ASK)
    if patch.writable and (patch.platform_sandbox or not patch.sandboxed):
        return Safety(AUTO)
    if asking.name == NEVER or (asking.name == GRANULAR and not asking.sandbox_approval):
        if patch.writable:
            return Safety(REJECT, NO_SANDBOX)
        return Safety(REJECT, OUTSIDE if patch.any_root else READ_ONLY)
    return Safety(ASK)
