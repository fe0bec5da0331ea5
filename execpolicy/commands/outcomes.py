"""What became of each line of the log: the decision joined with its question and its answer, and
where the host asked by itself, with what the host's own transcript says."""

import os
import re
from bisect import bisect_right
from collections.abc import Iterable

from execpolicy.commands.host_records import MOMENT, HostRecords
from execpolicy.commands.log_line import seconds
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.store.ledger.codec import unpack
from execpolicy.store.ledger.ledger import OPEN, PATIENT_SECONDS, Ledger, Waiting
from execpolicy.store.log_lines import Line
from execpolicy.support.record import Value

RAN, SANDBOX, REFUSED = "ran", "ran in the sandbox", "refused"
YES, NO, ASKED, WAITS, LATE = "asked: yes", "asked: no", "asked", "waits", "asked: no answer"
PASSED = "asked: ran"
"""It asks here, and the host ran it: its user said yes, there or by a list of the host."""
OUTCOMES = (RAN, SANDBOX, YES, PASSED, NO, ASKED, LATE, WAITS, REFUSED)
STYLES = {RAN: "green", SANDBOX: "green", YES: "green", PASSED: "green", NO: "red", REFUSED: "red"}
"""How each is shown; the rest is neither yes nor no."""
_BY_HOST = {"ran": PASSED, "refused by a person": NO, "refused by the host": REFUSED}
_BY = re.compile(r"approved by (\S+) \((\w+)\)")


class CallOutcome(Value):
    """What became of a call, in a word, and who said what to it."""

    word: str
    more: str = ""

    def __str__(self) -> str:
        more = self.more if self.word == WAITS else f"({self.more})"
        return f"{self.word} {more}" if self.more else self.word


class Outcomes:
    """Tells outcomes by the questions of the ledger and by the hosts' own records; without these by
    the log alone."""

    def __init__(self, asked: Iterable[Waiting], records: HostRecords | None = None) -> None:
        self._records = records
        self._asked: dict[tuple[str, str], list[Waiting]] = {}
        for each in asked:
            above = each.question.parents or (each.question.session,)
            name = unpack(above[-1])
            key = (name[1] or "" if len(name) > 1 else "", each.question.request)
            self._asked.setdefault(key, []).append(each)

    @classmethod
    def load(cls) -> "Outcomes":
        """With the questions and the transcripts of this user."""
        records = HostRecords(os.path.expanduser("~"))
        try:
            with Ledger.open(seconds=PATIENT_SECONDS) as ledger:
                return cls(ledger.asked(), records)
        except (FileNotFoundError, ExecPolicyError):
            return cls((), records)

    def of(self, line: Line) -> CallOutcome:
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

    def _answered(self, line: Line) -> CallOutcome:
        found = self._question(line)
        if found is None:
            word = _BY_HOST.get(self._records.outcome(line)) if self._records else None
            return CallOutcome(word, f"in {line['agent']}") if word else CallOutcome(ASKED)
        if found.state == OPEN:
            return CallOutcome(WAITS, found.question.code)
        word = {"allowed": YES, "rejected": NO, "corrected": NO}.get(found.outcome or "", LATE)
        return CallOutcome(word, printable(found.feedback or "", 200))

    def _question(self, line: Line) -> Waiting | None:
        """The last question that this call, or one like it in its session, left until then."""
        key = (str(line.get("session", "")), str(line.get("command", "")))
        every = self._asked.get(key, [])
        at = bisect_right(every, seconds(line) + MOMENT, key=lambda w: w.question.at.wall)
        return every[at - 1] if at else None
