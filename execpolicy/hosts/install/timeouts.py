"""How long a host lets our hook take: some go on without an answer then, and run the call."""

from execpolicy.hosts.install import edit
from execpolicy.hosts.install.host import HOSTS
from execpolicy.model.errors import ExecPolicyError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = {"claude": 600.0, "codex": 600.0, "copilot": 30.0, "gemini": 60.0, "qwen": 60.0}
"""The most seconds that a host gives to a hook, by what it documents. Others are not waited in."""
_UNITS = {"timeout": 1.0, "timeoutSec": 1.0}
_MILLISECONDS = frozenset(("gemini", "qwen"))
"""Hosts whose `timeout` counts milliseconds."""


def limit(name: str, root: str) -> float:
    """The seconds that every entry of ours gives the hook, in the user's file and the project's.

    0 where that cannot be told.
    """
    if name not in LONGEST:
        return 0.0
    try:
        found = [*_limits(name, "user", ""), *(_limits(name, "project", root) if root else ())]
    except (ExecPolicyError, OSError):
        return 0.0
    return min([LONGEST[name], *found]) if found else 0.0


def _limits(name: str, scope: str, root: str) -> "Iterator[float]":
    host = HOSTS[name]
    for place in edit.places(host, scope, root):
        if place.text is not None:
            ours = frozenset(edit.commands(host, place))
            yield from (_seconds(name, each) for each in _items(edit.table(place), ours))


def _items(value: object, commands: frozenset[str]) -> "Iterator[dict[str, object]]":
    """Each table that starts one of these commands, at any depth."""
    if isinstance(value, dict):
        if any(isinstance(each, str) and each in commands for each in value.values()):
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _items(each, commands)


def _seconds(name: str, item: "dict[str, object]") -> float:
    """The limit of an entry; 0 for one that names none, as the default may change."""
    for field, unit in _UNITS.items():
        given = item.get(field)
        if isinstance(given, (int, float)) and not isinstance(given, bool):
            return given * unit / (1000.0 if name in _MILLISECONDS else 1.0)
    return 0.0
