"""MCP servers that the user configured for an agent, each with the variables that it is given."""

from collections.abc import Callable, Iterator, Sequence

from execpolicy.hosts.agents.agent import AgentEntry
from execpolicy.hosts.permissions import files
from execpolicy.support.record import Value

ANY = "*"


class McpServer(Value):
    """A server that an agent starts by these words, with these variables."""

    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...]


def own_servers(entry: AgentEntry, outside: "Callable[[str], str]") -> tuple[McpServer, ...]:
    """The servers of the user's own configuration; `outside` says where a file of the home is.

    What cannot be read names none. A value that the agent makes of another variable is left out.
    """
    found: list[McpServer] = []
    for place in entry.servers:
        path, _, keys = place.partition(":")
        read = files.toml if path.endswith(".toml") else files.json
        try:
            table = read(outside(path))
        except files.UnreadableError:
            continue
        found += _servers(table, (*keys.split("."), ANY))
    return tuple(found)


def _servers(value: object, keys: "Sequence[str]") -> "Iterator[McpServer]":
    table = files.table(value)
    if not keys:
        words = (*_texts(table.get("command")), *_texts(table.get("args")))
        given = {**files.table(table.get("env")), **files.table(table.get("environment"))}
        kept = ((n, v) for n, v in given.items() if isinstance(v, str) and "{" not in v)
        if words:
            yield McpServer(words, tuple(kept))
        return
    for name in table if keys[0] == ANY else (keys[0],):
        yield from _servers(table.get(name), keys[1:])


def _texts(value: object) -> "Iterator[str]":
    """A text, or each of a list."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        yield from (one for one in value if isinstance(one, str))
