"""Record the replies again: `python -m tests.agents.record [HOST]…`. Look at the difference then.

Each exchange keeps its payload and gets the reply of today, in an empty home with the rules of
`support.py`.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from execpolicy.hosts.protocols import AGENTS
from tests.agents import support


def main(hosts: list[str]) -> None:
    """Write every exchange of these hosts, or of all."""
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        os.environ.update(HOME=str(home), XDG_CONFIG_HOME=str(home / ".config"))
        os.environ["XDG_STATE_HOME"] = str(home / ".local/state")
        for name in ("CODEX_HOME", "CLAUDE_PROJECT_DIR", "CI", "GITHUB_ACTIONS", "GITHUB_ENV"):
            os.environ.pop(name, None)
        support.write_rules(home)
        for host in hosts or list(AGENTS):
            for path in support.golden(host):
                payload = json.loads(path.read_text())["payload"]
                reply = support.exchange(host, payload, home)
                text = json.dumps(
                    {"payload": payload, "reply": reply}, indent=2, ensure_ascii=False
                )
                path.write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
