"""Whether a command runs in the sandbox, and what happens when the sandbox refused it."""

from execpolicy.approvals.codex.policy import ESCALATED, GRANULAR, NEVER, ON_REQUEST, AskingPolicy
from execpolicy.approvals.codex.requirement import Requirement, Skip
from execpolicy.approvals.codex.review import DENY_ONLY, NOT_ASKED
from execpolicy.model.split import RESTRICTED
from execpolicy.support.record import Value

PATCH = "apply_patch"
COMMAND_FAILED = "command failed; retry without sandbox?"

NO_NETWORK, HOST, NO_HOST = "none", "host", "decision without a host"
"""What a sandbox said about the network: nothing, that a host was refused, or a refusal that names
no usable host."""


class Denial(Value):
    """A call that the sandbox refused, and how it was started.

    `asked`: the user approved the first attempt. `one_shot`: its approval is for that attempt only.
    `escalates`: the tool can run without the sandbox. `strict_review`: an automatic reviewer looks
    at every attempt. `denied_reads`: the policy hides some path, which only the sandbox enforces.
    """

    tool: str
    asked: bool = False
    one_shot: bool = False
    network: str = NO_NETWORK
    host: str = ""
    denied_reads: bool = False
    strict_review: bool = False
    escalates: bool = True


class Retry(Value):
    """The call runs again. `reason` is what the user is asked, None where no question is put, and
    `hooks` what approval hooks may answer then."""

    sandboxed: bool
    reason: str | None = None
    hooks: str | None = None

    @property
    def asks_again(self) -> bool:
        """Whether the user is asked first."""
        return self.reason is not None


def first_attempt(permissions: str, required: Requirement, denied_reads: bool) -> bool:
    """Whether the first attempt runs in the sandbox, as configured.

    While a path must not be read it always does: nothing but the sandbox enforces that.
    """
    bypass = isinstance(required, Skip) and required.bypass_sandbox
    return denied_reads or not (bypass or permissions == ESCALATED)


def retry(denial: Denial, asking: AskingPolicy, filesystem: str) -> Retry | None:
    """What follows a denial by the sandbox; None where the denial stands."""
    host = denial.network == HOST
    if denial.network == NO_HOST or not denial.escalates:
        return None
    about_host = host and asking.name == ON_REQUEST and filesystem == RESTRICTED
    if not (_wanted(denial.tool, asking) or about_host):
        return None
    if denial.denied_reads and not host:
        return None
    if denial.asked and not (host or denial.one_shot or denial.strict_review):
        return Retry(sandboxed=False)
    reason = f'Network access to "{denial.host}" is blocked by policy.' if host else COMMAND_FAILED
    return Retry(denial.denied_reads, reason, NOT_ASKED if denial.strict_review else DENY_ONLY)


def _wanted(tool: str, asking: AskingPolicy) -> bool:
    """Whether the policy wants the user asked after a denial."""
    if asking.name == ON_REQUEST:
        return tool == PATCH
    return asking.name != NEVER and not (asking.name == GRANULAR and not asking.sandbox_approval)
