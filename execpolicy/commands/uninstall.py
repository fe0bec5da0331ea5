"""`execpolicy uninstall`: take the hooks out of the hosts' configuration again."""

import os
from collections.abc import Sequence

from execpolicy.commands.exit_codes import ExitCode
from execpolicy.commands.install import InstallOptions, apply, each, parse, syntax
from execpolicy.hosts.install import codex, edit, launcher, leftover_copies, present
from execpolicy.hosts.install.host import HOSTS, Host
from execpolicy.model.errors import printable

SYNTAX = syntax("uninstall")


def main(arguments: Sequence[str]) -> ExitCode:
    """Uninstall the hooks of each host. A file that is not understood is an `ExecPolicyError`."""
    options = parse(arguments, SYNTAX)
    if options.every:
        found = [host for host in HOSTS.values() if _has_something(host, options.scope)]
        return each(found, lambda host: _remove(host, options), "no host has the hook")
    for host in options.hosts:
        _remove(host, options)
    return ExitCode.ALLOW


def _has_something(host: Host, scope: str) -> bool:
    """Whether our hook, or a copy that we made, is or could be there."""
    here = os.getcwd()
    launched = scope == "user" and launcher.removing(host) is not None
    return (
        launched
        or present.may_have_hook(host, scope, here)
        or leftover_copies.are_left(host, scope, here)
    )


def _remove(host: Host, options: InstallOptions) -> None:
    changes = edit.removing(host, options.scope, os.getcwd())
    copies = leftover_copies.copies(host, options.scope, os.getcwd(), changes)
    moves = host.name == "codex" and codex.others_behind(host, options.scope, os.getcwd())
    launched = launcher.removing(host) if options.scope == "user" else None
    for change in (*changes, *((launched,) if launched is not None else ())):
        apply(host, change, options.dry)
    for copy in copies:
        _clean(host, copy, options.dry)
    if moves:
        print(f"{host.name}: start codex, type /hooks: hooks after ours have to be trusted again")


def _clean(host: Host, copy: leftover_copies.Copy, dry: bool) -> None:
    """Remove a copy that is not needed; say why another one stays."""
    shown = f"{host.name}: {printable(copy.path)}"
    if copy.needed:
        print(f"{shown}: stays: it is not what the file holds now; remove it when you have looked")
    elif dry:
        print(f"{shown}: would be removed")
    else:
        os.unlink(copy.path)
        print(f"{shown}: removed")
