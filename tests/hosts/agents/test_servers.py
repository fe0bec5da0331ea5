"""The MCP servers that the user configured, by the file of each agent."""

from pathlib import Path

import pytest

from execpolicy.hosts.agents.entries import agent
from execpolicy.hosts.agents.servers import McpServer, own_servers

SERVER = McpServer(("srv", "--stdio"), (("TOKEN", "x"),))
JSON = '{"mcpServers": {"s": {"command": "srv", "args": ["--stdio"], "env": {"TOKEN": "x"}}}}'
FILES = [
    ("claude", ".claude.json", JSON),
    ("claude", ".claude.json", f'{{"projects": {{"/w": {JSON}}}}}'),
    ("codex", ".codex/config.toml", """[mcp_servers.s]
command = "srv"
args = ["--stdio"]
env = { TOKEN = "x" }
"""),
    ("copilot", ".copilot/mcp-config.json", JSON),
    ("gemini", ".gemini/settings.json", f"// mine\n{JSON}"),
    ("qwen", ".qwen/settings.json", JSON),
    ("opencode", ".config/opencode/opencode.json", """{"mcp": {"s": {"type": "local",
"command": ["srv", "--stdio"], "environment": {"TOKEN": "x"}}}}"""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "text"), FILES)
def test_each_agent_has_them_in_its_file(tmp_path: Path, name: str, file: str, text: str) -> None:
    made = tmp_path / file
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(text)
    assert own_servers(agent(name), lambda path: str(tmp_path / path)) == (SERVER,)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"mcpServers": []}',
        '{"mcpServers": {"s": 1}}',
        '{"mcpServers": {"s": {"url": "https://a.example"}}}',
    ],
)
def test_what_is_none_names_none(tmp_path: Path, text: str) -> None:
    (tmp_path / ".claude.json").write_text(text)
    assert own_servers(agent("claude"), lambda path: str(tmp_path / path)) == ()


def test_a_value_that_is_made_of_others_is_left_out(tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_text(JSON.replace('"x"', '"${HOME}"'))
    (found,) = own_servers(agent("claude"), lambda path: str(tmp_path / path))
    assert found.variables == ()
