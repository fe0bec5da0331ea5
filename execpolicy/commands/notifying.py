"""Tells a program of the user's about a question, and takes the answer that it may give.

The setting `notify` names the program. It gets the question as JSON on stdin and may print an
object with `answer` (`once`, `session`, `reject`) and `because`; that counts as a terminal's
answer. What `signed` holds counts as what it proves. Whatever goes wrong with it, the question
still waits.
"""

import json
import os
import shlex
import subprocess
import sys

from execpolicy.approvals.clock import now
from execpolicy.approvals.signatures import statement
from execpolicy.commands import replying
from execpolicy.commands.replying import answer_to
from execpolicy.model.approval import Life, Question
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.ledger.questions import as_dict
from execpolicy.store.sources.settings import load
from execpolicy.support.resources import python

SECONDS = 600.0
"""How long the program may take."""
MAX_BYTES = 65536
_KEPT = ("HOME", "PATH", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS")
_FOUND = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
_ANSWERS = {life.word: life for life in (Life.ONCE, Life.SESSION, Life.REJECT)}


def start(question: Question) -> None:
    """Tell about a question in a process of its own, which the caller does not wait for."""
    environment = {name: os.environ[name] for name in (*_KEPT, *_FOUND) if name in os.environ}
    _running[:] = [each for each in _running if each.poll() is None]
    started = subprocess.Popen(
        [*python(), "execpolicy.commands.notifying", question.id],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        env=environment,
        start_new_session=True,
    )
    _running.append(started)


_running: list[subprocess.Popen[bytes]] = []
"""Processes that a server started and has to wait for some day."""


def answer_of(question: Question, words: list[str]) -> dict[str, object]:
    """The object that the program prints; an empty one where it fails or takes too long."""
    sent = json.dumps(_sent(question)).encode()
    try:
        done = subprocess.run(words, input=sent, capture_output=True, timeout=SECONDS, check=False)
        given = json.loads(done.stdout[:MAX_BYTES] or b"{}")
    except (OSError, subprocess.SubprocessError, ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) and not done.returncode else {}


def _sent(question: Question) -> dict[str, object]:
    """A question as the program gets it: with what is to be signed for each answer."""
    at = now().wall
    statements = {
        word: statement(question, answer_to(question, life), at) for word, life in _ANSWERS.items()
    }
    return {**as_dict(question), "statements": statements}


def main(name: str) -> None:
    """Tell about the question with this id, and give its answer."""
    words = shlex.split(load().notify)
    if not words:
        return
    try:
        question = replying.waiting(name)
        _give(question, answer_of(question, words))
    except (ExecPolicyError, OSError):
        return


def _give(question: Question, given: dict[str, object]) -> None:
    """Give the answer of an object, if it has one."""
    signed, because = given.get("signed"), given.get("because")
    if isinstance(signed, str):
        replying.answer_signed(signed)
        return
    life = _ANSWERS.get(str(given.get("answer")))
    if life is not None and (question.remembered or life is not Life.SESSION):
        feedback = because if isinstance(because, str) else None
        replying.answer(question, life, feedback=feedback, by=replying.NOTIFIED)


if __name__ == "__main__":
    main(sys.argv[1])
