"""Agents that hand the command to a shell as it is, each with the options of its shell.

Recorded from opencode 1.18.33, Copilot CLI 1.0.102, Qwen Code 0.15.10 and 0.24.4.
"""

import re
from _collections_abc import Sequence

from execpolicy.hosts.shell_calls.call import CallRole, ShellCall
from execpolicy.hosts.shell_calls.own_texts import values

OPTIONS = {
    "opencode": (),
    "copilot": ("--norc", "--noprofile"),
    "qwen": (),
}
_MARK = re.compile(r"'(__copilot_login_env_snapshot_[0-9a-f]{4}_[0-9a-f]{16}__)'", re.ASCII)


def read(host: str, argv: "Sequence[str]") -> ShellCall | None:
    """The call: the shell, its options, `-c` and the command."""
    if host == "copilot" and (*argv[1:-1],) == ("-l", "-c"):
        return _copilot_environment(argv)
    options = OPTIONS[host]
    if len(argv) != len(options) + 3 or (*argv[1:-1],) != (*options, "-c"):
        return None
    return ShellCall(host, CallRole.MODEL, argv[0], argv[-1], options)


def _copilot_environment(argv: "Sequence[str]") -> ShellCall | None:
    """Copilot's own text at its start, which prints the environment of a login shell."""
    if not values(argv[-1], {"mark": _MARK}):
        return None
    return ShellCall("copilot", CallRole.OWN, argv[0], argv[-1], ("-l",))
