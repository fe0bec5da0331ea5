"""A hook that waits for the answer to its question, for less time than its host lets it take."""

import os
import signal
import time

from execpolicy.hosts.install.timeouts import MARGIN, limit
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.ledger.ledger import OPEN, Ledger, Waiting
from execpolicy.store.sources.settings import Settings
from execpolicy.support import watching

PAUSE = 0.2


def answered(
    waiting: "Waiting", host: str, root: str | None, began: float, settings: "Settings"
) -> "Waiting":
    """The question once it is answered, or as it is when the time since `began` is over.

    What watches the hook's time rests meanwhile.
    """
    ends = began + min(settings.wait_seconds, limit(host, root or "") - MARGIN)
    parent, watching.here.never_again = os.getppid(), True
    watched, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    while waiting.state == OPEN and time.monotonic() < ends and os.getppid() == parent:
        time.sleep(PAUSE)
        waiting = _now(waiting)
    signal.setitimer(signal.ITIMER_REAL, MARGIN / 2 if watched else 0)
    return waiting


def _now(waiting: "Waiting") -> "Waiting":
    """The question as it stands; as it was where the ledger is busy."""
    try:
        with Ledger.open() as ledger:
            return ledger.question(waiting.question.id) or waiting
    except (ExecPolicyError, OSError):
        return waiting
