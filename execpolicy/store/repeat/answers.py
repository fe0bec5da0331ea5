"""Answers of processes that began alike and saw the same: given again without deciding anew.

An answer is kept with all that its process saw of the file system, and under a digest of how the
process began: its words, its directory, its environment, its user, its Python. It counts while
every look gives the same again. There are `WAYS` files for each of `SLOTS` slots, so that no number
of different commands makes the cache larger, and those of a day do not replace each other.
"""

import os
import sys

from execpolicy.store.compiled import cache
from execpolicy.support import digest
from execpolicy.support.record import Value
from execpolicy.support.resources import package_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from execpolicy.store.repeat.looks import Look

SLOTS, WAYS = 128, 8
MAX_LOOKS = 2000
"""Looks of an answer that is kept: beyond, to look again takes as long as to decide."""
MAX_BYTES = 1 << 16
"""Of what is written to stdout."""


class Logged(Value):
    """A line of a log but for its time, the log's path, and the size at which it is rotated."""

    path: str
    line: str
    max_bytes: int


class KeptAnswer(Value):
    """The exit code of a process, what it wrote to stdout and stderr, and its lines in the log."""

    code: int
    text: str
    errors: str = ""
    logged: tuple[Logged, ...] = ()


def key(words: "Sequence[str]", environment: "Mapping[str, str] | None" = None) -> str:
    """The digest of how this process began, if `words` say what it is asked, and nothing depends on
    other variables than those of the `environment`."""
    has = os.environ if environment is None else environment
    try:
        here = os.getcwd()
    except OSError:
        here = ""
    rows = (
        words,
        (here, package_directory(), sys.version, sys.executable, str(sys.flags)),
        [f"{name}={value}" for name, value in sorted(has.items())],
        map(str, (os.getuid(), os.geteuid(), os.getgid(), os.getegid(), *os.getgroups())),
    )
    parts = [digest.of_parts([t.encode("utf-8", "surrogatepass") for t in row]) for row in rows]
    return digest.of("".join(parts).encode())


def recall(mark: str) -> KeptAnswer | None:
    """The answer kept under a key, if all that it depends on is as it was."""
    found = None
    for name in _names(mark):
        found = cache.read(name, mark)
        if found is not None or not os.path.lexists(cache.place(name)):
            break
    if found is None:
        return None
    from execpolicy.store.repeat.looks import all_same

    try:
        value, _ = found
        if not isinstance(value, tuple):
            return None
        code, text, errors, logged, looks = value
        answer = KeptAnswer(code, text, errors, tuple(Logged(*line) for line in logged))
        return answer if all_same(looks) else None
    except (TypeError, ValueError, LookupError):
        return None


def keep(mark: str, answer: KeptAnswer, looks: "Sequence[Look]") -> None:
    """Keep an answer with the looks that it depends on."""
    from execpolicy.store.repeat.looks import without_implied

    looks = without_implied(looks)
    if len(looks) > MAX_LOOKS or len(answer.text) > MAX_BYTES:
        return
    logged = tuple((line.path, line.line, line.max_bytes) for line in answer.logged)
    value = (int(answer.code), answer.text, answer.errors, logged, tuple(looks))
    cache.write(_free(mark), mark, value, durable=False)


def _names(mark: str) -> "Iterator[str]":
    """The names of the files where an answer may be: they are filled one after the other."""
    slot = int(mark[:8], 16) % SLOTS
    return (f"answer-{slot:02x}-{way}" for way in range(WAYS))


def _free(mark: str) -> str:
    """The file for an answer: its own, else one that is not there yet, else the oldest."""
    written: dict[str, float] = {}
    for name in _names(mark):
        try:
            written[name] = os.lstat(cache.place(name)).st_mtime
        except OSError:
            return name
        if cache.read(name, mark) is not None:
            return name
    return min(written, key=lambda name: written[name])
