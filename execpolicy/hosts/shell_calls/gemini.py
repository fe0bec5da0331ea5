"""Gemini CLI's shell: the command in a subshell that lists the jobs it leaves.

Recorded from 0.61.0.
"""

import re
from _collections_abc import Sequence

from execpolicy.hosts.shell_calls.call import CallRole, HostDirectories, ShellCall
from execpolicy.hosts.shell_calls.tree import commands, is_same, literal, written

_JOBS = re.compile(r"gemini-shell-[A-Za-z0-9]{6}/bgpids\.tmp", re.ASCII)
_OPTIONS = "shopt -u promptvars nullglob extglob nocaseglob dotglob; _bgpids_file="
_BEFORE = "\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n"
_AFTER = "\n)\n__code=$?\nexit $__code"


def read(argv: "Sequence[str]", places: HostDirectories) -> ShellCall | None:
    """The call: the command is what stands in the subshell after the `trap`."""
    if len(argv) != 3 or argv[1] != "-c" or argv[0].rpartition("/")[2] != "bash":
        return None
    text = argv[2]
    found = commands(text)
    assigned = found[1].assignments if len(found) > 4 else []
    jobs = assigned[0].value if len(assigned) == 1 else None
    path = literal(jobs)
    if path is None or not _is_list(path, places):
        return None
    before = f"{_OPTIONS}{written(text, jobs)}{_BEFORE}"
    command = text[len(before) : -len(_AFTER)]
    if text != f"{before}{command}{_AFTER}" or not is_same(text, command, len(before), (3, 2)):
        return None
    return ShellCall("gemini", CallRole.MODEL, argv[0], command, writes=(path,))


def _is_list(path: str, places: HostDirectories) -> bool:
    """Whether it is where the list of jobs is written."""
    directory, _, name = path.partition(f"{places.temporary}/")
    return not directory and bool(places.temporary) and _JOBS.fullmatch(name) is not None
