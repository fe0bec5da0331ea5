"""What an agent starts a shell for: its model's command, and the agent's own text around it."""

from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value


class CallRole(OrderedEnum):
    """Whose text a shell gets."""

    MODEL = 0
    """`command` is the model's, the rest is the agent's."""
    OWN = 1
    """All of it is the agent's own, as at its start."""


class HostDirectories(Value):
    """Where an agent keeps what its own text may name: absolute paths without `.` and `..`.

    `state` is the directory of its state (`~/.claude`), `program` the one that its program is
    installed in, `temporary` the one for temporary files. An empty one has nothing in it.
    """

    state: str = ""
    program: str = ""
    temporary: str = "/tmp"  # noqa: S108


class ShellCall(Value):
    """A shell's argv as an agent makes it.

    `shell` is the program, `options` are those before `-c`. `command` is the model's text, or, of
    the agent's own call, all of it. Of the agent's text around it: `snapshot` is the file that it
    reads first, `path` the directories that it puts before those of PATH, `kept` the variables
    that it sets again as they were before the snapshot, `writes` the files that it writes.
    `null_input`: the command's standard input is `/dev/null`. `same_shell`: the shell that runs
    the command has read the snapshot, so that its functions and aliases hold. Of a call that makes
    a snapshot `made` is the path that it is read from later, and `writes` where it is by then.
    `shadows` are functions that the agent puts there in the place of programs.
    """

    host: str
    role: CallRole
    shell: str
    command: str
    options: tuple[str, ...] = ()
    snapshot: str = ""
    path: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    null_input: bool = False
    same_shell: bool = False
    made: str = ""
    shadows: tuple[str, ...] = ()
