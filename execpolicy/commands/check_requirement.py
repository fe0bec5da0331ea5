"""`check --format requirement`: what Codex requires before it runs a command.

Rules of the files that are named, else of the user's layers; the shipped ones stay out of it. The
exit code is that of the decision: skip is allow, an approval is prompt.
"""

import json
import shlex
import sys

from execpolicy.approvals.codex import AskingPolicy, Forbidden, Skip
from execpolicy.approvals.codex.policy import filesystem
from execpolicy.approvals.codex.requirement import Requirement, ShellCall, requirement
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.options import CheckOptions
from execpolicy.language.builtins.examples import absolute
from execpolicy.model.errors import ExecPolicyError, UsageError
from execpolicy.store.store import Store
from execpolicy.support.json_encode import encode


def main(options: CheckOptions) -> ExitCode:
    """Print the requirement as one line of JSON."""
    argv = options.argv if options.text is None else ("bash", "-lc", options.text)
    if not argv:
        raise UsageError("no command: write `execpolicy check … -- COMMAND…`")
    try:
        asking, kind = _asking(options), filesystem(options.sandbox_policy or "workspace-write")
    except ExecPolicyError as error:
        raise UsageError(str(error)) from None
    store = Store(options.rules and list(options.rules), builtin=False, cwd=options.cwd)
    prefix = None if options.prefix_rule is None else _words(options.prefix_rule)
    command = ShellCall(argv, options.sandbox_permissions or "use_default", prefix)
    found = requirement(command, store.current.policy, asking, kind, absolute)
    sys.stdout.write(encode(as_wire(found)) + "\n")
    return _CODES[type(found).__name__]


_CODES = {
    "Skip": ExitCode.ALLOW,
    "NeedsApproval": ExitCode.PROMPT,
    "Forbidden": ExitCode.FORBIDDEN,
}


def _words(text: str) -> tuple[str, ...]:
    """The words of a prefix, quoted as in a shell."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"`--prefix-rule` is not a list of words: {error}") from None


def _asking(options: CheckOptions) -> AskingPolicy:
    """The policy by its name and flags, or as the JSON of Codex's configuration."""
    text = options.approval_policy or "on-request"
    if text[:1] != "{":
        return AskingPolicy.parse(text)
    try:
        return AskingPolicy.of(json.loads(text))
    except ValueError as error:
        raise UsageError(f"`--approval-policy` is not valid JSON: {error}") from None


def as_wire(found: Requirement) -> dict[str, object]:
    """The requirement as JSON has it."""
    if isinstance(found, Forbidden):
        return {"requirement": "forbidden", "reason": found.reason}
    amendment = None if found.amendment is None else list(found.amendment)
    if isinstance(found, Skip):
        skip = {"requirement": "skip", "bypass_sandbox": found.bypass_sandbox}
        return {**skip, "amendment": amendment}
    return {"requirement": "needs_approval", "reason": found.reason, "amendment": amendment}
