"""Whether a host was started so that it cannot ask the user, by the words of its command line.

Nothing that a hook is told says so: Claude Code's `-p`, `codex exec` and `gemini -p` send the same
payloads as a session at a terminal. A forged command line gets refusals in the place of
questions, and nothing else.
"""

import os
from _collections_abc import Sequence

from execpolicy.support.processes import Lineage

MAX_PARENTS = 8
"""Processes above a hook of which one is its host."""
MAX_BYTES = 4096
_NAMED = 3
"""The first words of a command line, of which one names the host: `node /usr/bin/gemini`."""
_EARLY = 8
"""The words among which a sub-command stands: `codex -m MODEL exec`."""


def is_headless(host: str, words: "Sequence[str]", above: "Lineage") -> bool:
    """Whether the host among the processes above was started with one of `words`."""
    if not words:
        return False
    named = os.fsencode(host)
    for _, (process, _) in zip(range(MAX_PARENTS), above, strict=False):
        data = _given(process)
        line = _words(data) if named in data else ()
        if any(is_program(host, word) for word in line[:_NAMED]):
            return says_so(line[1:], words)
    return False


def is_program(host: str, word: str) -> bool:
    """Whether a word of a command line is the host's program, and no script that names it.

    >>> is_program("claude", "/opt/bin/claude"), is_program("claude", "/opt/execpolicy hook claude")
    (True, False)
    """
    return host in os.path.basename(word) and " " not in word


def says_so(line: "Sequence[str]", words: "Sequence[str]") -> bool:
    """Whether a command line has an option of `words` before `--`, or begins with a sub-command.

    >>> says_so(["-p", "fix it"], ("-p",)), says_so(["--", "-p"], ("-p",))
    (True, False)
    """
    before = line[: line.index("--")] if "--" in line else line
    return any(word.partition("=")[0] in words for word in before if word[:1] == "-") or any(
        word in words for word in before[:_EARLY]
    )


def command_line(process: int) -> tuple[str, ...]:
    """The words that a process was started with (proc_pid_cmdline(5)); none where it is hidden."""
    return _words(_given(process))


def _given(process: int) -> bytes:
    try:
        descriptor = os.open(f"/proc/{process}/cmdline", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, MAX_BYTES)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _words(data: bytes) -> tuple[str, ...]:
    return tuple(os.fsdecode(word) for word in data.split(b"\0")[:-1])
