"""An agent at a terminal: what is typed, its size and its signals are those of the user's own."""

import fcntl
import shlex
import struct
import termios
from pathlib import Path

from tests.terminal import Terminal
from tests.wrap.support import environment, words


def at(project: Path, text: str) -> Terminal:
    return Terminal(words(project, ["bash", "-c", text]), project, environment())


def test_a_command_reads_what_is_typed(project: Path, home: Path) -> None:
    with at(project, 'python3 -c \'print("got", input("ask "))\'') as screen:
        screen.until("ask ")
        screen.type("this\r")
        screen.until("got this")
        assert screen.end() == 0


def test_a_command_sees_the_size(project: Path, home: Path) -> None:
    with at(project, "read -r x; stty size") as screen:
        fcntl.ioctl(screen.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
        screen.until("reaches")
        screen.type("\r")
        screen.until("33 77")
        assert screen.end() == 0


def test_an_interrupt_comes_to_the_command(project: Path, home: Path) -> None:
    text = "bash -c 'trap \"echo caught; exit 7\" INT; echo ready; sleep 60'; echo code $?"
    with at(project, f"trap : INT; {text}") as screen:
        screen.until("ready")
        screen.type("\x03")
        screen.until("caught")
        screen.until("code 7")
        assert screen.end() == 0


def test_the_agent_is_stopped_and_goes_on(project: Path, home: Path) -> None:
    """As a job of the user's shell, which sees it stop."""
    agent = ["bash", "-c", "echo ready; while :; do sleep 0.2; echo on; done"]
    line = " ".join(map(shlex.quote, words(project, agent)))
    script = f"set -m; {line}; echo stopped; fg > /dev/null; echo code $?"
    with Terminal(["bash", "-c", script], project, environment()) as screen:
        screen.until("ready")
        screen.type("\x1a")
        screen.until("stopped")
        screen.until("on")
        screen.type("\x03")
        screen.until("code 130")
