"""Tries mutations, one after the other, in a copy of the project."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from tests.mutations.held import holding, ordered
from tests.mutations.row import ROOT, Row, changed
from tests.mutations.worker import OPTIONS, SURVIVED, TIMEOUT, UNFIT, WAITED

LIMIT_SECONDS = 200
"""Seconds of the processor that the tests may take with a mutation, or twice what they take without
one, if that is more. Most fail much sooner."""
UNCHANGED_SECONDS = 2000
"""The same without a mutation."""
_PARTS = (
    *("execpolicy", "tests", "rules", "grammar", "plugins", "docs", "benchmarks", "examples"),
    *("bin", "hatch_build.py", "pyproject.toml", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"),
    *("CHANGELOG.md", "LICENSE", ".pre-commit-hooks.yaml"),
)
_PREPARED = """
from execpolicy.language.syntax import tables
from execpolicy.shell.second_reader import second_reader
from execpolicy.store.compiled import prebuilt
from execpolicy.store.compiled.tables import PackagedTables
tables.driver(PackagedTables("syntax"))
second_reader.prepare(PackagedTables("bashlex"))
prebuilt.write(checkout=True)
"""
"""Compiles the shipped rules, which each process of tests would do otherwise."""


class Outcome(Enum):
    """What became of a mutation."""

    KILLED = "killed"
    SURVIVED = "survived"
    TIMEOUT = "timeout"
    STALE = "stale"


class Tried(NamedTuple):
    """The outcome of a row, the seconds it took, and the test that failed, if one did."""

    row: Row
    outcome: Outcome
    seconds: float
    test: str = ""


class Copy:
    """The project in a directory of its own, where one file at a time is another."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._workers: dict[tuple[Path, ...], Worker] = {}
        without = shutil.ignore_patterns("__pycache__", "data")
        for part in _PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, root / part, ignore=without, symlinks=True)
            elif source.exists():
                shutil.copy2(source, root / part)
        self._python = _interpreter(root.parent / "python", root)
        subprocess.run([self._python, "-c", _PREPARED], check=True, **self.given)  # type: ignore[call-overload]

    @property
    def given(self) -> dict[str, object]:
        """Where and with which variables a process of the copy runs."""
        return {"cwd": self.root, "stdin": subprocess.DEVNULL}

    def failing(self, row: Row) -> str:
        """The test of a row that fails without it, where they are run for it; else empty."""
        tests = holding(row.path, self.root)
        file = self.root / row.path
        text = file.read_text()
        worker, began = self._worker(tests), monotonic()
        worker.limit = UNCHANGED_SECONDS
        found = worker.tried(file, text, text, tests)
        worker.limit = max(LIMIT_SECONDS, 2 * int(monotonic() - began))
        return "" if found == SURVIVED else found

    def tried(self, row: Row, *, sure: bool = True) -> Tried:
        """The outcome of a row. The file is afterwards as it was.

        What survives in a process that imported the package without it is tried in a new one,
        if that is to be `sure`.
        """
        file = self.root / row.path
        text = file.read_text() if file.is_file() else ""
        other = changed(row, text)
        if other is None:
            return Tried(row, Outcome.STALE, 0)
        tests = ordered(holding(row.path, self.root), row.path, f"{row.old} {row.new}")
        self._worker(
            tests
        )  # one that is started later would import the mutation for all rows after
        began, status = monotonic(), file.stat()
        file.write_text(other)
        try:
            said = self._forked(file, text, other, tests)
            if said == UNFIT or (said == SURVIVED and sure):
                said = self._alone(tests) or SURVIVED
        finally:
            file.write_text(text)
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
        words = {SURVIVED: Outcome.SURVIVED, TIMEOUT: Outcome.TIMEOUT}
        return Tried(row, words.get(said, Outcome.KILLED), monotonic() - began, said)

    def _forked(self, file: Path, text: str, other: str, tests: Sequence[Path]) -> str:
        """What the process that collected the tests says; one that a test ended is made anew."""
        try:
            return self._worker(tests).tried(file, text, other, tests)
        except (RuntimeError, BrokenPipeError):
            self._workers.pop(tuple(sorted(tests))).close()
            return UNFIT

    def _worker(self, tests: Sequence[Path]) -> "Worker":
        key = tuple(sorted(tests))
        if key not in self._workers:
            self._workers[key] = Worker(self._python, key, self.given)
        return self._workers[key]

    def _alone(self, tests: Sequence[Path]) -> str:
        """The test that fails in a new process, an empty text if none does, or `TIMEOUT`."""
        words = [self._python, "-m", "pytest", "-x", *OPTIONS, *map(str, tests)]
        try:
            done = subprocess.run(
                words,
                capture_output=True,
                text=True,
                timeout=WAITED * self._worker(tests).limit,
                check=False,
                **self.given,  # type: ignore[call-overload]
            )
        except subprocess.TimeoutExpired:
            return TIMEOUT
        failed = re.search(r"^(?:FAILED|ERROR) (.+)", done.stdout, re.M)
        status = f"exit status {done.returncode}" if done.returncode else ""
        return failed[1] if failed else status

    def close(self) -> None:
        """End the processes that wait for rows."""
        for worker in self._workers.values():
            worker.close()


def _interpreter(at: Path, root: Path) -> Path:
    """A Python that imports the copy, as each process does that it starts. No variable says so:
    one that leads into a project makes each decision there stricter."""
    venv.create(at, symlinks=True)
    for program in Path(sys.executable).parent.iterdir():  # those that tests start: shfmt
        if not (at / "bin" / program.name).exists():
            shutil.copy2(program, at / "bin" / program.name)  # by a link it finds the other one
    (packages,) = at.glob("lib/python*/site-packages")
    (packages / "copy.pth").write_text(f"{root}\n{sysconfig.get_path('purelib')}\n")
    return at / "bin/python"


class Worker:
    """A process that has collected some tests. `limit` are the seconds of the processor that they
    may take."""

    def __init__(self, python: Path, tests: Sequence[Path], given: dict[str, object]) -> None:
        self.limit = LIMIT_SECONDS
        (asked, self._ask), (self._answer, told) = os.pipe(), os.pipe()
        words = [python, "-m", "tests.mutations.worker", str(asked), str(told)]
        self._process = subprocess.Popen(
            [*words, *map(str, tests)],
            pass_fds=(asked, told),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **given,  # type: ignore[call-overload]
        )
        os.close(asked)
        os.close(told)
        self._asking, self._told = os.fdopen(self._ask, "w"), os.fdopen(self._answer)
        self._heard()

    def tried(self, file: Path, old: str, new: str, tests: Sequence[Path]) -> str:
        """The test that fails with another text in the place of a file's, or a word of `worker`."""
        given = {"path": str(file), "old": old, "new": new, "files": [*map(str, tests)]}
        self._asking.write(json.dumps({**given, "limit": self.limit}) + "\n")
        self._asking.flush()
        return self._heard()

    def _heard(self) -> str:
        said = self._told.readline().strip()
        if not said:
            raise RuntimeError("the process of the tests ended")
        return said

    def close(self) -> None:
        """End the process."""
        self._asking.close()
        self._told.close()
        self._process.wait()
