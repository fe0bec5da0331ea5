"""The audit log as the settings want it."""

import os

from execpolicy.engine.audit import Log, append, timestamp
from execpolicy.engine.audit import record as write
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.store.sources.settings import Settings
from execpolicy.support import directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def record(request: Request, verdict: Verdict, settings: Settings) -> None:
    """Append a line about a verdict to the user's log. Never raises."""
    write(Log(path(), settings.audit_commands, settings.audit_bytes), request, verdict)


def record_connection(line: "dict[str, Any]") -> None:
    """Append a line about a connection to the user's log of the network. Never raises."""
    from time import time

    append(Log(network_path()), {"time": timestamp(time()), "pid": os.getpid(), **line})


def network_path() -> str:
    """Where decisions about connections are written down."""
    return os.path.join(directories.state(), "network.jsonl")


def path() -> str:
    """Where the log is."""
    return os.path.join(directories.state(), "audit.jsonl")
