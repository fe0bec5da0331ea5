"""A launcher of a host's own name, which starts it in `execpolicy wrap`."""

import os
import shlex

from execpolicy.hosts.agents.entries import started_by
from execpolicy.hosts.install import host_file, start_words
from execpolicy.hosts.install.edit import Change
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError

_MARK = "# Made by `execpolicy install --wrap`; `execpolicy uninstall` removes it."


def directory() -> str:
    """Where launchers lie, which has to come first in `PATH`."""
    given = os.environ.get("XDG_DATA_HOME", "")
    data = given if given[:1] == "/" else os.path.expanduser("~/.local/share")
    return os.path.join(data, "execpolicy", "bin")


def installing(host: Host) -> Change:
    """The launcher of a host. Raises `ExecPolicyError` where there is nothing to launch."""
    if started_by(host.program) is None:
        raise ExecPolicyError(f"`execpolicy wrap` does not know {host.name}: install its hook")
    real = _found(host.program, directory())
    if not real:
        raise ExecPolicyError(f"`{host.program}` is not in PATH: install {host.name} first")
    client, words = start_words.asks_server(), start_words.command()
    words = words[len(client) :] if words[: len(client)] == client else words
    line = f'exec {shlex.join((*words, "wrap", "--", real))} "$@"'
    file = os.path.join(directory(), host.program)
    before = host_file.read(file)
    if before is not None and _MARK not in before:
        raise ExecPolicyError(f"`{file}` is not a launcher of `execpolicy install`: move it away")
    return Change(file, before, f"#!/bin/sh\n{_MARK}\n{line}\n")


def removing(host: Host) -> Change | None:
    """The change that takes a launcher away; None where there is none of ours."""
    file = os.path.join(directory(), host.program)
    before = host_file.read(file)
    return Change(file, before, None) if before is not None and _MARK in before else None


def comes_first(host: Host) -> bool:
    """Whether a shell that is started now finds the launcher under the host's name."""
    return _found(host.program) == os.path.join(directory(), host.program)


def _found(program: str, without: str = "") -> str:
    for each in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(each, program)
        if each[:1] == "/" and os.path.normpath(each) != without and os.access(path, os.X_OK):
            return path
    return ""
