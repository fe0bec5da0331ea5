"""What the user says about a host, and the words in which that is asked and answered."""

from typing import Literal

from execpolicy.model.errors import printable
from execpolicy.policy.network_hosts import Attempt, Ruling
from execpolicy.support.record import Value

Width = Literal["once", "session", "always", "no", "never"]

MAX_REASON = 300


class ProxyAnswer(Value):
    """What came of a question. `remembered`: it holds for the same question from now on.

    `by_user`: the user gave it; else there was no answer, and `why` says why not.
    """

    allowed: bool
    remembered: bool = False
    why: str = ""
    by_user: bool = True


class TypedAnswer(Value):
    """One line that the user typed: how long it holds, and a reason against it."""

    width: Width
    reason: str = ""


class Offered(Value):
    """What may be answered to one question.

    `rule` is what `always` writes, empty where no rule can allow it. `session` is False where
    nothing can be remembered. `once` says in words how long that lasts, and is empty where it is
    too late for it.
    """

    rule: str = ""
    session: bool = True
    once: str = "once"


def text(attempt: Attempt, ruling: Ruling, who: str, offered: Offered) -> str:
    """The question, on several lines, the last one open. No control sequence is left in it."""
    way = "" if attempt.protocol == "http" else " through a tunnel"
    method = f"{attempt.method} " if attempt.method else ""
    at = f" (at {attempt.resolved})" if attempt.resolved else ""
    lines = [
        f"execpolicy: {printable(who, 200)} wants to reach {method}{attempt}{at}{way}",
        f"  {printable(ruling.why, 300)}",
    ]
    if offered.rule:
        lines.append(f"  always is: {printable(offered.rule, 300)}")
    return "\n".join([*lines, f"  {_choices(offered)} "])


def _choices(offered: Offered) -> str:
    keys = [f"[y]es, {offered.once}"] if offered.once else []
    keys += ["for this [s]ession"] if offered.session else []
    keys += ["[a]lways"] if offered.rule else []
    return f"allow it? {', '.join(keys)}, [N]o, ne[v]er, or a reason against it:"


def understood(line: str, offered: Offered) -> TypedAnswer | None:
    """What a typed line means; None where it has to be asked again."""
    line = line.strip()
    word = line.lower()
    if word in ("", "n", "no"):
        return TypedAnswer("no")
    if word in ("v", "never"):
        return TypedAnswer("never")
    if word in ("y", "yes"):
        return TypedAnswer("once") if offered.once else None
    if word in ("s", "session"):
        return TypedAnswer("session") if offered.session else None
    if word in ("a", "always"):
        return TypedAnswer("always") if offered.rule else None
    return TypedAnswer("no", printable(line, MAX_REASON)) if len(line) > 1 else None
