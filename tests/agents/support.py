"""Recorded payloads and the exact replies to them, in a home with a few rules."""

import json
import re
from pathlib import Path

from execpolicy.commands.hook import Hook
from execpolicy.hosts.payloads.protocol import Reply
from execpolicy.support.resources import rules_directory
from tests.store.support import user

HERE = Path(__file__).parent
RULES = """\
prefix_rule(["git", "push"], "prompt", justification = "talks to a remote")
prefix_rule(["git", "push", "--force"], "forbidden", justification = "use --force-with-lease")
prefix_rule(["mytool"])
path_rule(["**/secrets/*"], modes = ["read", "write"], decision = "forbidden",
          justification = "secrets stay where they are")
network_rule("evil.example", "https", "deny", justification = "sells what it gets")
"""


def golden(host: str) -> list[Path]:
    """The recorded exchanges of a host."""
    return sorted((HERE / host).glob("*.json"))


def write_rules(home: Path) -> None:
    """The rules under which the exchanges were recorded."""
    user(home, RULES)


def exchange(host: str | None, payload: object, home: Path) -> dict[str, object]:
    """What the hook says to a payload, with the home directory left out."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return shown(Hook(host).answer(data), home)


def shown(reply: Reply, home: Path) -> dict[str, object]:
    """A reply as golden files have it: its JSON as JSON."""
    stdout, stderr = (_placeless(text, home) for text in (reply.stdout, reply.stderr))
    return {"stdout": json.loads(stdout) if stdout else None, "stderr": stderr, "code": reply.code}


def _placeless(text: str, home: Path) -> str:
    text = text.replace(str(home), "HOME").replace(rules_directory(), "RULES")
    text = re.sub(r"(approval|approve|call \()( ?)[2-9A-Z]{6}\b", r"\1\2CODE", text)
    return re.sub(r"(RULES/\w+\.rules):\d+", r"\1", text)
