"""The errors of the sandbox."""

from execpolicy.model.errors import ExecPolicyError


class NoSandboxError(ExecPolicyError):
    """No sandbox can be made here; the message says what to do."""
