"""A decider of a test's own, and the same question put to the command line in this process."""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from execpolicy.commands.check_jsonl import LineStream
from execpolicy.commands.check_jsonl import read as read_line
from execpolicy.commands.options import CheckOptions
from execpolicy.commands.remember import remembered
from execpolicy.engine.engine import Engine
from execpolicy.serve.decider import Decider, Job, Result, Work
from execpolicy.serve.inputs import gathered
from execpolicy.serve.standing_in import Installed
from tests.catalogue.shipped import RULES, programs
from tests.waiting import HANG_SECONDS

HERE = Path(__file__).parent


@contextmanager
def deciding() -> Iterator[Decider]:
    """A decider that runs, for the process of the test."""
    with Installed():
        decider = Decider(gathered())
        decider.start()
        try:
            yield decider
        finally:
            decider.stop()


def result(decider: Decider, work: Work, given: Mapping[str, object]) -> Result:
    """What becomes of one request, with the client's fields."""
    done = threading.Event()
    found: list[Result] = []

    def tell(one: Result) -> None:
        found.append(one)
        done.set()

    decider.submit(Job(given, work, tell, time.monotonic() + HANG_SECONDS))
    assert done.wait(HANG_SECONDS)
    return found[0]


def lines(commands: Sequence[object]) -> list[bytes]:
    """The lines of `check --jsonl` for texts, or for lists of words."""
    return [
        json.dumps({"command" if isinstance(each, str) else "argv": each}).encode()
        for each in commands
    ]


def by_process(
    given: Sequence[bytes],
    host: str | None = None,
    mode: str | None = None,
    session: str | None = None,
) -> bytes:
    """What `execpolicy check --jsonl` writes, begun anew as the command line begins."""
    options = CheckOptions(jsonl=True, cwd=os.getcwd(), host=host, mode=mode, session=session)
    engine = Engine.load(cwd=options.cwd, audit=True, approvals=remembered(host or "", session))
    stream = LineStream(engine, options)
    with engine.together() as together:
        return "".join(
            f"{stream.reply(read_line(line, options), together)}\n" for line in given
        ).encode()


def commands() -> list[str]:
    """The examples of all entries, and the commands of the tables in `tests/catalogue`."""
    found = [
        example
        for path in RULES
        for program in programs(path)
        for _, examples in program.examples
        for example in examples
        if isinstance(example, str)
    ]
    for name in ("wrappers", "changes", "gets", "remote"):
        text = (HERE.parent / "catalogue" / f"{name}.txt").read_text()
        found += [line.lstrip("=,( ") for line in text.splitlines() if line and line[0] != "#"]
    return list(dict.fromkeys(found))


def called(text: str, cwd: str) -> bytes:
    """A call of Claude Code's shell."""
    call = {
        "session_id": "s1",
        "cwd": cwd,
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": text},
    }
    return json.dumps(call).encode()
