"""`execpolicy init`: a first layer of one's own, and what else would help on this machine."""

import os
import sys

from execpolicy.commands import next_steps
from execpolicy.commands.arguments import Kind, Option, Syntax, Takes, parse
from execpolicy.errors import ExecPolicyError, printable
from execpolicy.exit import ExitCode
from execpolicy.hosts import place, present
from execpolicy.hosts.host import Host
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
SYNTAX = Syntax("init", (Option(("--preset",), "preset", Takes("preset", Kind.WORD, PRESETS)),))


def main(arguments: "Sequence[str]") -> ExitCode:
    """Write the preset, then offer. A file that was changed is an `ExecPolicyError`."""
    parsed = parse(SYNTAX, arguments)
    if parsed.help:
        print(HELP, end="")
        return ExitCode.ALLOW
    _write(str(parsed.fields.get("preset", "standard")))
    found = present.here()
    for host in found:
        if host.name in READERS:
            _offer("import", host)
        if not present.has_hook(host):
            _offer("install", host)
    if not found:
        print("no host of an agent was found; `execpolicy install --help` lists them")
    next_steps.show("execpolicy check -- git push", "what is decided about a command, and why")
    next_steps.show("execpolicy layers", "the rules that are in force here")
    return ExitCode.ALLOW


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


def _offer(command: str, host: Host) -> None:
    """Ask whether to do it now; where nobody can answer, say what to type."""
    typed = f"execpolicy {command} {host.name}"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        next_steps.show(typed)
        return
    if input(f"{typed}? [y/N] ").strip().lower() not in ("y", "yes"):
        return
    from execpolicy.commands import COMMANDS

    try:
        COMMANDS[command].load()([host.name])
    except ExecPolicyError as error:
        print(f"execpolicy: {error}", file=sys.stderr)
