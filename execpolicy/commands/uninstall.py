"""`execpolicy uninstall`: take the hooks out of the hosts' configuration again."""

import os

from execpolicy.commands.install import apply, parse
from execpolicy.errors import ExecPolicyError
from execpolicy.exit import ExitCode
from execpolicy.hosts import hooks, jsonc, place
from execpolicy.hosts.host import HOSTS, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """\
usage: execpolicy uninstall HOST… [--scope user|project] [--dry-run]

Take out what `execpolicy install` put into the host's configuration, and nothing else.

  --scope SCOPE  user (the default) or project
  --dry-run      show the change as a diff, and write nothing

hosts:      {hosts}
exit codes: 0 done, 1 refused, 64 usage
example:    execpolicy uninstall claude
"""


def main(arguments: "Sequence[str]") -> ExitCode:
    """Uninstall the hooks of each host. A file that is not understood is an `ExecPolicyError`."""
    options = parse(arguments, "uninstall")
    if options.help:
        print(HELP.format(hosts=" ".join(HOSTS)), end="")
        return ExitCode.ALLOW
    for host in options.hosts:
        file = place.path(host, options.scope, os.getcwd())
        before = place.read(file)
        apply(file, before, _after(host, file, before), options.dry)
    return ExitCode.ALLOW


def _after(host: Host, file: str, before: str | None) -> str | None:
    if host.plugin or before is None:
        return None
    try:
        after = hooks.removed(before, host)
    except ExecPolicyError as error:
        raise ExecPolicyError(f"{file} is left as it is: {error}") from None
    empty = jsonc.parse(after).value in ({}, host.base)
    return None if empty and after != before else after
