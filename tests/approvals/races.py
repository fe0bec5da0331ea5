"""One process of the race: asks, replies, claims, uses and revokes, until its work is done or it is
killed. What it was told is acknowledged goes to its own file, a line each.

`python -m tests.approvals.races NUMBER ROUNDS FILE [POINT]`: it kills itself at the point, when it
comes there for the second time.
"""

import os
import random
import signal
import sys
import time

from execpolicy.model.approval import Approval, Bounds, Confinement, Moment, Question, Reach
from execpolicy.store.ledger import ledger as book
from execpolicy.store.ledger.guard import LedgerError
from execpolicy.store.ledger.ledger import Ledger

USES = 3
POINTS = ("asking", "half answered", "answering", "spent", "told")
"""The question, the end of it, or the approval too is written and not committed; the use is
committed and not told; the use is told."""
_doom: list[str] = []
"""The point at which this process dies, once for each time that it may come there."""


def reach(point: str) -> None:
    """Die here, if it is here that this process is to die."""
    if _doom[-1:] == [point]:
        _doom.pop()
        if not _doom:
            os.kill(os.getpid(), signal.SIGKILL)


def question(name: str) -> Question:
    """A question that differs from others in its name alone."""
    now = Moment(time.time(), time.monotonic())
    reach = Reach("exec", exact=name)
    return Question(
        name, name[-6:], name, "x", ("why",), ((reach,),), "s", "/p", now, now.after(600), "d"
    )


def approval(name: str) -> Approval:
    """An approval that may be used three times."""
    now = Moment(time.time(), time.monotonic())
    bounds = Bounds(Confinement.NONE, uses=USES)
    return Approval(f"a-{name}", Reach("exec", exact=name), bounds, "user", now, name)


def work(number: int, rounds: int, note: int) -> None:
    """Every process works on the same names, in an order of its own."""
    order = list(range(rounds))
    random.Random(number).shuffle(order)  # noqa: S311
    with _opened() as ledger:
        for each in order:
            for step in (_ask, _answer, _spend):
                _until_done(step, ledger, f"q{each:05d}", note)


def _opened() -> Ledger:
    """The ledger, which others may hold for longer than its busy limit."""
    while True:
        try:
            return Ledger.open(create=True)
        except LedgerError as error:
            if "locked" not in str(error):
                raise


def _until_done(step: object, ledger: Ledger, name: str, note: int) -> None:
    while True:
        try:
            said = step(ledger, name)  # type: ignore[operator]
        except LedgerError as error:
            if "locked" not in str(error):
                raise
            continue
        if said:
            if said == "used":
                reach("spent")
            os.write(note, f"{said} {name}\n".encode())
            if said == "used":
                reach("told")
        return


def _ask(ledger: Ledger, name: str) -> str:
    if ledger.question(name) is not None:
        return ""
    with ledger.writing():
        if ledger.question(name) is None:
            ledger.ask(question(name), time.time())
            reach("asking")
            return "asked"
    return ""


def _answer(ledger: Ledger, name: str) -> str:
    with ledger.writing():
        if not ledger.end(name, book.ANSWERED, "allowed", None, time.time()):
            return ""
        reach("half answered")
        ledger.approve(approval(name), time.time())
        reach("answering")
    return "answered"


def _spend(ledger: Ledger, name: str) -> str:
    found = ledger.find([f"x:{name}"])
    return "used" if found and ledger.spend(found, time.time()) else ""


if __name__ == "__main__":
    _doom += sys.argv[4:] * 2
    work(int(sys.argv[1]), int(sys.argv[2]), os.open(sys.argv[3], os.O_WRONLY | os.O_APPEND))
