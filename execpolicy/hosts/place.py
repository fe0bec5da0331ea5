"""A host's file on this machine: read, and replaced in one step with a copy of what was there."""

import os
import shutil
import sys

from execpolicy.errors import ExecPolicyError
from execpolicy.hosts.host import Host
from execpolicy.resources import plugins_directory
from execpolicy.store.files import replace

BACKUP = ".before-execpolicy"


def path(host: Host, scope: str, root: str) -> str:
    """The file that is edited. `root` is the project's directory."""
    if scope == "project":
        return os.path.join(root, host.project)
    home = os.path.expanduser("~")
    moved = os.environ.get("XDG_CONFIG_HOME", "")
    if host.user.startswith(".config/") and moved.startswith("/"):
        return os.path.join(moved, host.user.removeprefix(".config/"))
    for name, variable in (("codex", "CODEX_HOME"), ("copilot", "COPILOT_HOME")):
        given = os.environ.get(variable, "")
        if host.name == name and given.startswith("/"):
            return os.path.join(given, host.user.partition("/")[2])
    return os.path.join(home, host.user)


def beside(file: str, name: str) -> str:
    """Another file of the same directory."""
    return os.path.join(os.path.dirname(file), name)


def read(file: str) -> str | None:
    """The text of a file; None where there is none. Raises `ExecPolicyError` for one of no text."""
    try:
        with open(file, encoding="utf-8", newline="") as opened:
            return opened.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ExecPolicyError(f"{file}: cannot read it: {error}") from None


def write(file: str, text: str, before: str | None) -> str | None:
    """Put the text in the file's place; the path of the copy that was made, if one was.

    A link is followed: the file that it points to is replaced, the link stays.
    """
    file = os.path.realpath(file)
    os.makedirs(os.path.dirname(file), exist_ok=True)
    mode = os.stat(file).st_mode & 0o777 if before is not None else 0o600
    backup = file + BACKUP
    made = before is not None and not os.path.lexists(backup)
    if made:
        replace(backup, (before or "").encode(), mode)
    replace(file, text.encode(), mode)
    return backup if made else None


def program() -> str:
    """The absolute path of this program, as a host's configuration names it."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "execpolicy")
    started = os.path.abspath(sys.argv[0])
    for candidate in (started, beside, shutil.which("execpolicy") or ""):
        named = os.path.basename(candidate) == "execpolicy"
        if named and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    raise ExecPolicyError("cannot find the program `execpolicy`: install the package with pip")


def plugin(program: str) -> str:
    """The text of opencode's plugin, with the path of this program in it."""
    with open(os.path.join(plugins_directory(), "opencode", "execpolicy.js")) as file:
        text = file.read()
    import json

    return text.replace('const PROGRAM = "execpolicy"', f"const PROGRAM = {json.dumps(program)}")
