"""The audit log as the settings want it."""

import os

from execpolicy.audit import Log
from execpolicy.audit import record as write
from execpolicy.operation import Request
from execpolicy.store import dirs
from execpolicy.store.settings import Settings
from execpolicy.verdict import Verdict


def record(request: Request, verdict: Verdict, settings: Settings) -> None:
    """Append a line about a verdict to the user's log. Never raises."""
    write(Log(path(), settings.audit_commands, settings.audit_bytes), request, verdict)


def network_path() -> str:
    """Where decisions about connections are written down."""
    return os.path.join(dirs.state(), "network.jsonl")


def path() -> str:
    """Where the log is."""
    return os.path.join(dirs.state(), "audit.jsonl")
