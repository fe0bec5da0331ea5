"""Other programs that stand in front of Claude Code as a hook: how each is installed and started.

A program is looked for in the directories of the variable `EXECPOLICY_BENCH_PEERS`, then in `PATH`.
It installs its hook itself, into a home of its own, and the line that it wrote there is what runs.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple


class Peer(NamedTuple):
    """A program, the line that gets it, and what its manual says to type.

    `steps` make it write its hook into the settings of Claude Code. Where it is a plugin instead,
    `line` has the arguments that its plugin starts it with.
    """

    name: str
    get: str
    program: str
    steps: tuple[tuple[str, ...], ...] = ()
    line: tuple[str, ...] = ()


PEERS = (
    Peer("nah", "pip install nah", "nah", (("install", "claude"),)),
    Peer("bashgate", "pip install bashgate", "bashgate", (("install",),)),
    Peer("agentbelay", "pip install agentbelay", "belay", (("init",), ("install", "claude-code"))),
    Peer("azet-guard", "pip install azet-guard", "azet-guard", (("install",),)),
    Peer(
        "cc-safety-net",
        "npm install -g cc-safety-net",
        "cc-safety-net",
        line=("hook", "--claude-code"),
    ),
)


class Installed(NamedTuple):
    """A peer's version and the shell line of its hook; why there is none in place of the line."""

    peer: Peer
    line: str | None
    why: str = ""


def installed(peer: Peer, home: Path, environment: dict[str, str]) -> Installed:
    """Let a peer install its hook into this home, and find it."""
    folders = os.environ.get("EXECPOLICY_BENCH_PEERS", "")
    program = shutil.which(peer.program, path=f"{folders}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        return Installed(peer, None, f"not installed: {peer.get}")
    if peer.line:
        return Installed(peer, " ".join([program, *peer.line]))
    (home / ".claude").mkdir(exist_ok=True)
    settings = home / ".claude" / "settings.json"
    settings.unlink(missing_ok=True)
    for step in peer.steps:
        done = subprocess.run(
            [program, *step],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            said = (done.stderr or done.stdout).strip().splitlines()[-1:]
            return Installed(peer, None, f"`{peer.program} {' '.join(step)}`: {' '.join(said)}")
    line = _line(settings)
    return Installed(peer, line, "" if line else "it wrote no hook for `Bash`")


def _line(settings: Path) -> str | None:
    """The command of the first hook that Claude Code would run before a command."""
    groups = json.loads(settings.read_text())["hooks"]["PreToolUse"] if settings.exists() else []
    for group in groups:
        matcher = group.get("matcher") or "*"
        if matcher == "*" or re.fullmatch(matcher, "Bash"):
            for hook in group["hooks"]:
                return str(hook["command"])
    return None
