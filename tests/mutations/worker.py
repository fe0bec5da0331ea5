"""Collects the tests of a folder once, and runs them for each mutation in a process forked from it.

To start and to collect takes longer than most mutations live. A mutation inside of functions is put
into these where they are; one of a whole module needs a process of its own. So does one that no
test here noticed: what was made at import was made without it.

Started in the copy of the project with the numbers of two pipes and the test files. What is asked
comes as one line of JSON.
"""

import gc
import inspect
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import CodeType, FunctionType
from typing import TypedDict

import pytest

READY, UNFIT, SURVIVED, TIMEOUT = "ready", "unfit", "survived", "timeout"


OPTIONS = ("-q", "-p", "no:cacheprovider", "--tb=no", "-k", "not in_time and not no_time")
"""For pytest. A test that measures time fails on a busy machine, whatever the mutation is."""
WAITED = 10
"""Seconds that a test may take for each of the processor's, on a machine that is busy."""


class Asked(TypedDict):
    """A mutation: the text of a file before and after, and the test files in their order. `limit`
    is in seconds of the processor."""

    path: str
    old: str
    new: str
    files: list[str]
    limit: int


class Plugin:
    """Takes the place of pytest's own loop over the tests."""

    def __init__(self, given: int, told: int) -> None:
        self._given, self._told = os.fdopen(given), os.fdopen(told, "w")
        self._failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the first test that fails."""
        if report.failed and not self._failed:
            self._failed = report.nodeid

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Say that all is collected; then one answer for each line: the test that failed, or one
        of the words."""
        self._say(READY)
        for line in self._given:
            self._say(self._tried(session, json.loads(line)))
        return True

    def _say(self, word: str) -> None:
        self._told.write(word + "\n")
        self._told.flush()

    def _tried(self, session: pytest.Session, asked: "Asked") -> str:
        said = ""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            limit = asked["limit"]
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            os.write(write, self._ran(session, asked).encode())
            os._exit(0)
        os.close(write)
        signal.alarm(WAITED * asked["limit"])
        with os.fdopen(read) as found, suppress(TimeoutError):
            said = found.read()
        signal.alarm(0)
        ended = _end(child)
        return said or (TIMEOUT if ended in (signal.SIGXCPU, signal.SIGKILL) else f"signal {ended}")

    def _ran(self, session: pytest.Session, asked: "Asked") -> str:
        gc.unfreeze()
        if not replaced(asked["path"], asked["old"], asked["new"]):
            return UNFIT
        rank = {file: number for number, file in enumerate(asked["files"])}
        chosen = [item for item in session.items if str(item.path) in rank]
        items = sorted(chosen, key=lambda item: rank[str(item.path)])
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                session._setupstate.teardown_exact(None)
                break
        return self._failed or SURVIVED


def _end(child: int) -> int:
    """End a process of tests, with all that it started and left. The signal that ended it, or 0."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def replaced(path: str, old: str, new: str) -> bool:
    """Give the functions of a file the code that another text of it has.

    False where more than functions differ. A module that was not imported yet will be another.
    """
    if all(getattr(module, "__file__", None) != path for module in tuple(sys.modules.values())):
        return True
    whole, other = (compile(text, path, "exec", dont_inherit=True) for text in (old, new))
    changed: dict[CodeType, CodeType] = {}
    if not _compare(whole, other, changed):
        return False
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == path:
            each.__code__ = changed.get(each.__code__, each.__code__)
    return True


def _compare(old: CodeType, new: CodeType, changed: dict[CodeType, CodeType]) -> bool:
    """Note the functions that differ; False where the body of a module or of a class does."""
    if old == new:
        return True
    if old.co_flags & inspect.CO_OPTIMIZED:
        changed[old] = new
    elif _itself(old) != _itself(new):
        return False
    return all(_compare(*pair, changed) for pair in zip(_inner(old), _inner(new), strict=False))


def _inner(code: CodeType) -> list[CodeType]:
    return [const for const in code.co_consts if isinstance(const, CodeType)]


def _itself(code: CodeType) -> tuple[object, ...]:
    """What a piece of code has without those inside it."""
    consts = [repr(const) for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code, consts, code.co_names, code.co_varnames


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""

    def over(_signal: int, _frame: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, over)
    given, told, *files = arguments
    return pytest.main([*OPTIONS, *files], plugins=[Plugin(int(given), int(told))])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
