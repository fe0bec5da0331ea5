"""What `import` makes of opencode's lists, beside the lists that opencode itself makes of them.

The program's server tells the list of each agent, merged from all files, for every directory.
"""

import json
import os
import random
import re
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from execpolicy.hosts.convert.convert import Converted, convert
from execpolicy.hosts.convert.lists import entries
from execpolicy.model.decision import Decision
from execpolicy.model.rule import Origin, PrefixRule
from execpolicy.policy.policy import Policy
from tests.agents import paper, real
from tests.agents.test_real_hosts import fetched, listening
from tests.store.support import write

pytestmark = pytest.mark.slow

PATTERNS = ["*", "git *", "push *", "git push", "git*", "* push", "git push *"]
EFFECTS = ["allow", "ask", "deny"]
COMMANDS = [" ".join(c) for n in (1, 2, 3) for c in product(("git", "push"), repeat=n)]


def lists(chance: random.Random, tools: list[str]) -> dict[str, object]:
    """A `permission` with a few entries for commands, under names with and without a `*`."""
    found: dict[str, object] = {}
    for tool in chance.sample(tools, chance.randint(0, min(2, len(tools)))):
        effects = {chance.choice(PATTERNS): chance.choice(EFFECTS) for _ in "12"}
        whole = tool != "bash" or chance.random() < 0.2
        found[tool] = chance.choice(EFFECTS) if whole else effects
    return found


def agent(chance: random.Random) -> dict[str, object]:
    found: dict[str, object] = {"description": "d"}
    if chance.random() < 0.7:
        found["permission"] = lists(chance, ["bash", "*"])
    if chance.random() < 0.3:
        found["tools"] = {"bash": chance.random() < 0.5}
    return found


def page(given: dict[str, object]) -> str:
    """An agent as a Markdown file."""
    lines = ["---", "description: d"]
    for key in ("permission", "tools"):
        for tool, said in given.get(key, {}).items():  # type: ignore[attr-defined]
            lines += [f"{key}:"] if f"{key}:" not in lines else []
            if isinstance(said, dict):
                lines += [f'  "{tool}":', *(f'    "{p}": {e}' for p, e in said.items())]
            else:
                lines += [f'  "{tool}": {json.dumps(said) if key == "tools" else said}']
    return "\n".join([*lines, "---", "Work.", ""])


def project(folder: Path, chance: random.Random) -> None:
    """A directory with lists in one to three files."""
    allowed = dict.fromkeys(chance.sample(PATTERNS[1:4], 2), "allow")
    permission = {"bash": allowed, **lists(chance, ["*", "b*", "edit"])}
    if chance.random() < 0.5:
        permission = dict(reversed(permission.items()))
    agents = {name: agent(chance) for name in chance.sample(["plan", "mine"], chance.randint(0, 2))}
    write(folder / "opencode.json", json.dumps({"permission": permission, "agent": agents}))
    if chance.random() < 0.3:
        write(folder / ".opencode/agents/deep/mine.md", page(agent(chance)))
    if chance.random() < 0.3:
        write(folder / ".opencode/agent/mine.md", page(agent(chance)))
    if chance.random() < 0.2:
        more = {"permission": lists(chance, ["bash", "*"])}
        write(folder / ".opencode/opencode.json", json.dumps(more))


def names(pattern: str, text: str) -> bool:
    """opencode's own comparison: `*` is any text, and a last ` *` may be missing."""
    body = re.escape(pattern).replace(r"\*", ".*")
    return re.fullmatch(re.sub(r"\\ \.\*$", "( .*)?", body), text, re.DOTALL) is not None


def said(rules: list[dict[str, str]], command: str) -> str:
    """The last entry of an agent's list that fits."""
    fitting = [
        r["action"]
        for r in rules
        if names(r["permission"], "bash") and names(r["pattern"], command)
    ]
    return fitting[-1] if fitting else "ask"


def runs_commands(rules: list[dict[str, str]]) -> bool:
    """Whether an agent is shown the tool at all."""
    last = [r for r in rules if names(r["permission"], "bash")][-1]
    return (last["pattern"], last["action"]) != ("*", "deny")


def allowed(converted: Converted) -> list[str]:
    origin = Origin("user", "x", 1)
    rules = [
        PrefixRule(tuple((w,) for w in r.words), r.decision, None, origin, exact=r.exact)
        for r in converted.rules
    ]
    found = {c: [r.decision for r in Policy(rules).matching(tuple(c.split()))] for c in COMMANDS}
    return [c for c, all_of in found.items() if all_of and max(all_of) is Decision.ALLOW]


def test_no_agent_of_opencode_is_allowed_more_than_its_own_list_says(
    home: Path, tmp_path: Path
) -> None:
    """For 120 projects: each command that the imported rules allow, opencode's list of every agent
    that may run commands allows, too; and many lists leave something to allow."""
    opencode = real.program("opencode")
    chance, kept, compared = random.Random(5), 0, 0  # noqa: S311
    with paper.model("nothing") as model:
        start = real.STARTS["opencode"]
        start.prepare(model, home)
        process = subprocess.Popen(
            [opencode, "serve", "--port", "0", "--hostname", "127.0.0.1"],
            stdout=-1,
            stderr=subprocess.STDOUT,
            cwd=tmp_path,
            env={**os.environ, **real.outside(model), **start.variables},
            text=True,
        )
        with process:
            try:
                url = listening(process)
                for number in range(120):
                    folder = tmp_path / str(number)
                    project(folder, chance)
                    told: list[dict[str, Any]] = json.loads(
                        fetched(f"{url}/agent?directory={folder}")
                    )
                    natives = entries("opencode", "project", str(folder)).commands
                    found = allowed(convert(natives, lambda _prefix: None))
                    for one in told:
                        if runs_commands(one["permission"]):
                            refused = [c for c in found if said(one["permission"], c) != "allow"]
                            assert (folder, one["name"], refused) == (folder, one["name"], [])
                            compared += len(found)
                    kept += bool(found)
            finally:
                process.kill()
    assert kept >= 30
    assert compared >= 1000
