"""The directories that a host adds to its first one are the project too."""

import pytest

from execpolicy.hosts.protocols import load

ROWS: list[tuple[str, dict[str, object], tuple[str, ...]]] = [
    ("cursor", {"workspace_roots": ["/w", "/lib", "/docs"]}, ("/lib", "/docs")),
    ("cursor", {"workspace_roots": ["/w"]}, ()),
    ("cursor", {"workspace_roots": ["/w", "lib", 1, None, ""]}, ()),
    ("cursor", {"workspace_roots": "/w"}, ()),
    ("antigravity", {"workspacePaths": ["/w", "/lib"]}, ("/lib",)),
    ("antigravity", {}, ()),
]
CALLS: dict[str, dict[str, object]] = {
    "cursor": {"hook_event_name": "beforeShellExecution", "command": "ls", "cwd": "/w"},
    "antigravity": {"toolCall": {"name": "run_command", "args": {"CommandLine": "ls"}}},
}


@pytest.mark.parametrize(("host", "payload", "expected"), ROWS)
def test_directories_after_the_first(
    host: str, payload: dict[str, object], expected: tuple[str, ...]
) -> None:
    request = load(host).read({**CALLS[host], **payload}).request
    assert request is not None
    assert request.roots == expected
