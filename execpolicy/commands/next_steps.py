"""What to do after `install` and `init`: commands to type, each with what it is good for."""

import os
from collections.abc import Iterator, Sequence

from execpolicy.hosts.convert.lists import READERS, entries
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError
from execpolicy.support import directories


def show(command: str, why: str = "") -> None:
    """Print a step; the line without its beginning may be pasted into a shell."""
    print(f"next: {command}" + (f"  # {why}" if why else ""))


def after_install(hosts: Sequence[Host], scope: str) -> None:
    """Print what follows where hosts got the hook just now."""
    names = [host.name for host in hosts]
    print(f"next: restart sessions of {', '.join(names)} that run: they may not know the hook yet")
    show(f"execpolicy doctor {' '.join(names)}", "sends a call through the hook")
    if scope == "user":
        for host in hosts:
            if has_list(host):
                show(f"execpolicy import {host.name}", "your permission list there, as rules")
    if not has_rules():
        show("execpolicy init", "a first set of rules of your own")


def has_list(host: Host) -> bool:
    """Whether the host has a permission list of the user that was not imported yet."""
    if host.name not in READERS or f"imported-{host.name}.rules" in _rules():
        return False
    try:
        found = entries(host.name, "user", "")
        return bool(found.commands or found.places)
    except ExecPolicyError:
        return True  # `import` says what is wrong with it


def has_rules() -> bool:
    """Whether the user has rules of their own."""
    return any(_rules())


def _rules() -> Iterator[str]:
    folder = os.path.join(directories.config(), "rules")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return (name for name in names if name.endswith(".rules") and not name.startswith("."))
