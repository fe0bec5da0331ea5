"""What became of each line of the log: the decision joined with its question and its answer."""

import re
from bisect import bisect_right

from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.ledger.codec import unpack
from execpolicy.store.ledger.ledger import OPEN, PATIENT_SECONDS, Ledger
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from execpolicy.store.ledger.ledger import Waiting
    from execpolicy.store.log_lines import Line

RAN, SANDBOX, REFUSED = "ran", "ran in the sandbox", "refused"
YES, NO, ASKED, WAITS, LATE = "asked: yes", "asked: no", "asked", "waits", "asked: no answer"
OUTCOMES = (RAN, SANDBOX, YES, NO, ASKED, LATE, WAITS, REFUSED)
STYLES = {RAN: "green", SANDBOX: "green", YES: "green", NO: "red", REFUSED: "red"}
"""How each is shown; the rest is neither yes nor no."""
MOMENT = 5.0
"""Seconds between a line of the log and its question."""
_BY = re.compile(r"approved by (\S+) \((\w+)\)")


class CallOutcome(Value):
    """What became of a call, in a word, and who said what to it."""

    word: str
    more: str = ""


class Outcomes:
    """Tells outcomes by the questions of the ledger; without one by the log alone."""

    def __init__(self, asked: "Iterable[Waiting]") -> None:
        self._asked: dict[tuple[str, str], list[Waiting]] = {}
        for each in asked:
            above = each.question.parents or (each.question.session,)
            name = unpack(above[-1])
            key = (name[1] or "" if len(name) > 1 else "", each.question.request)
            self._asked.setdefault(key, []).append(each)

    @classmethod
    def load(cls) -> "Outcomes":
        """With the questions of this user."""
        try:
            with Ledger.open(seconds=PATIENT_SECONDS) as ledger:
                return cls(ledger.asked())
        except (FileNotFoundError, ExecPolicyError):
            return cls(())

    def of(self, line: "Line") -> CallOutcome:
        """What became of the call of a line."""
        decision, way = line.get("decision"), line.get("way")
        if decision == "forbidden":
            return CallOutcome(REFUSED)
        approved = _BY.search(str(line.get("approved", "")))
        if approved is not None:
            return CallOutcome(YES, f"by {approved[1]}")
        if decision == "allow":
            return CallOutcome(SANDBOX if way else RAN)
        if way == "confined" and line.get("confined") == "allow":
            return CallOutcome(SANDBOX)
        return self._answered(line)

    def _answered(self, line: "Line") -> CallOutcome:
        found = self._question(line)
        if found is None:
            return CallOutcome(ASKED)
        if found.state == OPEN:
            return CallOutcome(WAITS, found.question.code)
        word = {"allowed": YES, "rejected": NO, "corrected": NO}.get(found.outcome or "", LATE)
        return CallOutcome(word, printable(found.feedback or "", 200))

    def _question(self, line: "Line") -> "Waiting | None":
        """The last question that this call, or one like it in its session, left until then."""
        key = (str(line.get("session", "")), str(line.get("command", "")))
        every = self._asked.get(key, [])
        at = bisect_right(every, seconds(line) + MOMENT, key=lambda w: w.question.at.wall)
        return every[at - 1] if at else None


def seconds(line: "Line") -> float:
    """When a line was written, by the wall clock; 0 where it does not say."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(str(line.get("time"))).timestamp()
    except ValueError:
        return 0.0


def programs(line: "Line") -> "list[str]":
    """The programs among the operations of a line."""
    operations = line.get("operations")
    every = operations if isinstance(operations, list) else []
    return [str(o["program"]) for o in every if isinstance(o, dict) and "program" in o]
