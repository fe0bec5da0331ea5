"""The questions that wait, as a page: what `pending` prints and `pending --watch` shows."""

import os
import shutil
from collections.abc import Sequence

from execpolicy.approvals.clock import now
from execpolicy.commands.render.pending_text import lines
from execpolicy.model.approval import Question
from execpolicy.store.ledger.ledger import PATIENT_SECONDS, Ledger

MIN_WIDTH, MAX_WIDTH = 40, 120


def questions() -> tuple[Question, ...]:
    """Every question that waits, the oldest first."""
    moment = now()
    try:
        with Ledger.open(seconds=PATIENT_SECONDS) as ledger:
            every = [waiting.question for waiting in ledger.waiting()]
    except FileNotFoundError:
        return ()
    return tuple(q for q in every if not moment.passed(q.until, q.at))


def page(every: Sequence[Question], columns: int) -> str:
    """The questions as lines, an empty one between two."""
    if not every:
        return "nothing waits\n"
    home, moment = os.path.expanduser("~"), now()
    blocks = ["\n".join(lines(question, moment, columns, home)) for question in every]
    return "\n\n".join(blocks) + "\n"


def width() -> int:
    """The columns to write in."""
    return max(MIN_WIDTH, min(shutil.get_terminal_size().columns, MAX_WIDTH))
