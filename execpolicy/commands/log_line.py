"""What a line of the audit log says: when it was, and which call it is about."""

from execpolicy.store.log_lines import Line

_SAID = ("access", "path", "connect", "host", "program", "kind")
"""The fields of an operation that say what it does."""


def seconds(line: Line) -> float:
    """When a line was written, by the wall clock; 0 where it does not say."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(str(line.get("time"))).timestamp()
    except ValueError:
        return 0.0


def operations(line: Line) -> list[Line]:
    """The operations of a line."""
    found = line.get("operations")
    return [o for o in found if isinstance(o, dict)] if isinstance(found, list) else []


def programs(line: Line) -> list[str]:
    """The programs among them."""
    return [str(o["program"]) for o in operations(line) if "program" in o]


def called(line: Line) -> str:
    """The command; of a call that has none what it does, as far as the log says.

    >>> called({"command": "", "operations": [{"access": "write", "path": "/a"}]})
    'write /a'
    """
    command = line.get("command")
    if isinstance(command, str) and command:
        return command
    every = (" ".join(str(o[n]) for n in _SAID if n in o) for o in operations(line))
    return ", ".join(dict.fromkeys(every))
