"""What `doctor` finds out about the sandbox: it tries each wall of this machine."""

import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from execpolicy.support.record import Value

_CONNECTS = 'import socket as s; s.socket(s.AF_UNIX).connect("{socket}")'
PROBES = (
    ("files outside are not written", "echo x > {file}"),
    ("no server of this machine is reached", "exec 3<>/dev/tcp/127.0.0.1/{port}"),
    ("no unix socket of another program is reached", f"{{python}} -c '{_CONNECTS}'"),
    ("no further namespaces are made", "unshare -Ur true"),
    ("no capability is in force", "! grep -q 'CapEff:.0*$' /proc/self/status"),
    ("kernel settings are not written", "test -w /proc/sys/kernel/core_pattern"),
)
"""What each wall promises, and a command that succeeds only where it does not stand."""
PYTHON = "/usr/bin/python3"
_NOT_RUN = (126, 127)
"""The program of a probe is not there inside (bash(1), "EXIT STATUS")."""


@contextmanager
def outside(directory: str) -> "Iterator[dict[str, object]]":
    """What probes try to reach, by the names that they have for it. `directory` is seen inside."""
    path = os.path.join(directory, "socket")
    python = PYTHON if os.path.exists(PYTHON) else sys.executable
    home = os.path.expanduser("~")
    with (
        tempfile.TemporaryDirectory(dir=home if os.access(home, os.W_OK) else None) as other,
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as local,
    ):
        local.bind(path)
        local.listen()
        file, port = os.path.join(other, "file"), server.getsockname()[1]
        yield {"file": file, "port": port, "socket": path, "python": python}


class Finding(Value):
    """One line: whether it is well, and what to do if not."""

    well: bool
    text: str
    remedy: str | None = None


def walls() -> "list[Finding]":
    """Try the sandbox on this machine."""
    from execpolicy.engine.engine import Engine
    from execpolicy.sandbox import NoSandboxError, Sandbox

    with tempfile.TemporaryDirectory() as nowhere:
        rules = os.path.join(nowhere, "probe.rules")
        with open(rules, "w") as file:
            file.write("sandbox(auto_allow = True)\n")
        sandbox = Sandbox(Engine.load(rules=[rules]))
        try:
            with outside(nowhere) as there:
                filled = [(text, command.format(**there)) for text, command in PROBES]
                codes = [sandbox.execute(c, cwd=nowhere, timeout=20).code for _, c in filled]
        except (NoSandboxError, OSError) as error:
            return [Finding(well=False, text="sandbox: none can be made here", remedy=str(error))]
    return [_finding(text, code) for (text, _), code in zip(PROBES, codes, strict=True)]


def _finding(text: str, code: int) -> Finding:
    if code in _NOT_RUN:
        return Finding(well=True, text=f"sandbox: {text} (not tried: no program for it is inside)")
    remedy = None if code else "tell the maintainers of execpolicy"
    return Finding(code != 0, f"sandbox: {text}", remedy)
