"""The entries of the agents that are known: one file of TOML each, in `entries/`."""

import os
from collections.abc import Iterable

from execpolicy.hosts.agents.agent import AgentEntry, CarriedFile, StateColumn, StateEntry
from execpolicy.support.resources import package_directory

_DIRECTORY = os.path.join(package_directory(), "hosts", "agents", "entries")
_READ: dict[str, AgentEntry] = {}


def names() -> tuple[str, ...]:
    """The names of the agents that are known."""
    return tuple(sorted(file[:-5] for file in os.listdir(_DIRECTORY) if file.endswith(".toml")))


def agent(name: str) -> AgentEntry:
    """The entry of an agent. Raises `KeyError` for a name that is not known.

    >>> agent("claude").programs
    ('claude',)
    """
    if name not in names():
        raise KeyError(name)
    if name not in _READ:
        _READ[name] = _read(name)
    return _READ[name]


def started_by(program: str) -> AgentEntry | None:
    """The agent that a program is, by its base name.

    >>> started_by("/usr/local/bin/codex").product
    'Codex'
    """
    base = os.path.basename(program)
    return next((each for each in map(agent, names()) if base in each.programs), None)


def unknown(program: str, state: Iterable[str], model_hosts: Iterable[str]) -> AgentEntry:
    """An agent of which the user says where its state is, and which hosts its model has.

    `state` are directories relative to the home. All of them are data.
    """
    name = os.path.basename(program)
    entries = tuple(StateEntry(path.strip("/"), StateColumn.DATA) for path in state)
    return AgentEntry(name, name, (), (name,), state=entries, model_hosts=tuple(model_hosts))


def _read(name: str) -> AgentEntry:
    import tomllib

    with open(os.path.join(_DIRECTORY, f"{name}.toml"), "rb") as file:
        table: dict[str, object] = tomllib.load(file)
    own = table.pop("own_commands", [])
    fields = {
        key: value if isinstance(value, str) else _texts(value)
        for key, value in table.items()
        if isinstance(value, str | list)
    }
    return AgentEntry(
        **fields,  # type: ignore[arg-type]
        name=name,
        variables=_pairs(_table(table, "variables")),
        defaults=_pairs(_table(table, "defaults")),
        made=_pairs(_table(table, "made")),
        own_commands=tuple(map(_texts, own if isinstance(own, list) else ())),
        state=tuple(_state(_table(table, "state"))),
        carried=tuple(_carried(_table(table, "carried"))),
    )


def _state(table: dict[str, object]) -> Iterable[StateEntry]:
    for column in StateColumn:
        for path in _texts(table.get(column.name.lower(), [])):
            yield StateEntry(path.rstrip("/"), column, path.endswith("/"))


def _carried(table: dict[str, object]) -> Iterable[CarriedFile]:
    for path in table:
        keys = _texts(_table(table, path).get("keys", []))
        yield CarriedFile(path, tuple(tuple(key.split(".")) for key in keys))


def _table(table: dict[str, object], key: str) -> dict[str, object]:
    value = table.get(key, {})
    return value if isinstance(value, dict) else {}


def _pairs(table: dict[str, object]) -> tuple[tuple[str, str], ...]:
    return tuple((key, _text(value)) for key, value in table.items())


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_text, value))) if isinstance(value, list) else ()
