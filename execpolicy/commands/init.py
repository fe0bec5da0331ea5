"""`execpolicy init`: a first layer of one's own, and what else would help on this machine."""

import os
import sys

from execpolicy.errors import ExecPolicyError, UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.hosts import edit, place
from execpolicy.hosts.host import HOSTS, Host
from execpolicy.hosts.lists import READERS
from execpolicy.resources import presets_directory
from execpolicy.store import dirs
from execpolicy.store.files import private_directory, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy init [--preset NAME]

Write `preset.rules` into your rules directory, and offer to import the permission lists of the
hosts on this machine and to install the hook in them. Without a terminal nothing is asked: what
would help is printed.

  --preset NAME  careful: what cannot be undone is refused
                 standard (the default): what does more than read is asked about
                 unattended: nobody is asked; files may be written, all else is refused

exit codes: 0 done, 1 refused, 64 usage
example:    execpolicy init --preset careful
"""

PRESETS = ("careful", "standard", "unattended")


def main(arguments: "Sequence[str]") -> ExitCode:
    """Write the preset, then offer. A file that was changed is an `ExecPolicyError`."""
    if "-h" in arguments or "--help" in arguments:
        print(HELP, end="")
        return ExitCode.ALLOW
    _write(_preset(arguments))
    found = [host for host in HOSTS.values() if _is_here(host)]
    for host in found:
        if host.name in READERS:
            _offer("import", host)
        if not _has_hook(host):
            _offer("install", host)
    if not found:
        print("no host of an agent was found; `execpolicy install --help` lists them")
    return ExitCode.ALLOW


def _preset(arguments: "Sequence[str]") -> str:
    given = list(arguments)
    name = "standard"
    if given[:1] == ["--preset"] and len(given) == 2:
        name = given[1]
    elif len(given) == 1 and given[0].startswith("--preset="):
        name = given[0].partition("=")[2]
    elif given:
        raise UsageError("usage: execpolicy init [--preset NAME]")
    if name not in PRESETS:
        raise UsageError(f"unknown preset `{printable(name, 40)}`: use {', '.join(PRESETS)}")
    return name


def _write(name: str) -> None:
    """Write the preset. One that a person changed since stays, and that is an error."""
    folder = os.path.join(dirs.config(), "rules")
    path = os.path.join(folder, "preset.rules")
    texts = {preset: _text(preset) for preset in PRESETS}
    before = place.read(path)
    if before == texts[name]:
        print(f"{printable(path)}: is `{name}` already")
        return
    if before is not None and before not in texts.values():
        raise ExecPolicyError(f"{path} was changed: move it away to begin with `{name}`")
    private_directory(dirs.config())
    private_directory(folder)
    replace(path, texts[name].encode(), 0o600)
    print(f"{printable(path)}: `{name}`; change it as you like")


def _text(preset: str) -> str:
    with open(os.path.join(presets_directory(), f"{preset}.rules"), encoding="utf-8") as file:
        return file.read()


def _is_here(host: Host) -> bool:
    """Whether the host was used on this machine: its own directory is in the home directory."""
    file = place.path(host, "user", "")
    top = os.path.relpath(file, os.path.expanduser("~")).split(os.sep)
    parts = 2 if top[0] in (".config", ".codeium") else 1
    folder = os.path.join(os.path.expanduser("~"), *top[:parts])
    if host.name == "antigravity":
        folder = os.path.dirname(file)
    return os.path.isdir(folder)


def _has_hook(host: Host) -> bool:
    try:
        return any(edit.commands(host, found) for found in edit.places(host, "user", ""))
    except ExecPolicyError:
        return False


def _offer(command: str, host: Host) -> None:
    """Ask whether to do it now; where nobody can answer, say what to type."""
    typed = f"execpolicy {command} {host.name}"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(f"next: {typed}")
        return
    if input(f"{typed}? [y/N] ").strip().lower() not in ("y", "yes"):
        return
    from execpolicy.commands import COMMANDS

    try:
        COMMANDS[command].load()([host.name])
    except ExecPolicyError as error:
        print(f"execpolicy: {error}", file=sys.stderr)
