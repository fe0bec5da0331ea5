"""The hosts' own programs load what `install` writes: with an empty home and without an account.

Each test says what it proves. That they then obey, `test_obedience.py` shows.
"""

import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from execpolicy.__main__ import dispatch
from execpolicy.commands.exit_codes import ExitCode
from execpolicy.hosts.install import hooks, start_words
from execpolicy.support.resources import plugins_directory
from tests.agents import paper, real, replies
from tests.agents.real import program
from tests.store.support import user, write
from tests.waiting import HANG_SECONDS

pytestmark = pytest.mark.slow


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    path = real.ourselves(tmp_path / "bin")
    monkeypatch.setattr(start_words, "command", lambda: (path,))
    # The stand-in is a script that keeps what it was sent, and finds this checkout by a variable.
    monkeypatch.setattr(hooks, "is_isolated", lambda command: True)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return path


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
    assert [h["eventName"] for h in mine] == ["preToolUse", "permissionRequest", "sessionStart"]
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
    assert len(found["hooks"]) == 4
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
    assert len(hooks_of_codex(tmp_path)["hooks"]) == 3
    dispatch(["doctor", "codex"])
    assert "a directory that it does not trust" not in capsys.readouterr().out


def listening(process: "subprocess.Popen[str]") -> str:
    """The address that a server prints once it listens."""
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return found[0]
    raise AssertionError("the server ended")


def fetched(url: str) -> bytes:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=HANG_SECONDS) as reply:
        return bytes(reply.read())


def test_opencode_loads_the_plugin(ours: str, home: Path, tmp_path: Path) -> None:
    """The configuration that opencode's server reports names the plugin, and asks about `bash`."""
    opencode = program("opencode")
    dispatch(["install", "opencode"])
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
            config = json.loads(fetched(listening(process) + "/config"))
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
let evaluate, before
const permission = { hook: async (_name, f) => { evaluate = f } }
const tool = { hook: async (_name, f) => { before = f } }
await plugin.setup({ directory: "/", permission, tool })
for (const resources of [["ls"], ["git push"], ["ls", "rm -rf /"], []]) {
  const event = { action: "shell", resources, effect: "ask" }
  await evaluate(event)
  two[resources.join(";")] = event.effect
}
const other = { action: "todo", resources: ["x"], effect: "ask" }
await evaluate(other)
const three = {}
const calls = ["cd / && rm -rf /", "ls", "git push"].map((command) => ["shell", { command }])
for (const [tool, input] of [...calls, ["todo", { x: 1 }], ["shell", null]]) {
  const key = `${tool} ${input?.command}`
  try { await before({ tool, input, sessionID: "s" }); three[key] = "goes on" }
  catch (error) { three[key] = error.message }
}
await plugin.setup({ directory: "/", permission })
let refused
try { await plugin.setup({ directory: "/" }) } catch (error) { refused = error.message }
const more = { three, refused, other: other.effect, id: plugin.id }
console.log(JSON.stringify({ config, one, said, two, ...more }))
"""


def test_the_plugin_says_what_the_policy_says(ours: str, home: Path, tmp_path: Path) -> None:
    """Both generations: a denial throws, an allowed call is answered `once`, effects are set.

    The second generation is a stand-in: npm has no program of it (`opencode-ai` is 1.18.33, and its
    types for plugins of that generation know no permissions; 2026-11-21).
    """
    node = program("node")
    user(home, 'prefix_rule(["git", "push"], "prompt")')
    plugin = write(tmp_path / "plugin.mjs", start_words.plugin((ours,)))
    script = write(tmp_path / "run.mjs", NODE.replace("PLUGIN", str(plugin)))
    subprocess.run([ours, "check", "ls"], capture_output=True, check=True)
    done = subprocess.run([node, str(script)], capture_output=True, timeout=HANG_SECONDS)
    found = json.loads(done.stdout)
    edits = {"permission": {"edit": "ask"}}
    assert found["config"] == {
        "permission": {"bash": "ask", "webfetch": "ask"},
        "agent": {"build": edits, "general": edits},
    }
    assert found["one"]["ls"] == found["one"]["git push"] == "goes on"
    assert found["one"]["rm -rf /"].startswith("execpolicy forbids this: ")
    assert found["said"] == ["once"]
    assert found["two"] == {"ls": "allow", "git push": "ask", "ls;rm -rf /": "deny", "": "ask"}
    assert found["three"].pop("shell cd / && rm -rf /").startswith("execpolicy forbids this: ")
    assert "could not decide" in found["three"].pop("shell undefined")
    assert set(found["three"].values()) == {"goes on"}
    assert "no plugin decide" in found["refused"]
    assert found["other"] == "ask"
    assert found["id"] == "execpolicy"


CONFIGURED = """
import plugin from "PLUGIN"
const hooks = await plugin({ client: {}, directory: "/" })
const found = []
for (const config of JSON.parse(process.argv[2])) { await hooks.config(config); found.push(config) }
console.log(JSON.stringify(found))
"""


def test_the_plugin_leaves_what_a_person_configured(ours: str, tmp_path: Path) -> None:
    """What is said stays; where nothing is, opencode is made to ask, but no agent gets more."""
    node = program("node")
    plugin = write(tmp_path / "plugin.mjs", start_words.plugin((ours,)))
    script = write(tmp_path / "run.mjs", CONFIGURED.replace("PLUGIN", str(plugin)))
    given = [
        {"permission": "allow"},
        {"permission": {"*": "allow"}},
        {"permission": {"bash": {"git *": "allow"}, "edit": "allow", "webfetch": "deny"}},
        {"permission": {"db_query": "allow"}, "mcp": {"db": {}, "my.fs": {}}},
        {
            "agent": {
                "build": {"permission": {"edit": {"src/*": "allow"}}},
                "general": {"permission": "deny"},
            }
        },
    ]
    done = subprocess.run(
        [node, str(script), json.dumps(given)], capture_output=True, timeout=HANG_SECONDS
    )
    found = json.loads(done.stdout)
    assert found[:2] == given[:2]
    said = found[2]["permission"]
    assert list(said["bash"].items()) == [("*", "ask"), ("git *", "allow")]
    assert (said["edit"], said["webfetch"]) == ("allow", "deny")
    wanted = {"edit": "ask", "my_fs_*": "ask"}
    assert found[3]["agent"]["build"]["permission"] == wanted
    assert "edit" not in found[3]["permission"]
    agents = found[4]["agent"]
    assert agents["build"]["permission"]["edit"] == {"*": "ask", "src/*": "allow"}
    assert agents["general"]["permission"] == "deny"


def test_the_plugin_ships() -> None:
    assert (Path(plugins_directory()) / "opencode/execpolicy.js").is_file()


READS = """
import { createInterface } from "node:readline"
const { createHookOutput } = await import(process.argv[1])
for await (const line of createInterface({ input: process.stdin })) {
  const output = createHookOutput("BeforeTool", JSON.parse(line))
  const stops = output.isBlockingDecision() || output.shouldStopExecution()
  const said = { stops, asks: output.isAskDecision(), reason: output.getEffectiveReason() }
  console.log(JSON.stringify(said))
}
"""


def test_gemini_reads_each_word_as_it_is_meant(tmp_path: Path) -> None:
    """By the host's own class for answers: a denial stops, a question asks, and both say why."""
    node, core = program("node"), real.package("@google/gemini-cli-core")
    given = replies.every("gemini", replies.verdicts(tmp_path))
    lines = "".join(one.reply.stdout for one in given if one.reply.stdout)
    module = (core / "dist/src/hooks/types.js").as_uri()
    command = [node, "--input-type=module", "-e", READS, module]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True)
    read = [json.loads(line) for line in done.stdout.splitlines()]
    for ours, theirs in zip(map(json.loads, lines.splitlines()), read, strict=True):
        assert theirs["stops"] is (ours["decision"] == "deny")
        assert theirs["asks"] is (ours["decision"] == "ask")
        assert ours["decision"] == "allow" or theirs["reason"] == ours["reason"]
    assert {True, False} == {theirs["stops"] for theirs in read}
    assert any(theirs["asks"] for theirs in read)


def named_on_the_page() -> list[str]:
    """The settings of Codex that docs/agents.md names, as lines of `config.toml`."""
    page = (Path(__file__).parents[2] / "docs/agents.md").read_text()
    part = page[page.index("**Codex**") : page.index("**Copilot**")]
    found = re.findall(r"`((?:approval_policy|sandbox_mode|network_access) = [^`]+)`", part)
    modes = re.findall(r"`(workspace-write|read-only|danger-full-access)`", part)
    return sorted({*found, *(f'sandbox_mode = "{mode}"' for mode in modes)})


@pytest.mark.parametrize("setting", named_on_the_page())
def test_codex_starts_a_session_with_each_setting_of_the_page(
    setting: str, home: Path, tmp_path: Path
) -> None:
    """`approval_policy = "untrusted"` makes Codex 0.171 end; no such line may stand on the page."""
    table = "[sandbox_workspace_write]\n" if setting.startswith("network") else ""
    write(home / ".codex/config.toml", f"{table}{setting}\n")
    process = subprocess.Popen(
        [program("codex"), "app-server"], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True
    )
    with process:
        answers(process, 1, "initialize", {"clientInfo": {"name": "test", "version": "1"}})
        started = answers(process, 2, "thread/start", {"cwd": str(tmp_path)})
        process.kill()
    key, _, value = setting.partition(" = ")
    policy = value.strip('"') if key == "approval_policy" else started["approvalPolicy"]
    assert (started["thread"]["id"] != "", started["approvalPolicy"]) == (True, policy)
