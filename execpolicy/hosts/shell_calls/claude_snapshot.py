"""Claude Code's own text at its start, which writes the snapshot of the user's shell.

The texts differ with the version and with the user's start file of the shell. `own_texts` has the
digests of all: a text counts where it is one of them but for its values, which hold no character
that a shell gives a meaning to.
"""

import re
from _collections_abc import Sequence

from execpolicy.hosts.shell_calls.call import CallRole, HostDirectories, ShellCall
from execpolicy.hosts.shell_calls.own_texts import values
from execpolicy.hosts.shell_calls.tree import is_below

SHADOWS = ("rg", "find", "grep", "pkill")
"""Functions that it puts in the place of the programs of these names."""
_SNAPSHOT = re.compile(r"snapshot-(bash|zsh)-[0-9]+-[a-z0-9]+\.sh", re.ASCII)
_PLAIN = r"[\w@%+=:,./-]+"
_START_FILES = frozenset((".bashrc", ".zshrc", ".profile"))
_VALUES = {
    name: re.compile(pattern.replace("@", f"({_PLAIN})"), re.ASCII | re.MULTILINE)
    for name, pattern in {
        "snapshot": r"\ASNAPSHOT_FILE=@$",
        "rc": r'^ *source "@" < /dev/null$',
        "end": "<< 'CLAUDE_CODE_END_@'$",
        "claude": r"^ *if \[\[ -x @ \]\]; then$",
        "local": r"(?:^ *elif \[\[ -x | _cc_bin=)@(?: \]\]; then)?$",
        "path": "^export PATH=@$",
    }.items()
}


def read(argv: "Sequence[str]", places: HostDirectories) -> ShellCall | None:
    """The call that writes a snapshot; None where the text is not a version's."""
    if len(argv) != 4 or (*argv[1:3],) != ("-c", "-l") or not argv[3].startswith("SNAPSHOT_FILE="):
        return None
    given = values(argv[3], _VALUES)
    if given is None or not _are_ours(given, places):
        return None
    path = given["snapshot"]
    return ShellCall(
        *("claude", CallRole.OWN, argv[0], argv[3], ("-l",)),
        writes=(path,),
        made=path,
        shadows=SHADOWS,
    )


def _are_ours(given: "dict[str, str]", places: HostDirectories) -> bool:
    """Whether the paths are those of the agent and of the user's home."""
    home = places.state.rpartition("/")[0]  # the state is in `~/.claude`
    local, rc = given.get("local"), given.get("rc", f"{home}/.bashrc")
    claude = given.get("claude", local or "")
    return (
        any(is_snapshot(given["snapshot"], shell, places) for shell in ("bash", "zsh"))
        and local in (None, f"{home}/.local/bin/claude")
        and (claude == local or is_below(claude, places.program))
        and rc.startswith(f"{home}/")
        and rc[len(home) + 1 :] in _START_FILES
    )


def is_snapshot(path: str, shell: str, places: HostDirectories) -> bool:
    """Whether it is where a snapshot of this shell lies."""
    directory, _, name = path.rpartition("/")
    match = _SNAPSHOT.fullmatch(name)
    is_there = bool(places.state) and directory == f"{places.state}/shell-snapshots"
    return is_there and match is not None and match[1] == shell
