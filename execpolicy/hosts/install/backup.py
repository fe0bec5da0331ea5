"""A host's file on this machine: read, and replaced in one step with a copy of what was there."""

import json
import os
import subprocess
import sys

from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.store.sources.files import read_regular, replace
from execpolicy.support.resources import compiled, package_directory, plugins_directory

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


CLIENT = "hook"
ISOLATED = (("-I",), ("-E", "-P"))
"""Options by which Python ignores `PYTHONPATH` and the directory that it is started in.

The first also leaves out the packages that `pip install --user` installed.
"""


def command() -> tuple[str, ...]:
    """The words that start this very program, as a host's configuration names them.

    A hook is started in the agent's project, whose modules and settings of Python it must not load.
    """
    python = os.path.abspath(sys.executable) if sys.executable else ""
    for options in ISOLATED if python else ():
        if _package(python, options) == os.path.realpath(package_directory()):
            words = (python, *options, os.path.join(package_directory(), "__main__.py"))
            return (*asks_server(), *words)
    name = python or "this Python"
    raise ExecPolicyError(f"{name} finds `execpolicy` by its environment only: install it with pip")


def asks_server() -> tuple[str, ...]:
    """The program before these words that asks a running server first (`serve/hook.c`, `.bash`)."""
    client = compiled(CLIENT)
    return (client,) if _starts(client) else ()


def _starts(program: str) -> bool:
    """Whether a program can be started, and what starts it where it is a script."""
    try:
        with open(program, "rb") as file:
            first, _, rest = file.readline(256).partition(b"#!")
    except OSError:
        return False
    needed = [program, *([] if first else map(os.fsdecode, rest.split()[:1]))]
    return all(os.access(each, os.X_OK) for each in needed)


def _package(python: str, options: tuple[str, ...]) -> str:
    """The package that Python finds with these options, far from any project; empty if none."""
    ask = "import importlib.util as u; print(u.find_spec('execpolicy').origin)"
    try:
        done = subprocess.run(
            [python, *options, "-c", ask], capture_output=True, cwd="/", timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return os.path.dirname(os.path.realpath(os.fsdecode(done.stdout).strip()))


_PLUGIN_LINE = "const PROGRAM = "


def plugin(words: tuple[str, ...]) -> str:
    """The text of opencode's plugin, with the words that start this program in it."""
    with open(os.path.join(plugins_directory(), "opencode", "execpolicy.js")) as file:
        text = file.read()
    return text.replace(f'{_PLUGIN_LINE}["execpolicy"]', _PLUGIN_LINE + json.dumps(words))


def plugin_words(text: str) -> list[str] | None:
    """The words in a plugin's text. Earlier versions wrote one, as a text."""
    for line in text.splitlines():
        if line.startswith(_PLUGIN_LINE):
            try:
                found = json.loads(line.removeprefix(_PLUGIN_LINE))
            except ValueError:
                return None
            return [found] if isinstance(found, str) else [str(word) for word in found]
    return None
