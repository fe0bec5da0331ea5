"""What a terminal types after a command has ended: answers for the command, not for the shell."""

import os
import subprocess
from pathlib import Path

import pytest

from execpolicy.sandbox.backends.streams.queries import Queries
from tests.sandbox.test_run import ROOT, command
from tests.terminal import Screen, Terminal
from tests.waiting import HANG_SECONDS

SEEN = [
    ([b"hello\r\n"], False),
    ([b"\x1b[31mred\x1b[0m \x1b[2J\x1b[1;1H"], False),
    ([b"\x1b]0;a title\x07"], False),
    ([b"\x1b[?25l\x1b[?1049h"], False),
    ([b"\x1b[8;24;80t"], False),
    ([b"\x1b[6n"], True),
    ([b"text \x1b[", b"6n"], True),
    ([b"\x1b[c"], True),
    ([b"\x1b[>0q"], True),
    ([b"\x1b[18t"], True),
    ([b"\x1b]11;?\x07"], True),
    ([b"\x1b]4;1;?\x1b\\"], True),
    ([b"\x1bP+q544e\x1b\\"], True),
    ([b"\x1b[?2026$p"], True),
    ([b"\x05"], True),
]


@pytest.mark.parametrize(("pieces", "asked"), SEEN)
def test_what_asks_a_terminal(pieces: list[bytes], asked: bool) -> None:
    queries = Queries()
    for piece in pieces:
        queries.see(piece)
    assert queries.asked is asked


def at_a_shell(project: Path, text: str) -> Terminal:
    """A run, and after it a line that the shell reads."""
    words = ["bash", "-c", '"$@"; echo END; read -r line; echo "got:$line."', "bash"]
    return Terminal([*words, *command(project, "-c", text)], ROOT, {**os.environ, "TERM": "xterm"})


def test_an_answer_of_the_terminal_does_not_come_to_the_shell(project: Path) -> None:
    with at_a_shell(project, r"printf '\033[6n'") as screen:
        screen.until("\x1b[6n")
        screen.until("\x1b[c")
        screen.type("\x1b[5;5R\x1b[?62c")
        screen.until("END")
        screen.type("typed\n")
        screen.until("got:typed.")


def test_a_terminal_that_tells_nothing_holds_nothing_up(project: Path) -> None:
    with at_a_shell(project, r"printf '\033[6n'") as screen:
        screen.until("END")
        screen.type("typed\n")
        screen.until("got:typed.")


def test_a_terminal_of_another_session_is_a_terminal_inside(project: Path) -> None:
    outer, inner = os.openpty()
    words = command(project, "-c", "test -t 0 && test -t 1 && read -r line && echo got:$line.")
    process = subprocess.Popen(
        words, cwd=ROOT, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
    )
    screen = Screen(outer)
    screen.type("typed\n")
    screen.until("got:typed.")
    assert process.wait(HANG_SECONDS) == 0
    os.close(inner)
    os.close(outer)
