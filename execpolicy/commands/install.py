"""`execpolicy install`: put the policy in front of agents, by their hosts' own configuration."""

import difflib
import os
import sys

from execpolicy.errors import UsageError, printable
from execpolicy.exit import ExitCode
from execpolicy.hosts import edit, place
from execpolicy.hosts.host import HOSTS, Host
from execpolicy.store.settings import load as load_settings
from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy install HOST… [--scope user|project] [--dry-run]

Add a hook to the host's configuration, so that each command an agent is about to run is decided
here first. All else in the file stays as it is; the first time a copy of it is kept beside it.
The hook is started so that it loads no Python module of the agent's project; an entry of an earlier
version is replaced.

  --scope SCOPE  user (the default): for all you do; project: for the directory you are in
  --dry-run      show the change as a diff, and write nothing

hosts:      {hosts}
exit codes: 0 done, 1 refused, 64 usage
example:    execpolicy install claude codex
"""


class Options(Value):
    """What the command line says."""

    hosts: tuple[Host, ...] = ()
    scope: str = "user"
    dry: bool = False
    help: bool = False


def main(arguments: "Sequence[str]") -> ExitCode:
    """Install the hooks of each host. A file that is not understood is an `ExecPolicyError`."""
    options = parse(arguments, "install")
    if options.help:
        print(HELP.format(hosts=" ".join(HOSTS)), end="")
        return ExitCode.ALLOW
    program = place.command()
    strict = load_settings().undecided == "deny"
    found = [
        (host, edit.installing(host, options.scope, os.getcwd(), program, strict))
        for host in options.hosts
    ]
    for host, changes in found:
        changed = [apply(change, options.dry) for change in changes]
        if any(changed) and not options.dry and host.after:
            print(f"{host.name}: {host.after}")
    return ExitCode.ALLOW


def apply(change: edit.Change, dry: bool) -> bool:
    """Write a change, or show it; whether there is one."""
    file, before, after = change.file, change.before, change.after
    if before == after:
        print(f"{printable(file)}: nothing to change")
        return False
    if dry:
        sys.stdout.write(diff(file, before or "", after or ""))
        return True
    if after is None:
        os.unlink(file)
        print(f"{printable(file)}: removed")
        return True
    backup = place.write(file, after, before)
    kept = f" (as it was: {printable(backup)})" if backup else ""
    print(f"{printable(file)}: written{kept}")
    return True


def diff(file: str, before: str, after: str) -> str:
    """The change as a unified diff that cannot fool a terminal."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), f"{file} (now)", f"{file} (then)", lineterm=""
    )
    return "".join(printable(line) + "\n" for line in lines)


def parse(arguments: "Sequence[str]", command: str) -> Options:
    """The command line of `install` and `uninstall`. Raises `UsageError`."""
    names: list[str] = []
    scope, dry = "user", False
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-h", "--help"):
            return Options(help=True)
        if argument == "--dry-run":
            dry = True
        elif argument == "--scope" or argument.startswith("--scope="):
            scope = argument.partition("=")[2] or next(rest, "")
        elif argument.startswith("-"):
            raise UsageError(f"unknown option `{argument}` (`execpolicy {command} --help`)")
        else:
            names.append(argument)
    if scope not in ("user", "project"):
        raise UsageError(f"unknown scope `{scope}`: use user or project")
    unknown = [name for name in names if name not in HOSTS]
    if unknown or not names:
        what = f"unknown host `{printable(unknown[0], 40)}`" if unknown else "no host"
        raise UsageError(f"{what}: use one of {', '.join(HOSTS)}")
    return Options(tuple(HOSTS[name] for name in dict.fromkeys(names)), scope, dry)
