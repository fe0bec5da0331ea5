"""What is known of an agent's own program: its state, its keys, its model, how it does not ask."""

from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value


class StateColumn(OrderedEnum):
    """What a part of an agent's state is for, and so what the agent may do with it."""

    DATA = 0
    """Sessions, logs, databases, caches of data: the agent writes it."""
    CODE = 1
    """Programs that it downloaded, plugins, language servers: it reads it."""
    STEERING = 2
    """Settings, hooks, skills, MCP servers, trust: it reads it."""
    PRIVATE = 3
    """What two sessions must not share, because they name it alike: each has its own."""


class StateEntry(Value):
    """A part of an agent's state; `path` is relative to the home directory, a directory's or a
    file's."""

    path: str
    column: StateColumn
    is_directory: bool = True


class CarriedFile(Value):
    """A file of JSON that the agent replaces by rename; `path` is relative to the home directory.

    `keys` are those that are data, each a row of keys from the top, with `*` for any. All others
    are steering.
    """

    path: str
    keys: tuple[tuple[str, ...], ...] = ()


class AgentEntry(Value):
    """An agent, as its entry describes it.

    `programs` are the names that its program is started by, `packages` the npm packages in which it
    comes, `executables` what of its own it starts, by base name: nothing else is real in its
    sandbox. `directory` is the directory of its state, relative to the home, and
    `directory_variable` the variable that puts it elsewhere. `key_files` are its own credentials,
    relative to the home, `key_variables` the variables with one, and `login` is the command by
    which the user gets one. `model_hosts` are reached without a question, `refused_hosts`
    (telemetry, updates) never, quietly; a name that begins with `*.` is any below.
    `model_variables` are those that name another host of its model. `arguments` and `variables` are
    given to it so that it does not ask and uses no sandbox of its own; `~/` at the
    begin of a value is the home. Those of `defaults` are where the user has none of that name.
    `servers` are files of the home with the user's MCP servers, each with the keys to their table.
    `own_commands` are what it starts by itself, each a row of words with `*` for any one.
    `made` are files that it writes at its start into directories of settings, with their text, and
    ends where it cannot: below `~/`, or below its directory and each one above it in the project.
    """

    name: str
    product: str
    versions: tuple[str, ...]
    programs: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()
    directory: str = ""
    directory_variable: str = ""
    state: tuple[StateEntry, ...] = ()
    carried: tuple[CarriedFile, ...] = ()
    key_files: tuple[str, ...] = ()
    key_variables: tuple[str, ...] = ()
    login: str = ""
    login_hosts: tuple[str, ...] = ()
    model_hosts: tuple[str, ...] = ()
    model_variables: tuple[str, ...] = ()
    refused_hosts: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    defaults: tuple[tuple[str, str], ...] = ()
    servers: tuple[str, ...] = ()
    own_commands: tuple[tuple[str, ...], ...] = ()
    made: tuple[tuple[str, str], ...] = ()

    def path_of(self, column: StateColumn) -> tuple[str, ...]:
        """The paths of a column, relative to the home directory."""
        return tuple(entry.path for entry in self.state if entry.column is column)
