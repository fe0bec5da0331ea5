"""Copilot's command line: what it denies a hook's grant would override, so nothing is granted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents import support
from tests.waiting import HANG_SECONDS

PAYLOAD = json.dumps({"toolName": "bash", "toolArgs": {"command": "mytool"}})
HOST = """\
import subprocess, sys
subprocess.run([sys.executable, "-m", "execpolicy", "hook", "copilot"])
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
@pytest.mark.parametrize(
    ("flags", "granted"),
    [
        ([], True),
        (["--allow-all-tools"], True),
        (["--deny-tool", "shell(mytool)"], False),
        (["--deny-tool=shell(mytool)", "--allow-all-tools"], False),
        (["--excluded-tools", "bash"], False),
    ],
)
def test_nothing_is_granted_where_the_host_denies_tools(
    flags: list[str], granted: bool, home: Path
) -> None:
    support.write_rules(home)
    warm = [sys.executable, "-m", "execpolicy", "check", "mytool"]
    subprocess.run(warm, capture_output=True, check=True)
    host = [sys.executable, "-c", HOST, *flags]
    done = subprocess.run(host, input=PAYLOAD.encode(), capture_output=True, timeout=HANG_SECONDS)
    assert (b'"allow"' in done.stdout) is granted
    assert bool(done.stdout) is granted
