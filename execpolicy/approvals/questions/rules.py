"""Answers for good: they write a rule as `execpolicy amend` does, or are refused as there."""

from execpolicy.model.approval import Life, Question
from execpolicy.model.decision import Decision
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store import amend

LAYERS = {Life.PROJECT: "project", Life.USER: "user"}


def write(question: Question, life: Life, *, dry: bool = False) -> amend.Change:
    """The change of the rules file that makes an answer hold for a project or for the user.

    Raises `ExecPolicyError` where no rule could allow it, where every prefix that would is banned,
    or where the file is not this user's own. With `dry` nothing is written.
    """
    from execpolicy.engine.offers.amend import Amending

    if not question.prefixes:
        raise ExecPolicyError("no rule can allow this for good: answer `once` or `session`")
    layer = LAYERS[life]
    path = amend.target(layer, question.cwd)
    amending = Amending(layer, path, question.cwd, question.below)
    rules = amending.rules(question.prefixes, Decision.ALLOW, None)
    if not dry:
        amend.prepare(layer, path)

    def verify(content: bytes) -> None:
        amending.refuse(question.prefixes, Decision.ALLOW)
        amending.verify(content, question.prefixes, Decision.ALLOW)

    return amend.append(layer, path, rules, question.request, verify, dry=dry)


def shown(change: amend.Change) -> str:
    """The change as a unified diff."""
    from difflib import unified_diff

    old, new = (c.decode("utf-8", "replace").splitlines() for c in (change.before, change.after))
    lines = unified_diff(old, new, change.path, change.path, lineterm="")
    return "".join(f"{line}\n" for line in lines)
