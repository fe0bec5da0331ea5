"""Two checkouts of the project side by side: where their Python is, and what their engines say."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_DECIDE = """
import json, sys, gc, time
gc.disable()
from execpolicy.engine.engine import Engine
from execpolicy.engine.wire import to_wire
from execpolicy import Request
engine = Engine.load(rules=[])
for line in sys.stdin:
    asked = json.loads(line)
    try:
        argv = asked.get("argv")
        request = Request(asked.get("text"), argv and tuple(argv), asked.get("cwd"))
        started = time.process_time()
        verdict = engine.decide(request)
        took = time.process_time() - started
        said = to_wire(verdict)
        said.pop("policy")
    except Exception as error:
        said, took = {"error": f"{type(error).__name__}: {error}"}, 0
    sys.stdout.write(json.dumps([took, said], sort_keys=True) + "\\n")
    sys.stdout.flush()
"""


class Answer(NamedTuple):
    """What an engine said to one request, without the digest, and the seconds it took."""

    seconds: float
    verdict: str


class Checkout:
    """A directory with the project, and the Python of its `.venv` or else this one."""

    def __init__(self, directory: str) -> None:
        self.directory = Path(directory).resolve()
        own = self.directory / ".venv/bin/python"
        self.python = str(own if own.exists() else sys.executable)

    @property
    def environment(self) -> dict[str, str]:
        """The variables under which this checkout is the one that is imported."""
        return {**os.environ, "PYTHONPATH": str(self.directory)}

    def command(self, *arguments: str) -> list[str]:
        """The command line of this checkout, started as a hook starts it but for `-I`."""
        return [self.python, "-m", "execpolicy", *arguments]

    def compile(self) -> None:
        """Make the bytecode, so that no start has to."""
        command = [self.python, "-m", "compileall", "-q", str(self.directory / "execpolicy")]
        subprocess.run(command, check=True)

    def engine(self, cwd: str) -> "Conversation":
        """A process that decides with this checkout's engine, started in `cwd`."""
        return Conversation(self, cwd)


class Conversation:
    """An engine in a process of its own, asked one request after the other."""

    def __init__(self, checkout: Checkout, cwd: str) -> None:
        self._process = subprocess.Popen(
            [checkout.python, "-c", _DECIDE],
            env=checkout.environment,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._here = str(checkout.directory)

    def ask(self, request: dict[str, Any]) -> Answer:
        """The answer to one request. Raises `RuntimeError` where the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the engine of {self._here} ended")
        seconds, verdict = json.loads(line)
        text = json.dumps(verdict, sort_keys=True, indent=1)
        return Answer(seconds, text)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def requests(paths: Sequence[str], cwd: str) -> list[dict[str, Any]]:
    """Each different request of these files: lines of text, or of JSON.

    An object gives what is under `command`, `text` or `argv`, there or in its `input`; one that has
    none of these is left out.
    """
    every = (each for path in paths for each in _of_file(Path(path)))
    unique = dict.fromkeys(json.dumps({**each, "cwd": cwd}) for each in every)
    return [json.loads(each) for each in unique]


def _of_file(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if path.suffix == ".jsonl":
            yield from _of_object(json.loads(line))
        elif line.strip():
            yield {"text": line}


def _of_object(row: dict[str, Any]) -> Iterable[dict[str, Any]]:
    inner = row.get("input")
    if isinstance(inner, dict):
        yield from _of_object(inner)
    for name in ("command", "text", "argv"):
        found = row.get(name)
        if isinstance(found, str):
            yield {"text": found}
        elif isinstance(found, list) and all(isinstance(word, str) for word in found):
            yield {"argv": found}
