"""An agent that was refused, and what it tries then: a shell called `claude`, in no sandbox."""

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.waiting import HANG_SECONDS, until

ROOT = Path(__file__).parents[3]
_CAPBSET_DROP, _SYS_RESOURCE = 24, 24
"""prctl(2) and capabilities(7): no user's agent may raise its own limits."""

_EP = """\
#!/bin/sh
PYTHONPATH="{root}" {python} -m execpolicy "$@" 2>"{log}.$$"
code=$?
printf '%s\\t%s\\n' "$code" "$(tr '\\n' ' ' < "{log}.$$")" >> "{log}"
exit $code
"""
_PTY = """\
#!{python}
import os, pty, sys
status = pty.spawn(sys.argv[1:], lambda fd: os.read(fd, 1024))
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Agent:
    """A host below a directory, which works in a project."""

    def __init__(self, directory: Path, project: Path) -> None:
        directory.mkdir()
        self.project, self.log = project, directory / "log"
        self.directory = directory
        self.host = directory / "claude"
        self.host.symlink_to("/bin/sh")
        python = sys.executable
        text = _EP.format(root=ROOT, python=python, log=self.log)
        self.ep = self._program("ep", text)
        self.pty = self._program("pty", _PTY.format(python=python))

    def _program(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def environment(self, code: str = "") -> dict[str, str]:
        """The variables that the host gives to what it runs."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_STATE_HOME")}
        clean = " ".join(("env -i", *(f"{name}={value}" for name, value in kept.items())))
        own = {
            "CLEAN": clean,
            "EP": str(self.ep),
            "PTY": str(self.pty),
            "CODE": code,
            "CLAUDECODE": "1",
        }
        return {**os.environ, **own, "PYTHONPATH": str(ROOT)}

    def run(self, text: str, variables: Mapping[str, str]) -> str:
        """Let the host run a text, as one of an ordinary user's; what that prints."""
        return self._run([str(self.host), "-c", f"{text}\n:"], variables)

    def user(self, text: str, variables: Mapping[str, str]) -> None:
        """Run a text in a login session of its own, which no process of this test is above."""
        self._run(["setsid", "-f", "env", "-u", "CLAUDECODE", "sh", "-c", text], variables)

    def _run(self, words: list[str], variables: Mapping[str, str]) -> str:
        done = subprocess.run(
            words,
            cwd=self.directory,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=HANG_SECONDS,
            preexec_fn=_bound,
        )
        return done.stdout.decode()

    def asks(self, command: str) -> str:
        """The payload of a call that this host cannot ask about."""
        payload = {
            "hook_event_name": "PreToolUse",
            "session_id": "s1",
            "cwd": str(self.project),
            "permission_mode": "bypassPermissions",
            "tool_name": "Bash",
            "tool_input": {"command": command},
        }
        return json.dumps(payload)

    def said(self) -> tuple[int, str]:
        """How `execpolicy` ended, and what it said."""
        until(lambda: self.log.exists() and self.log.read_text().endswith("\n"))
        code, _, text = self.log.read_text().partition("\t")
        return int(code), text


def _bound() -> None:
    ctypes.CDLL(None).prctl(_CAPBSET_DROP, _SYS_RESOURCE, 0, 0, 0)
