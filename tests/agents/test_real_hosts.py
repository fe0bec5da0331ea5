"""The hosts' own programs, where they are installed, with an empty home and without an account.

Each test says what it proves. A program is found in PATH, or in the directory that the variable
`EXECPOLICY_TEST_HOSTS` names.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.hosts import place
from execpolicy.resources import plugins_directory
from tests.store.support import user, write

pytestmark = pytest.mark.slow


def program(name: str) -> str:
    folder = os.environ.get("EXECPOLICY_TEST_HOSTS")
    path = shutil.which(name, path=f"{folder or ''}{os.pathsep}{os.environ['PATH']}")
    if path is None:
        pytest.skip(f"`{name}` is not installed")
    return path


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    code = f'#!/bin/sh\nexec {sys.executable} -m execpolicy "$@"\n'
    path = write(tmp_path / "bin/execpolicy", code)
    path.chmod(0o755)
    monkeypatch.setattr(place, "program", lambda: str(path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return str(path)


def answers(process: "subprocess.Popen[str]", number: int, method: str, given: object) -> Any:
    """The answer of a server that speaks JSON-RPC on its standard streams."""
    assert process.stdin
    assert process.stdout
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    raise AssertionError("the server ended")


def test_codex_loads_the_hooks_that_install_writes(ours: str, tmp_path: Path) -> None:
    """Codex's own list of hooks has both, without an error, and wants them trusted."""
    codex = program("codex")
    dispatch(["install", "codex"])
    process = subprocess.Popen(
        [codex, "app-server"], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        client = {"clientInfo": {"name": "test", "version": "1"}}
        answers(process, 1, "initialize", client)
        (found,) = answers(process, 2, "hooks/list", {"cwds": [str(tmp_path)]})["data"]
        process.kill()
    assert found["errors"] == []
    assert found["warnings"] == []
    assert [h["eventName"] for h in found["hooks"]] == ["preToolUse", "permissionRequest"]
    assert {h["command"] for h in found["hooks"]} == {f"{ours} hook codex"}
    assert {h["trustStatus"] for h in found["hooks"]} == {"untrusted"}


def test_opencode_loads_the_plugin(ours: str, tmp_path: Path) -> None:
    """The configuration that opencode's server reports names the plugin, and asks about `bash`."""
    opencode = program("opencode")
    dispatch(["install", "opencode"])
    command = [opencode, "serve", "--port", "4597", "--hostname", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=-1, stderr=-1, cwd=tmp_path)
    config: Any = None
    for _ in range(60):
        time.sleep(0.5)
        try:
            with urllib.request.urlopen("http://127.0.0.1:4597/config", timeout=10) as reply:
                config = json.loads(reply.read())
            break
        except OSError:
            continue
    with process:
        process.kill()
    assert config["plugin"][0].endswith("/.config/opencode/plugins/execpolicy.js")
    assert config["permission"]["bash"] == "ask"


NODE = """
import plugin from "PLUGIN"
const said = []
const client = { postSessionIdPermissionsPermissionId: async (x) => said.push(x.body.response) }
const hooks = await plugin({ client, directory: "/" })
const config = {}
await hooks.config(config)
const one = {}
for (const command of ["ls", "git push", "rm -rf /"]) {
  const call = { tool: "bash", sessionID: "s", callID: command }
  try {
    await hooks["tool.execute.before"](call, { args: { command } })
    one[command] = "goes on"
  } catch (error) { one[command] = error.message }
  const asked = { id: "p", sessionID: "s", permission: "bash", tool: { callID: command } }
  await hooks.event({ event: { type: "permission.asked", properties: asked } })
}
const two = {}
let evaluate
await plugin.setup({ directory: "/", permission: { hook: async (_n, f) => { evaluate = f } } })
for (const resources of [["ls"], ["git push"], ["ls", "rm -rf /"], []]) {
  const event = { action: "shell", resources, effect: "ask" }
  await evaluate(event)
  two[resources.join(";")] = event.effect
}
const other = { action: "todo", resources: ["x"], effect: "ask" }
await evaluate(other)
console.log(JSON.stringify({ config, one, said, two, other: other.effect, id: plugin.id }))
"""


def test_the_plugin_says_what_the_policy_says(ours: str, home: Path, tmp_path: Path) -> None:
    """Both generations: a denial throws, an allowed call is answered `once`, effects are set."""
    node = program("node")
    user(home, 'prefix_rule(["git", "push"], "prompt")')
    plugin = write(tmp_path / "plugin.mjs", place.plugin(ours))
    script = write(tmp_path / "run.mjs", NODE.replace("PLUGIN", str(plugin)))
    subprocess.run([ours, "check", "ls"], capture_output=True, check=True)
    done = subprocess.run([node, str(script)], capture_output=True, timeout=60)
    found = json.loads(done.stdout)
    assert found["config"] == {"permission": {"bash": "ask"}}
    assert found["one"]["ls"] == found["one"]["git push"] == "goes on"
    assert found["one"]["rm -rf /"].startswith("execpolicy forbids this: ")
    assert found["said"] == ["once"]
    assert found["two"] == {"ls": "allow", "git push": "ask", "ls;rm -rf /": "deny", "": "ask"}
    assert found["other"] == "ask"
    assert found["id"] == "execpolicy"


def test_the_plugin_ships() -> None:
    assert (Path(plugins_directory()) / "opencode/execpolicy.js").is_file()
