"""bash itself as the judge of what a script runs.

Scripts run in a directory of their own, with an empty PATH and no input. The names of `NAMES` are
functions that write down their words; every other name comes to `command_not_found_handle`, which
does the same. Scripts share a bash process but each has a subshell of its own.
"""

import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from execpolicy.operation import Dynamic, Exec, Opaque, Operation
from execpolicy.shell.reader import read
from tests.shell_strategies import NAMES

Run = list[tuple[str, ...]]

_DRIVER = r"""
_log() {
  (( ++_n > 60 )) && builtin exit
  builtin printf '%s\0' "$_id" "$#" "${@//$'\n'/$'\x1e'}" >&200
}
command_not_found_handle() { _log "$@"; return 127; }
NAMES
FUNCNEST=4 _n=0 v="v1 v2" g='*' e= w=W n=1
unset u x y z arr fd
readonly -f _log
set -- p1 "p 2"
builtin mapfile -d '' -t _scripts < "$_file"
unset _file
builtin ulimit -t 3 -f 100
for _id in "${!_scripts[@]}"; do
  ( builtin eval "${_scripts[_id]}" ) </dev/null >/dev/null 2>&1
done
"""
_STUBS = "\n".join(f'{name}() {{ _log {name} "$@"; }}' for name in NAMES)

STATE = re.compile(
    "`eval`|`trap`|`alias`|`enable`|`hash|`set|`shopt|another meaning|computed command name|"
    r"`\.`|`source`|another input|`declare|`export|`local|`typeset|`readonly|`unset|`read|`let|"
    "option of|disagree|more than a variable|zsh"
)
"""Reasons of spots after which nothing in the text is certain any more."""


def run(scripts: list[str], timeout: float = 10) -> list[Run] | None:
    """The commands that each script ran, None if they did not end in time."""
    directory = Path(tempfile.mkdtemp())
    try:
        return _run(directory, scripts, timeout)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(directory: Path, scripts: list[str], timeout: float) -> list[Run] | None:
    cwd = directory / "cwd"
    (cwd / "sub").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "-x", "sp ace", "sub/c.txt"):
        (cwd / name).touch()
    source = directory / "scripts"
    source.write_bytes(b"".join(s.encode(errors="surrogateescape") + b"\0" for s in scripts))
    (directory / "driver").write_text(_DRIVER.replace("NAMES", _STUBS))
    reading, writing = os.pipe()
    env = {"PATH": "/nonexistent", "HOME": "/home/me", "LC_ALL": "C.UTF-8", "_file": str(source)}
    command = ["/bin/bash", "--norc", "--noprofile", "-c", 'exec 200>&"$1"; . "$0"']
    process = subprocess.Popen(
        [*command, str(directory / "driver"), str(writing)],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(writing,),
        start_new_session=True,
    )
    os.close(writing)
    try:
        data = _drain(reading, time.monotonic() + timeout)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return None if data is None else _parsed(data, len(scripts))


def _drain(reading: int, deadline: float) -> bytes | None:
    data = b""
    while (left := deadline - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            chunk = os.read(reading, 1 << 16)
            if not chunk:
                return data
            data += chunk
            if len(data) > 1 << 24:
                return None
    return None


def _parsed(data: bytes, number: int) -> list[Run]:
    runs: list[Run] = [[] for _ in range(number)]
    # bash writes line by line, and lines of concurrent commands mix: no line ends in a record
    fields = data.decode(errors="surrogateescape").replace("\x1e", "\n").split("\0")
    i = 0
    while i + 1 < len(fields):
        which, count = int(fields[i]), int(fields[i + 1])
        runs[which].append(tuple(fields[i + 2 : i + 2 + count]))
        i += 2 + count
    return runs


def complaint(text: str, executed: Run, strict: bool) -> str | None:
    """What was run and not foreseen, None if nothing was."""
    return _unforeseen(text, executed, strict, "bash") or _unforeseen(text, executed, strict, None)


def _unforeseen(text: str, executed: Run, strict: bool, shell: str | None) -> str | None:
    operations = read(text, shell)
    execs = [o for o in operations if isinstance(o, Exec)]
    opaques = [o for o in operations if isinstance(o, Opaque)]
    for argv in executed:
        if not any(matches(o.argv, argv) for o in execs) and not _covered(
            text, argv, opaques, strict
        ):
            return f"bash ran {argv}\nof {text!r}\nread as " + "\n  ".join(map(repr, operations))
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


def failing(scripts: list[str], strict: bool) -> tuple[str, str] | None:
    """The first script that ran something unforeseen, and what; scripts that hang are left out."""
    runs = run(scripts)
    if runs is None:
        for script in scripts:
            alone = run([script], 2)
            found = complaint(script, alone[0], strict) if alone is not None else None
            if found:
                return script, found
        return None
    for script, executed in zip(scripts, runs, strict=True):
        found = complaint(script, executed, strict)
        if found:
            return script, found
    return None


def shrunk(script: str, strict: bool) -> str:
    """A script as small as deleting makes it that still runs something unforeseen."""
    size = max(1, len(script) // 2)
    while size:
        i = 0
        while i < len(script):
            candidate = script[:i] + script[i + size :]
            if candidate and failing([candidate], strict):
                script = candidate
            else:
                i += size
        size //= 2
    return script


__all__ = ["NAMES", "Operation", "complaint", "failing", "matches", "run", "shrunk"]
