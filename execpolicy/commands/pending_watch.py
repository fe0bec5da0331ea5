"""The live page of `pending --watch`: the oldest questions, and one key for an answer."""

import os
import select
import sys
import termios
import tty
from collections.abc import Sequence

from execpolicy.commands import pending_page, replying
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.render.pending_text import wrapped
from execpolicy.model.approval import Life, Question
from execpolicy.model.errors import ExecPolicyError, printable

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
    page = Page()
    while True:
        page.read()
        sys.stdout.write(_CLEAR + page.screen(pending_page.width(), _rows()))
        sys.stdout.flush()
        key = _key()
        if key == "q":
            return
        page.press(key)


class Page:
    """Which question is shown, by itself and not by its number: answers come from elsewhere, too.

    A key that the user pressed while one question was replaced by another answers neither.
    """

    def __init__(self) -> None:
        self._every: Sequence[Question] = ()
        self._at = 0
        self._shown: Question | None = None
        self._replaced = False
        self._said = ""

    def read(self) -> None:
        """Take what waits now."""
        before, self._every = self._shown, pending_page.questions()
        ids = [each.id for each in self._every]
        if before is not None and before.id in ids:
            self._at = ids.index(before.id)
        elif before is not None:
            self._replaced = bool(ids)
            self._said = f"{before.code} waits no more: any key to go on"
        self._show(self._at)

    def _show(self, at: int) -> None:
        self._at = min(at, len(self._every) - 1) if self._every else 0
        self._shown = self._every[self._at] if self._every else None

    def screen(self, columns: int, rows: int) -> str:
        """What the terminal shows."""
        return screen(self._every, self._at, self._said, columns, rows)

    def press(self, key: str) -> None:
        """Do what a key means; empty is none."""
        if not key or self._shown is None:
            return
        if self._replaced:
            self._replaced, self._said = False, ""
        elif key in KEYS:
            self._said = answered(self._shown, key)
            self._shown = None  # the next takes its place
        elif key in ("j", "k"):
            self._show((self._at + (1 if key == "j" else -1)) % len(self._every))


def screen(every: Sequence[Question], at: int, said: str, columns: int, rows: int) -> str:
    """One screen: the chosen question whole, how many others wait, what was done last."""
    body = pending_page.page(every[at : at + 1], columns).splitlines()
    more = f"{at + 1} of {len(every)}  " if every else ""
    below = ["", *wrapped(said, columns, ""), *wrapped(more + _LEGEND, columns, "")]
    return "\n".join([*body[: max(1, rows - len(below))], *below])


def answered(question: Question, key: str) -> str:
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
