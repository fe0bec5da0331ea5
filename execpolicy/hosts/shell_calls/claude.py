"""Claude Code's shell: the session's snapshot, `eval` of the command, and where that ended.

Recorded from 2.1.197, 2.1.292 and 2.1.332; the pieces are those of their `buildExecCommand`.
"""

import re
from _collections_abc import Iterator, Sequence

from execpolicy.hosts.shell_calls import claude_snapshot
from execpolicy.hosts.shell_calls.call import CallRole, HostDirectories, ShellCall
from execpolicy.hosts.shell_calls.claude_snapshot import is_snapshot
from execpolicy.hosts.shell_calls.tree import argument, commands, literal, target, written

_OPTIONS = {
    "bash": "shopt -u extglob 2>/dev/null || true",
    "zsh": "setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL 2>/dev/null || true",
}
_FORGET = (
    r"{{ \builtin unalias -- '{0}'; \builtin unset -f -- '{0}'; }} >/dev/null 2>&1 || true".format
)


def _before(shell: str) -> "Iterator[tuple[str, ...]]":
    """What stands before the command, in each version."""
    for prefix in ("", "\\builtin "):
        for forgotten in ((), ("unsetenv",), ("which", "unsetenv")):
            yield (prefix + _OPTIONS[shell], *map(_FORGET, forgotten))


_ENDED = re.compile(r"claude-[0-9a-f]{4,16}-cwd", re.ASCII)


def read(argv: "Sequence[str]", places: HostDirectories) -> ShellCall | None:
    """The call; with the session's snapshot by `-c`, without it by `-c -l`."""
    if len(argv) not in (3, 4) or argv[1] != "-c" or (len(argv) == 4 and argv[2] != "-l"):
        return None
    if argv[-1].startswith("SNAPSHOT_FILE="):
        return claude_snapshot.read(argv, places)
    shell, text = argv[0].rpartition("/")[2], argv[-1]
    found = commands(text)
    if len(found) < 3 or shell not in _OPTIONS:
        return None
    pieces, snapshot = [], ""
    if len(argv) == 3:
        read_first = argument(found[0], "source")
        snapshot = literal(read_first) or ""
        if not is_snapshot(snapshot, shell, places):
            return None
        pieces.append(f"source {written(text, read_first)} 2>/dev/null || true")
    evaluated, ended = argument(found[-2], "eval"), target(found[-1])
    command, ends = literal(evaluated), literal(ended)
    if command is None or ends is None or not _is_ended(ends, places):
        return None
    null_input = bool(found[-2].redirects)
    last = f"eval {written(text, evaluated)}{' < /dev/null' * null_input}"
    pieces += [last, f"pwd -P >| {written(text, ended)}"]
    if text not in [" && ".join((*pieces[:-2], *b, *pieces[-2:])) for b in _before(shell)]:
        return None
    return ShellCall(
        *("claude", CallRole.MODEL, argv[0], command, tuple(argv[2:-1]), snapshot),
        writes=(ends,),
        null_input=null_input,
        same_shell=True,
        shadows=claude_snapshot.SHADOWS,
    )


def _is_ended(path: str, places: HostDirectories) -> bool:
    """Whether it is where the directory is written that a command ended in."""
    directory, _, name = path.rpartition("/")
    is_there = bool(directory) and directory == places.temporary
    return is_there and _ENDED.fullmatch(name) is not None
