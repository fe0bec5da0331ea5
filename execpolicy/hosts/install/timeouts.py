"""How long a host lets our hook take: some go on without an answer then, and run the call."""

from collections.abc import Iterator

from execpolicy.hosts.install import edit
from execpolicy.hosts.install.host import COMMAND, HOSTS, TIMES, Host
from execpolicy.model.errors import ExecPolicyError

MARGIN = 3.0
"""Seconds that are left when the waiting ends: the host began to count before, and the call may be
decided about once more."""


def patient(host: Host, seconds: int) -> Host:
    """The host with entries that let the hook wait so long, as far as it gives a hook the time."""
    if not seconds or not host.longest:
        return host
    needed = int(min(seconds + MARGIN, host.longest) * host.units)
    entries = tuple(e.replace(item=_raised(e.item, needed)) for e in host.entries)
    return host.replace(entries=entries, patient=True)


def _raised(item: object, needed: int) -> object:
    if isinstance(item, dict):
        ours = COMMAND in item.values()
        return {
            key: max(value, needed) if ours and key in TIMES else _raised(value, needed)
            for key, value in item.items()
        }
    return [_raised(each, needed) for each in item] if isinstance(item, list) else item


def limit(name: str, root: str) -> float:
    """The seconds that every entry of ours gives the hook, in the user's file and the project's.

    0 where that cannot be told.
    """
    longest = HOSTS[name].longest if name in HOSTS else 0.0
    if not longest:
        return 0.0
    try:
        found = [*_limits(name, "user", ""), *(_limits(name, "project", root) if root else ())]
    except (ExecPolicyError, OSError):
        return 0.0
    return min([longest, *found]) if found else 0.0


def _limits(name: str, scope: str, root: str) -> Iterator[float]:
    host = HOSTS[name]
    for place in edit.places(host, scope, root):
        if place.text is not None:
            ours = frozenset(edit.commands(host, place))
            yield from (_seconds(host, each) for each in _items(edit.table(place), ours))


def _items(value: object, commands: frozenset[str]) -> Iterator[dict[str, object]]:
    """Each table that starts one of these commands, at any depth."""
    if isinstance(value, dict):
        if any(isinstance(each, str) and each in commands for each in value.values()):
            yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _items(each, commands)


def _seconds(host: Host, item: dict[str, object]) -> float:
    """The limit of an entry; 0 for one that names none, as the default may change."""
    for field in TIMES:
        given = item.get(field)
        if isinstance(given, (int, float)) and not isinstance(given, bool):
            return given / host.units
    return 0.0
