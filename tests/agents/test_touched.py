"""Which paths a call names: today's tools of every host."""

import pytest

from execpolicy.hosts.payloads.protocol import PayloadError
from execpolicy.hosts.protocols import touched

PATCH = """*** Begin Patch
*** Add File: a
+x
*** Update File: b
*** Move to: c
*** Delete File: d
*** End Patch"""
PATCHED = "write a; write b; write c; remove d"

ROWS: list[tuple[str, dict[str, object], str]] = [
    # Claude Code
    ("Write", {"file_path": "/a", "content": ""}, "write /a"),
    ("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}, "write /a"),
    ("MultiEdit", {"file_path": "/a", "edits": []}, "write /a"),
    ("NotebookEdit", {"notebook_path": "/a"}, "write /a"),
    ("Read", {"file_path": "/a"}, "read /a"),
    ("Glob", {"pattern": "*.py", "path": "/a"}, "read /a"),
    ("Glob", {"pattern": "*.py"}, ""),
    ("Glob", {"pattern": "../*.py"}, "read ../*.py"),
    ("Grep", {"pattern": "/etc", "path": "/a", "glob": "*.py"}, "read /a"),
    ("Grep", {"pattern": "x"}, ""),
    ("LS", {"path": "/a"}, "read /a"),
    ("Bash", {"command": "cat /etc/passwd"}, ""),
    ("WebFetch", {"url": "https://e.example/", "prompt": "p"}, ""),
    ("Task", {"prompt": "p"}, ""),
    # Codex
    ("apply_patch", {"command": PATCH}, PATCHED),
    ("shell", {"command": ["bash", "-lc", f"apply_patch <<'E'\n{PATCH}\nE"]}, PATCHED),
    ("shell", {"command": ["applypatch", PATCH]}, PATCHED),
    ("exec_command", {"cmd": f"apply_patch <<'E'\n{PATCH}\nE", "workdir": "/x"}, PATCHED),
    ("exec_command", {"cmd": "ls", "workdir": "/x"}, ""),
    ("shell", {"command": ["cat", "*** Begin Patch"]}, ""),
    ("write_stdin", {"session_id": 1, "chars": "rm -rf x\n"}, ""),
    ("view_image", {"path": "/a.png"}, "read /a.png"),
    # Gemini CLI
    ("write_file", {"file_path": "/a", "content": ""}, "write /a"),
    ("replace", {"file_path": "/a"}, "write /a"),
    ("read_file", {"absolute_path": "/a"}, "read /a"),
    ("read_many_files", {"paths": ["a", "src/*.py"]}, "read a; read src/*.py"),
    ("glob", {"pattern": "/etc/*"}, "read /etc/*"),
    ("list_directory", {"path": "/a"}, "read /a"),
    ("run_shell_command", {"command": "ls"}, ""),
    ("save_memory", {"fact": "f"}, ""),
    # Cursor
    ("edit_file", {"target_file": "a", "code_edit": ""}, "write a"),
    ("search_replace", {"file_path": "a"}, "write a"),
    ("edit_notebook", {"target_notebook": "a"}, "write a"),
    ("delete_file", {"target_file": "a"}, "remove a"),
    ("read_file", {"target_file": "a"}, "read a"),
    ("list_dir", {"relative_workspace_path": "a"}, "read a"),
    ("run_terminal_cmd", {"command": "ls"}, ""),
    # Copilot
    ("create", {"path": "/a", "file_text": ""}, "write /a"),
    ("str_replace_editor", {"command": "view", "path": "/a"}, "read /a"),
    ("str_replace_editor", {"command": "create", "path": "/a"}, "write /a"),
    ("str_replace_editor", {"command": "insert", "path": "/a"}, "write /a"),
    ("view", {"path": "/a"}, "read /a"),
    # opencode
    ("edit", {"filePath": "/a"}, "write /a"),
    ("apply_patch", {"patchText": PATCH}, PATCHED),
    ("grep", {"pattern": "x", "path": "/a"}, "read /a"),
    ("list", {"path": "/a"}, "read /a"),
    ("lsp", {"filePath": "/a"}, ""),
    # Windsurf, Antigravity
    ("edit_file", {"TargetFile": "/a"}, "write /a"),
    ("view_file", {"AbsolutePath": "/a"}, "read /a"),
    ("grep_search", {"SearchPath": "/a", "Query": "x"}, "read /a"),
    ("run_command", {"CommandLine": "ls", "Cwd": "/x"}, ""),
    # Kiro, Cline, and servers
    ("fs_write", {"command": "create", "path": "/a"}, "write /a"),
    ("fs_read", {"operations": [{"mode": "Line", "path": "/a"}]}, "read /a"),
    ("write_to_file", {"path": "/a"}, "write /a"),
    ("MoveFile", {"src": "/a", "dst": "/b"}, "write /a (moved); write /b"),
    ("rename_file", {"old_path": "x/a", "new_name": "b"}, "write x/a (moved); write x/b"),
    ("copy_file", {"source": "/a", "destination": "/b"}, "read /a; write /b"),
    ("Delete", {"path": "/a"}, "remove /a"),
    ("mcp__filesystem__move_file", {"source": "/a", "destination": "/b"},
     "write /a (moved); write /b"),
    ("mcp__fs__read_multiple_files", {"paths": ["/a", "/b"]}, "read /a; read /b"),
    ("mcp__any__write_file", {"path": "/a"}, "write /a"),
    ("mcp__fs__write", {"path": "/a"}, ""),
    ("mcp__db__query", {"path": "/a"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "given", "expected"), ROWS)
def test_touched(tool: str, given: dict[str, object], expected: str) -> None:
    found = touched(tool, given)
    said = [f"{t.mode} {t.path}{' (moved)' if t.moved else ''}" for t in found]
    assert "; ".join(said) == expected


BROKEN: list[tuple[str, dict[str, object]]] = [
    ("Write", {}),
    ("Write", {"file_path": ""}),
    ("Write", {"file_path": "a\0"}),
    ("Write", {"file_path": 1}),
    ("move_file", {"source": "/a"}),
    ("apply_patch", {}),
]


@pytest.mark.parametrize(("tool", "given"), BROKEN)
def test_a_known_tool_whose_input_is_not_understood(tool: str, given: dict[str, object]) -> None:
    with pytest.raises(PayloadError):
        touched(tool, given)
