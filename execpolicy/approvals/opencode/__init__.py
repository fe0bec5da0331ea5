"""opencode's permissions: its rules, its configuration, what "always" remembers, ask and reply.

As the shipped 1.18 evaluates them, of both generations of its service. Where our own flow differs
on purpose stands in docs/approvals.md.
"""

from execpolicy.approvals.opencode.arity import pattern as pattern
from execpolicy.approvals.opencode.arity import prefix as prefix
from execpolicy.approvals.opencode.config import from_config as from_config
from execpolicy.approvals.opencode.rules import Rule as Rule
from execpolicy.approvals.opencode.rules import disabled as disabled
from execpolicy.approvals.opencode.rules import evaluate as evaluate
from execpolicy.approvals.opencode.service import Reply as Reply
from execpolicy.approvals.opencode.service import Request as Request
from execpolicy.approvals.opencode.service import Result as Result
from execpolicy.approvals.opencode.service import Service as Service
