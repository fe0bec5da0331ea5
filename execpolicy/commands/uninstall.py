"""`execpolicy uninstall`: take the hooks out of the hosts' configuration again."""

import os

from execpolicy.commands.install import apply, parse
from execpolicy.exit import ExitCode
from execpolicy.hosts import codex, edit
from execpolicy.hosts.host import HOSTS

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
        changes = edit.removing(host, options.scope, os.getcwd())
        moves = host.name == "codex" and codex.others_behind(host, options.scope, os.getcwd())
        for change in changes:
            apply(change, options.dry)
        if moves:
            print(
                f"{host.name}: start codex, type /hooks: it wants hooks behind ours trusted again"
            )
    return ExitCode.ALLOW
