"""Approvals: who is asked, what an answer covers, how long it lasts, and what it settles.

A public module of its own. An approval is not a rule: it lowers PROMPT of one operation each, never
FORBIDDEN, never a floor, and never what memory may not answer (docs/approvals.md). Names are
imported when they are first used.

>>> from execpolicy import approvals
>>> approvals.Life.parse("always")
<Life.SESSION: 3>
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.approvals.library.call import Call as Call
    from execpolicy.approvals.library.manager import Permission as Permission
    from execpolicy.approvals.library.manager import PermissionManager as PermissionManager
    from execpolicy.approvals.library.manager import strictest_of as strictest_of
    from execpolicy.approvals.library.terminal import default_cli_prompt as default_cli_prompt
    from execpolicy.approvals.library.tools import RefusedError as RefusedError
    from execpolicy.approvals.library.tools import permitted as permitted
    from execpolicy.approvals.questions.labels import PROMPT
    from execpolicy.approvals.questions.labels import wrap_untrusted as wrap_untrusted
    from execpolicy.approvals.questions.questions import Asked as Asked
    from execpolicy.approvals.questions.questions import QuestionOutcome
    from execpolicy.approvals.questions.questions import Questions as Questions
    from execpolicy.approvals.questions.questions import Replied as Replied
    from execpolicy.approvals.questions.reviewers import Reviewer as Reviewer
    from execpolicy.approvals.questions.reviewers import command
    from execpolicy.approvals.remembered import Remembered as Remembered
    from execpolicy.approvals.settlement import settle as settle
    from execpolicy.model.approval import Answer as Answer
    from execpolicy.model.approval import Approval as Approval
    from execpolicy.model.approval import Asking as Asking
    from execpolicy.model.approval import Bounds as Bounds
    from execpolicy.model.approval import Confinement as Confinement
    from execpolicy.model.approval import Life as Life
    from execpolicy.model.approval import Moment as Moment
    from execpolicy.model.approval import Question as Question
    from execpolicy.model.approval import Reach as Reach
    from execpolicy.store.ledger.guard import LedgerError as LedgerError

    UNTRUSTED_PROMPT, Outcome, command_reviewer = PROMPT, QuestionOutcome, command

_HOMES = {
    "approvals.library.call": "Call",
    "approvals.library.manager": "Permission PermissionManager strictest_of",
    "approvals.library.terminal": "default_cli_prompt",
    "approvals.library.tools": "RefusedError permitted",
    "approvals.questions.labels": "UNTRUSTED_PROMPT:PROMPT wrap_untrusted",
    "approvals.questions.questions": "Asked Outcome:QuestionOutcome Questions Replied",
    "approvals.questions.reviewers": "Reviewer command_reviewer:command",
    "approvals.remembered": "Remembered",
    "approvals.settlement": "settle",
    "model.approval": "Answer Approval Asking Bounds Confinement Life Moment Question Reach",
    "store.ledger.guard": "LedgerError",
}

__all__ = sorted(name.partition(":")[0] for names in _HOMES.values() for name in names.split())


def __getattr__(name: str) -> object:
    from execpolicy.support import lazy_attribute

    return lazy_attribute(__name__, _HOMES, name)
