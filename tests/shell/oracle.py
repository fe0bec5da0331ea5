"""A shell itself as the judge of what a script runs.

Scripts run in a directory of their own, with an empty PATH and no input. A broken one may write
anywhere: `>/dev/null` with a newline in it is a file of the root.
"""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from execpolicy.model.operation import Dynamic, Exec, Opaque, Operation
from tests import confined
from tests.shell.drivers import BASH, BEGINS, Shell
from tests.shell.reading import read
from tests.shell_strategies import NAMES

Run = list[tuple[str, ...]]

_START = 'exec 9>&0 0</dev/null; . "$0"'
"""What comes in as standard input is where commands are written down."""

_READS = frozenset((("cat",), ("more",), ("pager",)))
_NULL: dict[str | None, frozenset[tuple[str, ...]]] = {"zsh": _READS, None: _READS}
"""What a redirection without a command runs in zsh."""

STATE = re.compile(
    "`eval`|`trap`|`alias`|`enable`|`hash|`set|`shopt|another meaning|computed command name|"
    r"`\.`|`source`|another input|`declare|`export|`local|`typeset|`readonly|`unset|`read|`let|"
    "option of|disagree|more than a variable|zsh"
)
"""Reasons of spots after which nothing in the text is certain any more."""


def run(scripts: list[str], shell: Shell = BASH) -> list[Run]:
    """The commands that each script ran; of one that does not end, those until it was killed."""
    runs: list[Run] = []
    while len(runs) < len(scripts):
        directory = Path(tempfile.mkdtemp())
        try:
            runs += _run(directory, scripts[len(runs) :], shell)
        finally:
            shutil.rmtree(directory, ignore_errors=True)
    return runs


def _run(directory: Path, scripts: list[str], shell: Shell) -> list[Run]:
    """The runs of the first scripts: of all, or up to one that does not end."""
    cwd = directory / "cwd"
    (cwd / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "-x", "sp ace", "sub/c.txt"):
        (cwd / name).touch()
    driver = directory / "driver"
    driver.write_bytes(shell.driver(scripts))
    reading, writing = os.pipe()
    program = shutil.which(shell.command[0]) or ""
    process = subprocess.Popen(
        [*confined.words(cwd), program, *shell.command[1:], "-c", _START, str(driver)],
        cwd=cwd,
        env={"PATH": "/nonexistent", "HOME": "/home/me", "LC_ALL": "C.UTF-8"},
        stdin=writing,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(writing)
    try:
        data = _drain(reading, _begins(len(scripts)))
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return _parsed(data, len(scripts))


def _begins(number: int) -> bytes:
    return f"{number}\0{BEGINS}\0".encode()


def _drain(reading: int, end: bytes) -> bytes:
    """What comes until all writers have ended, or nothing more came for so long that one hangs."""
    data = b""
    while select.select([reading], [], [], _patience(data, end))[0]:
        chunk = os.read(reading, 1 << 16)
        data += chunk
        if not chunk or len(data) > 1 << 24:
            break
    return data


def _patience(data: bytes, end: bytes) -> float:
    """Seconds to wait for more: a shell has to start, a loop to meet its limit of processor time;
    after the last script only what runs in the background may still say something."""
    if not data:
        return 60
    return 1 if end in data[-(1 << 16) :] else 3


def _parsed(data: bytes, number: int) -> list[Run]:
    runs: list[Run] = [[] for _ in range(number)]
    fields = data.decode(errors="surrogateescape").replace("\x1e", "\n").split("\0")
    begun = i = 0
    while i + 1 < len(fields):
        which, words = int(fields[i]), fields[i + 1]
        i += 2
        if words == BEGINS:
            begun = which
            continue
        if i + int(words) >= len(fields):
            break
        runs[which].append(tuple(fields[i : i + int(words)]))
        i += int(words)
    return runs[: begun + 1]


def complaint(text: str, executed: Run, strict: bool, shell: Shell = BASH) -> str | None:
    """What was run and not foreseen, None if nothing was."""
    for reader in shell.readings:
        found = _unforeseen(text, executed, strict, reader)
        if found:
            return f"{shell.name} ran {found}"
    return None


def _unforeseen(text: str, executed: Run, strict: bool, shell: str | None) -> str | None:
    operations = read(text, shell)
    execs = [o for o in operations if isinstance(o, Exec)]
    opaques = [o for o in operations if isinstance(o, Opaque)]
    for argv in executed:
        if shell in _NULL and argv in _NULL[shell]:
            continue
        if not any(matches(o.argv, argv) for o in execs) and not _covered(
            text, argv, opaques, strict and shell == "bash"
        ):
            return f"{argv}\nof {text!r}\nread as " + "\n  ".join(map(repr, operations))
    return None


def _covered(text: str, argv: tuple[str, ...], opaques: list[Opaque], strict: bool) -> bool:
    key = next((w for w in argv if re.fullmatch(r"k\d+", w)), "")
    place = text.find(key) if strict and key and text.count(key) == 1 else -1
    if place < 0:
        return bool(opaques)
    return any(
        (o.span and o.span[0] <= place < o.span[1])
        or (STATE.search(o.why) and o.span and o.span[0] <= place)
        for o in opaques
    )


def left_out(script: str, shell: Shell) -> bool:
    """Whether a script may call a function within itself, in a shell that sets no bound to that."""
    if shell.bounded:
        return False
    text = script.replace("\\\n", "")
    named = re.findall(r"([A-Za-z0-9_]+)[ \t]*\([ \t]*\)", text)
    return any(len(re.findall(rf"\b{name}\b", text)) > 2 for name in named)


def matches(words: tuple[str | Dynamic, ...], argv: tuple[str, ...]) -> bool:
    """Whether bash may have made `argv` of `words`, by what is known of each."""
    places = {0}
    for word in words:
        if isinstance(word, str):
            places = {i + 1 for i in places if i < len(argv) and argv[i] == word}
            continue
        following = set()
        for i in places:
            if word.single:
                if i < len(argv) and argv[i].startswith(word.prefix):
                    following.add(i + 1)
                continue
            following.add(i)
            while i < len(argv) and argv[i].startswith(word.prefix):
                i += 1
                following.add(i)
        places = following
    return len(argv) in places


def failing(scripts: list[str], strict: bool, shell: Shell = BASH) -> tuple[str, str] | None:
    """The first script that ran something unforeseen, and what."""
    return next(iter(complaints(scripts, strict, shell)), None)


def complaints(scripts: list[str], strict: bool, shell: Shell = BASH) -> Iterator[tuple[str, str]]:
    """Each script that ran something unforeseen, and what."""
    scripts = [script for script in scripts if not left_out(script, shell)]
    for script, executed in zip(scripts, run(scripts, shell), strict=True):
        found = complaint(script, executed, strict, shell) if executed else None
        if found:
            yield script, found


def shrunk(script: str, strict: bool, shell: Shell = BASH) -> str:
    """A script as small as deleting makes it that still runs something unforeseen."""
    size = max(1, len(script) // 2)
    while size:
        i = 0
        while i < len(script):
            candidate = script[:i] + script[i + size :]
            if candidate and failing([candidate], strict, shell):
                script = candidate
            else:
                i += size
        size //= 2
    return script


__all__ = [
    "NAMES",
    "Operation",
    "complaint",
    "complaints",
    "failing",
    "left_out",
    "matches",
    "run",
    "shrunk",
]
