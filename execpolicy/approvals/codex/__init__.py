"""Codex's approvals: who is asked under which policy, what is remembered, when it tries again.

The five policies, the requirement of a command, of a tool and of a patch, the keys of remembered
answers and the table of retries, as openai/codex has them (`core/src/exec_policy.rs`,
`core/src/tools/sandboxing.rs`, `core/src/safety.rs`, `core/src/tools/orchestrator.rs`). Where our
own flow differs on purpose stands in docs/approvals.md.
"""

from execpolicy.approvals.codex.attempt import first_attempt as first_attempt
from execpolicy.approvals.codex.attempt import retry as retry
from execpolicy.approvals.codex.keys import SessionCache as SessionCache
from execpolicy.approvals.codex.keys import keys as keys
from execpolicy.approvals.codex.network import host_decision as host_decision
from execpolicy.approvals.codex.patch import patch_safety as patch_safety
from execpolicy.approvals.codex.policy import AskingPolicy as AskingPolicy
from execpolicy.approvals.codex.requirement import Forbidden as Forbidden
from execpolicy.approvals.codex.requirement import NeedsApproval as NeedsApproval
from execpolicy.approvals.codex.requirement import Skip as Skip
from execpolicy.approvals.codex.requirement import default_requirement as default_requirement
from execpolicy.approvals.codex.requirement import requirement as requirement
from execpolicy.approvals.codex.review import hook_mode as hook_mode
from execpolicy.approvals.codex.review import one_shot as one_shot
from execpolicy.approvals.codex.review import settled as settled
