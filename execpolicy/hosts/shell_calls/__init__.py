"""The forms in which agents start a shell for a command of their model."""

from _collections_abc import Sequence

from execpolicy.hosts.shell_calls import claude, codex, gemini, plain
from execpolicy.hosts.shell_calls.call import CallRole, HostDirectories, ShellCall
from execpolicy.hosts.shell_calls.own import SHELLS

__all__ = ["CallRole", "HostDirectories", "ShellCall", "shell_call"]

_READERS = {"claude": claude.read, "codex": codex.read, "gemini": gemini.read}


def shell_call(host: str, argv: "Sequence[str]", places: HostDirectories) -> ShellCall | None:
    """The model's command in an agent's call of a shell; None where the form is not known.

    `host` is a name of `hosts.agents`. What this gives is exact: nothing but the command differs
    from what the agent writes itself. A call that is not known is to be judged whole.

    >>> shell_call("copilot", ["/bin/bash", "--norc", "--noprofile", "-c", "ls"], HostDirectories())
    ShellCall(host='copilot', role=<CallRole.MODEL: 0>, shell='/bin/bash', command='ls', \
options=('--norc', '--noprofile'), snapshot='', path=(), kept=(), writes=(), null_input=False)
    """
    if len(argv) < 3 or argv[0].rpartition("/")[2] not in SHELLS:
        return None
    if host in plain.OPTIONS:
        return plain.read(host, argv)
    reader = _READERS.get(host)
    return reader(argv, places) if reader is not None else None
