"""The hosts' own programs, where they are installed, with an empty home and without an account.

Each test says what it proves. A program is found in PATH, or in the directory that the variable
`EXECPOLICY_TEST_HOSTS` names.
"""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.exit import ExitCode
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


def hooks_of_codex(cwd: Path) -> Any:
    """The hooks that Codex itself says it loaded, with its errors and warnings."""
    process = subprocess.Popen(
        [program("codex"), "app-server"], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        client = {"clientInfo": {"name": "test", "version": "1"}}
        answers(process, 1, "initialize", client)
        (found,) = answers(process, 2, "hooks/list", {"cwds": [str(cwd)]})["data"]
        process.kill()
    assert found["errors"] == []
    return found


CODEX_HOOKS = """\
# mine
[[hooks.PreToolUse]]
matcher = "^Bash$"

[[hooks.PreToolUse.hooks]]
type = "command"
command = "true"
"""


@pytest.mark.parametrize(
    ("text", "file"), [("# mine\n", "hooks.json"), (CODEX_HOOKS, "config.toml")]
)
def test_codex_loads_the_hooks_that_install_writes(
    text: str,
    file: str,
    ours: str,
    home: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Codex's own list of hooks has both, from one file, without a warning. It wants them trusted,
    by the hash that `doctor` computes; once they are, both agree on it."""
    program("codex")
    config = write(home / ".codex/config.toml", text)
    dispatch(["install", "codex"])
    found = hooks_of_codex(tmp_path)
    assert found["warnings"] == []
    mine = [h for h in found["hooks"] if h["command"] == f"{ours} hook codex"]
    assert [h["eventName"] for h in mine] == ["preToolUse", "permissionRequest"]
    assert {h["sourcePath"] for h in mine} == {str(home / ".codex" / file)}
    assert {h["trustStatus"] for h in mine} == {"untrusted"}
    capsys.readouterr()
    assert dispatch(["doctor", "codex"]) == ExitCode.ERROR
    assert "does not run the hook before you trust it" in capsys.readouterr().out
    with config.open("a") as opened:
        for hook in mine:
            trusted = f'trusted_hash = "{hook["currentHash"]}"'
            opened.write(f'\n[hooks.state."{hook["key"]}"]\n{trusted}\n')
    assert dispatch(["doctor", "codex"]) == ExitCode.ALLOW
    dispatch(["install", "codex"])
    again = [h for h in hooks_of_codex(tmp_path)["hooks"] if h["command"] == f"{ours} hook codex"]
    assert {h["trustStatus"] for h in again} == {"trusted"}
    dispatch(["uninstall", "codex"])
    others = [h["command"] for h in hooks_of_codex(tmp_path)["hooks"]]
    assert others == ["true"] * (text == CODEX_HOOKS)


def test_codex_runs_hooks_of_both_files_and_warns(
    ours: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `doctor` says of two files with hooks is what Codex does."""
    program("codex")
    dispatch(["install", "codex"])
    write(home / ".codex/config.toml", CODEX_HOOKS)
    found = hooks_of_codex(tmp_path)
    assert len(found["hooks"]) == 3
    assert "loading hooks from both" in found["warnings"][0]
    capsys.readouterr()
    dispatch(["doctor", "codex"])
    assert "config.toml beside it has hooks, too" in capsys.readouterr().out


def test_codex_loads_hooks_of_a_trusted_project_only(
    ours: str,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A project's hooks are not in Codex's list before its directory is trusted."""
    program("codex")
    monkeypatch.chdir(tmp_path)
    dispatch(["install", "codex", "--scope", "project"])
    assert hooks_of_codex(tmp_path)["hooks"] == []
    capsys.readouterr()
    dispatch(["doctor", "codex"])
    assert "a directory that it does not trust" in capsys.readouterr().out
    write(home / ".codex/config.toml", f'[projects."{tmp_path}"]\ntrust_level = "trusted"\n')
    assert len(hooks_of_codex(tmp_path)["hooks"]) == 2
    dispatch(["doctor", "codex"])
    assert "a directory that it does not trust" not in capsys.readouterr().out


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


class Model(BaseHTTPRequestHandler):
    """A model that runs one command with the tool `Bash`, then says that it is done."""

    wanted = "echo never"
    results: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        last = body["messages"][-1]["content"] if body.get("messages") else ""
        found = [p for p in last if isinstance(p, dict) and p.get("type") == "tool_result"]
        self.results.extend(json.dumps(p["content"]) for p in found)
        has_bash = any(tool.get("name") == "Bash" for tool in body.get("tools", []))
        self.answer(has_bash and not found)

    def answer(self, runs: bool) -> None:
        block: dict[str, object] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
        if runs:
            block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}
            given = json.dumps({"command": self.wanted, "description": "d"})
            delta = {"type": "input_json_delta", "partial_json": given}
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": []}
        stop = {"stop_reason": "tool_use" if runs else "end_turn", "stop_sequence": None}
        events: list[dict[str, object]] = [
            {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": stop, "usage": usage},
            {"type": "message_stop"},
        ]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for event in events:
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.mark.parametrize(
    ("command", "says"),
    [("echo never", "execpolicy forbids this: echo never: keep quiet"), ("seq 41 42", "41\\n42")],
)
def test_claude_code_obeys_the_hook(
    command: str, says: str, ours: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program itself, with a model made of paper: what is forbidden does not run and the model
    reads why; what is allowed runs without a question."""
    claude = program("claude")
    user(home, 'prefix_rule(["echo", "never"], "forbidden", justification = "keep quiet")')
    dispatch(["install", "claude"])
    subprocess.run([ours, "layers"], capture_output=True)
    monkeypatch.setattr(Model, "wanted", command)
    monkeypatch.setattr(Model, "results", [])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    environment = {
        **os.environ,
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    try:
        subprocess.run(
            [claude, "-p", "go"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=90,
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert says in "".join(Model.results)
