"""A host's file on this machine: read, and replaced in one step with a copy of what was there."""

import os

from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.sources.files import read_regular, replace

BACKUP = ".before-execpolicy"
MAX_BYTES = 64 * 1024 * 1024


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
    """The text of a file; None without a file. Raises `ExecPolicyError` where it is not text."""
    try:
        return read_regular(file, MAX_BYTES).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise ExecPolicyError(f"cannot read `{file}`: {error}") from None
    except OSError as error:
        raise ExecPolicyError(
            f"cannot read `{file}`: {(error.strerror or str(error)).lower()}"
        ) from None


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
