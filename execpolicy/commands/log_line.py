"""What a line of the audit log says: when it was, and which call it is about."""

from itertools import islice

from execpolicy.engine.audit import log_path
from execpolicy.store.log_file import timestamp
from execpolicy.store.log_lines import Line, newest

DAYS = 7
"""Of which a page tells what was asked."""

_SAID = ("access", "path", "connect", "host", "program", "kind")
"""The fields of an operation that say what it does."""


def latest(since: str, most: int) -> list[Line]:
    """So many of the newest lines from a point in time on, the newest first; none where the log
    cannot be read."""
    try:
        return [*islice(newest(log_path(), since), most)]
    except OSError:
        return []


def days_before(wall: float) -> str:
    """The point in time that is `DAYS` before another one."""
    return timestamp(wall - DAYS * 86400)


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
