"""Tools of all hosts as what they do: commands, files, hosts, and tools of servers by name."""

import pytest

from execpolicy.hosts.payloads.protocol import PayloadError
from execpolicy.hosts.protocols import load
from execpolicy.model.operation import Access, Connect, Exec, Opaque, Operation
from tests.agents.replies import payloads

CWD = "/p/sub"


def asked(
    host: str, tool: str, given: object, **more: object
) -> tuple[Operation, ...] | str | None:
    """What a host's adapter makes of a tool: its operations, the text of a command, or nothing."""
    forms: dict[str, dict[str, object]] = {
        "antigravity": {"toolCall": {"name": tool, "args": given}, "workspacePaths": [CWD]},
        "copilot": {"toolName": tool, "toolArgs": given, "cwd": CWD},
        "opencode": {"tool": tool, "args": given, "cwd": CWD, "root": CWD},
    }
    event = {"gemini": "BeforeTool", "cursor": "preToolUse"}.get(host, "PreToolUse")
    form = {"hook_event_name": event, "tool_name": tool, "tool_input": given, "cwd": CWD}
    request = load(host).read({**forms.get(host, form), **more}).request
    if request is None:
        return None
    return request.operations if request.operations is not None else request.text


def describe(found: tuple[Operation, ...] | str | None) -> str:
    """In one line: `read /p/a; write /p/b`."""
    if not isinstance(found, tuple):
        return str(found)
    words = []
    for one in found:
        if isinstance(one, Access):
            path = one.path if isinstance(one.path, str) else f"<{one.path.source}>"
            words.append(f"{one.mode}{'' if one.extent == 'file' else ' ' + one.extent} {path}")
        elif isinstance(one, Exec):
            words.append(f"run {one.argv[0]}")
        elif isinstance(one, Connect):
            words.append(f"connect {one.host}")
        elif isinstance(one, Opaque):
            words.append("opaque")
    return "; ".join(words)


ROWS: list[tuple[str, str, dict[str, object], str]] = [
    ("claude", "Bash", {"command": "ls"}, "ls"),
    ("claude", "Read", {"file_path": "a"}, "read /p/sub/a"),
    ("claude", "Read", {"file_path": "../a"}, "read /p/sub/../a"),
    ("claude", "Read", {"file_path": "/a"}, "read /a"),
    ("claude", "Read", {"file_path": "~/a"}, "read ~/a"),
    ("claude", "Glob", {"pattern": "**/*.py"}, "read names /p/sub"),
    ("claude", "Glob", {"pattern": "../../**"}, "read names </p/sub/../../**>"),
    ("claude", "Glob", {"pattern": "/x/*"}, "read names </x/*>"),
    ("claude", "Grep", {"pattern": "/x", "path": "src"}, "read tree /p/sub/src"),
    ("claude", "Grep", {"pattern": "x"}, "read tree /p/sub"),
    ("claude", "LS", {"path": "/x"}, "read names /x"),
    ("claude", "MultiEdit", {"file_path": "a", "edits": [{"old_string": "b"}]}, "write /p/sub/a"),
    ("claude", "NotebookEdit", {"notebook_path": "a"}, "write /p/sub/a"),
    ("claude", "WebFetch", {"url": "https://u@a.example:1/x"}, "connect a.example"),
    ("claude", "mcp__db__query", {"sql": "x"}, "run mcp__db__query"),
    ("claude", "mcp__fs__read_file", {"path": "/x"}, "run mcp__fs__read_file"),
    ("claude", "TodoWrite", {"todos": []}, "None"),
    ("claude", "Task", {"prompt": "x"}, "None"),
    ("codex", "view_image", {"path": "a.png"}, "read /p/sub/a.png"),
    ("codex", "apply_patch", {"command": "*** Update File: a\n*** Move to: b\n*** Delete File: /c"},
     "write /p/sub/a; write /p/sub/b; remove /c"),
    ("codex", "apply_patch", {"command": "x"}, "opaque"),
    ("codex", "mcp__db__query", {}, "run mcp__db__query"),
    ("gemini", "read_file", {"absolute_path": "/a"}, "read /a"),
    ("gemini", "read_many_files", {"paths": ["a", "src/*.py"]},
     "read </p/sub/a>; read </p/sub/src/*.py>"),
    ("gemini", "grep_search", {"pattern": "x", "dir_path": "src"}, "read tree /p/sub/src"),
    ("gemini", "mcp_db_query", {}, "run mcp__db__query"),
    ("gemini", "save_memory", {"fact": "x"}, "None"),
    ("qwen", "mcp__db__query", {}, "run mcp__db__query"),
    ("qwen", "list_directory", {"path": "/a"}, "read names /a"),
    ("copilot", "view", {"path": "a"}, "read /p/sub/a"),
    ("copilot", "create", {"path": "a", "file_text": "x"}, "write /p/sub/a"),
    ("copilot", "github-mcp-server-list_issues", {}, "run mcp__github-mcp-server__list_issues"),
    ("copilot", "report_intent", {}, "None"),
    ("opencode", "list", {"path": "/a"}, "read names /a"),
    ("opencode", "patch", {"patchText": "*** Add File: a"}, "write /p/sub/a"),
    ("opencode", "github_search_code", {}, "run mcp__github__search_code"),
    ("opencode", "todowrite", {}, "None"),
    ("opencode", "plan_exit", {}, "None"),
    ("cursor", "delete_file", {"target_file": "a"}, "remove /p/sub/a"),
    ("cursor", "MCP:query", {}, "run mcp__unknown__query"),
    ("droid", "db___query", {}, "run mcp__db__query"),
    ("antigravity", "write_to_file", {"TargetFile": "/a"}, "write /a"),
    ("antigravity", "call_mcp_tool", {"ServerName": "db", "ToolName": "query"},
     "run mcp__db__query"),
    # VS Code, code.visualstudio.com/docs/copilot/customization/hooks
    ("copilot", "editFiles", {"files": ["a", "/b"]}, "write /p/sub/a; write /b"),
    ("copilot", "editFiles", {"files": ["*.py"]}, "write </p/sub/*.py>"),
    ("copilot", "replace_string_in_file", {"filePath": "/a", "oldString": "x"}, "write /a"),
    ("copilot", "multi_replace_string_in_file",
     {"replacements": [{"filePath": "/a"}, {"filePath": "b"}]}, "write /a; write /p/sub/b"),
    ("copilot", "fetch_webpage", {"urls": ["https://a.example", "https://b.example/x"]},
     "connect a.example; connect b.example"),
    # tools of other agents, whose hooks have one of these forms
    ("claude", "execute_command", {"command": "ls"}, "ls"),
    ("claude", "execute_bash", {"command": "ls"}, "ls"),
    ("claude", "write_to_file", {"path": "a"}, "write /p/sub/a"),
    ("claude", "replace_in_file", {"path": "a", "diff": "x"}, "write /p/sub/a"),
    ("claude", "create_directory", {"path": "a"}, "write /p/sub/a"),
    ("claude", "delete_file", {"path": "a"}, "remove /p/sub/a"),
    ("claude", "move_file", {"source": "a", "destination": "/b"}, "remove /p/sub/a; write /b"),
    ("claude", "copy_file", {"source": "/a", "destination": "b"}, "read /a; write /p/sub/b"),
    ("claude", "rename_file", {"old_path": "x/a", "new_name": "b"},
     "remove /p/sub/x/a; write /p/sub/x/b"),
    ("claude", "rename_file", {"old_path": "x/a", "new_path": "b"},
     "remove /p/sub/x/a; write /p/sub/b"),
    ("claude", "fs_read", {"mode": "Line", "path": "/a"}, "read /a"),
    ("claude", "fs_read", {"operations": [{"path": "a"}, {"image_paths": ["b"]}]},
     "read /p/sub/a; read </p/sub/b>"),
    ("claude", "fs_write", {"command": "create", "path": "a"}, "write /p/sub/a"),
    # a tool that no table knows, with a field for a command
    ("claude", "RunIt", {"terminal_command": "ls"}, "ls"),
    ("claude", "RunIt", {"shellScript": "ls", "timeout": 3}, "ls"),
    ("claude", "RunIt", {"commands": ["ls", "rm a"]}, "ls\nrm a"),
    ("claude", "RunIt", {"input": {"command": "ls"}}, "ls"),
    ("opencode", "batch", {"tool_calls": [{"tool": "bash", "parameters": {"command": "ls"}},
                                          {"tool": "bash", "parameters": {"command": "rm a"}}]},
     "ls\nrm a"),
    ("claude", "RunIt", {"transcript": "ls", "javascript": "x", "command_id": "3"}, "None"),
    # the shell that reads it
    ("claude", "RunPython", {"code": "import os; os.remove('a')"}, "opaque"),
    ("claude", "Evaluate", {"input": {"source_code": "rm()"}}, "opaque"),
    ("qwen", "js_repl", {"code": "process.exit()"}, "opaque"),
    ("opencode", "eval", {"language": "ruby", "code": "`rm a`"}, "opaque"),
    ("claude", "Lookup", {"code": "US"}, "None"),
    ("claude", "RunIt", {"COMMAND": "ls"}, "ls"),
    ("claude", "RunIt", {"steps": [{"run": "ls"}]}, "ls"),
    ("claude", "RunIt", {"exec": "ls"}, "ls"),
    ("claude", "BashTool", {"input": "ls"}, "ls"),
    ("claude", "terminal_exec", {"line": "ls"}, "ls"),
    ("claude", "read_terminal", {"id": "3", "filter": "a b"}, "None"),
    ("claude", "RunIt", {"input": "ls", "run": True}, "None"),
    ("claude", "Lookup", {"country_code": "a b", "code": 7}, "None"),
    ("codex", "exec_command", {"cmd": "ls", "shell": "/bin/zsh"}, "ls"),
    ("codex", "exec_command", {"cmd": "ls", "shell": "/p/sub/bash"}, "opaque"),
    ("codex", "exec_command", {"cmd": "ls", "shell": "fish"}, "opaque"),
    ("claude", "use_mcp_tool", {"server_name": "db", "tool_name": "query"}, "run mcp__db__query"),
]  # fmt: skip


@pytest.mark.parametrize(("host", "tool", "given", "expected"), ROWS)
def test_what_a_tool_does(host: str, tool: str, given: dict[str, object], expected: str) -> None:
    assert describe(asked(host, tool, given)) == expected


def test_gemini_tells_the_server_beside_the_name() -> None:
    context = {"server_name": "my_db", "tool_name": "query"}
    found = asked("gemini", "mcp_my_db_query", {}, mcp_context=context)
    assert describe(found) == "run mcp__my_db__query"


BROKEN = [
    ("Bash", {}),
    ("Bash", {"command": None}),
    ("Bash", {"command": 1}),
    ("Bash", {"command": [1]}),
    ("Bash", {"command": "ls", "Command": "rm a"}),
    ("RunIt", {"program": "rm", "args": ["a"]}),
    ("RunIt", {"command": "ls", "x": {"script": "rm a"}}),
    ("RunIt", {"command": "ls", "code": "x y"}),
    ("Bash", {"command": ["ls", "a\udcff"]}),
    ("Read", {}),
    ("Read", {"file_path": ""}),
    ("Read", {"file_path": "a\0b"}),
    ("Read", {"file_path": 1}),
    ("Write", {"content": "x"}),
    ("move_file", {"source": "a"}),
    ("copy_file", {"destination": "a"}),
    ("fs_read", {"operations": [{"image_paths": [1]}]}),
    ("use_mcp_tool", {"server_name": "db"}),
    ("apply_patch", {}),
    ("Read", "x"),
    ("Read", None),
]


@pytest.mark.parametrize(("tool", "given"), BROKEN)
def test_a_known_tool_that_is_not_understood_is_no_payload(tool: str, given: object) -> None:
    with pytest.raises(PayloadError):
        asked("claude", tool, given)


@pytest.mark.parametrize("host", ["claude", "codex", "qwen", "gemini", "copilot"])
def test_relative_paths_stay_where_no_directory_is_told(host: str) -> None:
    """The engine starts them from where the hook runs."""
    tool = {"codex": "view_image", "copilot": "view"}.get(host, "read_file")
    found = asked(host, tool, {"path": "a"}, cwd=None)
    assert describe(found) == "read a"


def test_every_recorded_tool_is_still_one() -> None:
    assert all(load("claude").read(p).tool for p in payloads("claude"))
