"""Which hosts are on this machine, and which of them have our hook."""

import os
import shutil

from execpolicy.hosts.install import edit, host_file
from execpolicy.hosts.install.host import HOSTS, Host
from execpolicy.model.errors import ExecPolicyError


def here() -> list[Host]:
    """The hosts of this machine."""
    return [host for host in HOSTS.values() if is_here(host)]


def is_here(host: Host) -> bool:
    """Whether the host was used on this machine, or could be: its own directory is in the home
    directory, or its program in `PATH`."""
    return os.path.isdir(_folder(host)) or shutil.which(host.program) is not None


def _folder(host: Host) -> str:
    file = host_file.path(host, "user", "")
    if host.name == "antigravity":  # the directory above is shared with another host
        return os.path.dirname(file)
    home = os.path.expanduser("~")
    top = os.path.relpath(file, home).split(os.sep)
    if top[0] == os.pardir:  # a variable moved it out of the home directory
        return os.path.dirname(file)
    parts = 2 if top[0] in (".config", ".codeium") else 1
    return os.path.join(home, *top[:parts])


def has_hook(host: Host, scope: str = "user", root: str = "") -> bool:
    """Whether the host's configuration names our hook. A file that is not understood does not."""
    try:
        return any(edit.commands(host, found) for found in edit.places(host, scope, root))
    except ExecPolicyError:
        return False


def may_have_hook(host: Host, scope: str, root: str) -> bool:
    """The same, but a file that is not understood may have it where it names us."""
    if has_hook(host, scope, root):
        return True
    try:
        return any("execpolicy" in (found.text or "") for found in edit.places(host, scope, root))
    except ExecPolicyError:
        return True
