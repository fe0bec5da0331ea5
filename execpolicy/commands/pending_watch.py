"""The live page of `pending --watch`: the oldest questions, and one key for an answer."""

import os
import select
import sys
import termios
import tty

from execpolicy.commands import pending_page, replying
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.render.pending_text import wrapped
from execpolicy.model.approval import Life
from execpolicy.model.errors import ExecPolicyError, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.model.approval import Question

SECONDS = 1.0
"""How long a key is waited for before the questions are read again."""
TEN_MINUTES = 600.0
_CLEAR, _HIDE, _SHOW = "\x1b[H\x1b[2J", "\x1b[?25l", "\x1b[?25h"
_OTHER_SCREEN, _OWN_SCREEN = "\x1b[?1049h", "\x1b[?1049l"
KEYS = {
    "y": (Life.ONCE, None),
    "s": (Life.SESSION, None),
    "t": (Life.TIMED, TEN_MINUTES),
    "n": (Life.REJECT, None),
}
_LEGEND = "y once  s session  t ten minutes  n no  j next  k previous  q quit"


def watch() -> ExitCode:
    """Show what waits until the user leaves."""
    before = termios.tcgetattr(0)
    sys.stdout.write(_OTHER_SCREEN + _HIDE)
    try:
        tty.setcbreak(0)
        _turns()
    except KeyboardInterrupt:
        pass
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        sys.stdout.write(_SHOW + _OWN_SCREEN)
    return ExitCode.ALLOW


def _turns() -> None:
    chosen, said = "", ""
    while True:
        every = pending_page.questions()
        at = next((n for n, each in enumerate(every) if each.id == chosen), 0)
        chosen = every[at].id if every else ""
        sys.stdout.write(_CLEAR + screen(every, at, said, pending_page.width(), _rows()))
        sys.stdout.flush()
        key = _key()
        if key == "q":
            return
        if key in KEYS and every:
            said = answered(every[at], key)
        elif key in ("j", "k") and every:
            chosen = every[(at + (1 if key == "j" else -1)) % len(every)].id


def screen(every: "Sequence[Question]", at: int, said: str, columns: int, rows: int) -> str:
    """One screen: the chosen question whole, how many others wait, what was done last."""
    body = pending_page.page(every[at : at + 1], columns).splitlines()
    more = f"{at + 1} of {len(every)}  " if every else ""
    below = ["", *wrapped(said, columns, ""), *wrapped(more + _LEGEND, columns, "")]
    return "\n".join([*body[: max(1, rows - len(below))], *below])


def answered(question: "Question", key: str) -> str:
    """Give the answer of a key; a line that says what became of it."""
    life, seconds = KEYS[key]
    if life in (Life.SESSION, Life.TIMED) and not question.remembered:
        return f"{question.code} is asked each time it comes: y or n"
    try:
        replying.answer(question, life, seconds=seconds)
    except (ExecPolicyError, OSError) as error:
        return printable(str(error), 200)
    return f"{question.code}: {'no' if life is Life.REJECT else life.word}"


def _key() -> str:
    ready, _, _ = select.select([0], [], [], SECONDS)
    return os.read(0, 1).decode("ascii", "replace") if ready else ""


def _rows() -> int:
    return os.get_terminal_size().lines
