"""What `doctor` finds out about the sandbox: it tries each wall of this machine."""

import os
import sys
import tempfile

from execpolicy.support.record import Value

PROBES = (
    ("files outside are not written", "echo x > /execpolicy-probe"),
    ("no host is reached", "exec 3<>/dev/tcp/127.0.0.1/22"),
    ("no unix sockets are made", f"{sys.executable} -c 'import socket; socket.socket(1)'"),
    ("no further namespaces are made", "unshare -Ur true"),
    ("no capability is in force", "! grep -q 'CapEff:.0*$' /proc/self/status"),
    ("kernel settings are not written", "test -w /proc/sys/kernel/core_pattern"),
)
"""What each wall promises, and a command that succeeds only where it does not stand."""


class Finding(Value):
    """One line: whether it is well, and what to do if not."""

    well: bool
    text: str
    remedy: str | None = None


def walls() -> "list[Finding]":
    """Try the sandbox on this machine."""
    from execpolicy.engine.engine import Engine
    from execpolicy.sandbox import NoSandboxError, Sandbox

    found = []
    with tempfile.TemporaryDirectory() as nowhere:
        rules = os.path.join(nowhere, "probe.rules")
        with open(rules, "w") as file:
            file.write("sandbox(auto_allow = True)\n")
        sandbox = Sandbox(Engine.load(rules=[rules]))
        try:
            for text, command in PROBES:
                result = sandbox.execute(command, cwd=nowhere, timeout=20)
                remedy = None if result.code else "tell the maintainers of execpolicy"
                found.append(Finding(result.code != 0, f"sandbox: {text}", remedy))
        except (NoSandboxError, OSError) as error:
            return [Finding(well=False, text="sandbox: none can be made here", remedy=str(error))]
    return found
