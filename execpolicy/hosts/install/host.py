"""What stands where in the hosts' configuration, one entry a host.

Facts from the hosts' documentation of their hooks; a timeout is in seconds, for Gemini and Qwen in
milliseconds.
"""

from execpolicy.support.record import Value

COMMAND = "\0command\0"
"""Stands in an item for the command line of the hook."""


class ConfigurationItem(Value):
    """An item that the host's configuration gets in the array at `path`."""

    path: tuple[str, ...]
    item: object


class Host(Value):
    """A host's files, the items that put a policy in front of it, and what it wants besides.

    `user` is relative to the home directory, `project` to the project's. `base` is what a new file
    begins with. `program` is the host's own, `strict` what an item says to refuse if it fails.
    `plugin`: the file is a program of its own and not edited. `beside`: the name of a TOML file in
    the same directory that the host reads the same items from. `longest`: the most seconds that it
    gives to a hook; 0 where it documents none, or does not wait. `units`: what its entry counts in
    a second. `patient` is set by those who install a hook that waits for an answer: the timeouts of
    `entries` are raised, and items that are in a file already may have the short ones.
    """

    name: str
    user: str
    project: str
    entries: tuple[ConfigurationItem, ...] = ()
    base: "dict[str, object] | None" = None
    program: str = ""
    strict: "tuple[str, object] | None" = None
    after: str = ""
    plugin: bool = False
    beside: str = ""
    longest: float = 0.0
    units: int = 1
    patient: bool = False


def _nested(event: str, matcher: str, timeout: int, **more: object) -> ConfigurationItem:
    """The form that most hosts took from Claude Code."""
    hook = {**more, "type": "command", "command": COMMAND, "timeout": timeout}
    return ConfigurationItem(("hooks", event), {"matcher": matcher, "hooks": [hook]})


def _each(item: "dict[str, object]", *events: str) -> tuple[ConfigurationItem, ...]:
    """The same item for each of some events."""
    return tuple(ConfigurationItem(("hooks", event), {**item}) for event in events)


TIMES = ("timeout", "timeoutSec")
"""What the field of an entry is called that limits the hook's time."""
ALL = ".*"
"""Every tool. Of most nothing is said; a list would miss the next one that runs a shell."""
EVERY = "*"
"""The same where a matcher is, or may be, no pattern."""
FORMER = frozenset(
    (
        "Bash|PowerShell|Read|Write|Edit|MultiEdit|NotebookEdit|Glob|Grep|LS|WebFetch|mcp__.*",
        "^(Bash|apply_patch|view_image|mcp__.*)$",
        "^(run_shell_command|write_file|replace|read_file|read_many_files|list_directory|glob"
        "|search_file_content|grep_search|web_fetch|mcp_.*)$",
        "^(Bash|Write|Edit|Read|WebFetch|run_shell_command|write_file|edit|read_file|web_fetch"
        "|glob|grep_search|list_directory|mcp__.*)$",
        "Execute|Read|Edit|Create|ApplyPatch|FetchUrl|mcp__.*",
        "run_command",
    )
)
"""Lists of tools that earlier versions wrote in its place."""

HOSTS = {
    h.name: h
    for h in (
        Host(
            "antigravity",
            ".gemini/config/hooks.json",
            ".agents/hooks.json",
            (
                ConfigurationItem(
                    ("execpolicy", "PreToolUse"),
                    {"matcher": EVERY, "hooks": [{"type": "command", "command": COMMAND}]},
                ),
            ),
            program="agy",
        ),
        Host(
            "claude",
            ".claude/settings.json",
            ".claude/settings.json",
            (
                _nested("PreToolUse", ALL, 10),
                _nested("PreSkillShellCommand", ALL, 10),
                _nested("SessionStart", ALL, 10),
            ),
            program="claude",
            longest=600.0,
            strict=("onFailure", "block"),
        ),
        Host(
            "codex",
            ".codex/hooks.json",
            ".codex/hooks.json",
            (
                _nested("PreToolUse", ALL, 10),
                _nested("PermissionRequest", ALL, 10),
                _nested("SessionStart", ALL, 10),
            ),
            program="codex",
            longest=600.0,
            beside="config.toml",
            after="start codex, type /hooks and trust the new hooks: until then they do not run",
        ),
        Host(
            "copilot",
            ".copilot/hooks/execpolicy.json",
            ".github/hooks/execpolicy.json",
            _each(
                {"type": "command", "bash": COMMAND, "timeoutSec": 10},
                *("preToolUse", "SessionStart"),
            ),
            base={"version": 1},
            program="copilot",
            longest=30.0,
        ),
        Host(
            "cursor",
            ".cursor/hooks.json",
            ".cursor/hooks.json",
            _each(
                {"command": COMMAND, "timeout": 10},
                *("beforeShellExecution", "beforeMCPExecution", "beforeReadFile"),
            ),
            base={"version": 1},
            program="cursor-agent",
            strict=("failClosed", True),
        ),
        Host(
            "droid",
            ".factory/settings.json",
            ".factory/settings.json",
            (_nested("PreToolUse", ALL, 10),),
            program="droid",
        ),
        Host(
            "gemini",
            ".gemini/settings.json",
            ".gemini/settings.json",
            (
                _nested("BeforeTool", ALL, 10_000, name="execpolicy"),
                _nested("SessionStart", EVERY, 10_000, name="execpolicy"),
            ),
            program="gemini",
            longest=60.0,
            units=1000,
        ),
        Host(
            "opencode",
            ".config/opencode/plugins/execpolicy.js",
            ".opencode/plugins/execpolicy.js",
            program="opencode",
            plugin=True,
        ),
        Host(
            "qwen",
            ".qwen/settings.json",
            ".qwen/settings.json",
            (
                _nested("PreToolUse", ALL, 10_000, name="execpolicy"),
                _nested("PermissionRequest", ALL, 10_000, name="execpolicy"),
            ),
            program="qwen",
            longest=60.0,
            units=1000,
        ),
        Host(
            "windsurf",
            ".codeium/windsurf/hooks.json",
            ".windsurf/hooks.json",
            _each(
                {"command": COMMAND, "show_output": True},
                *("pre_run_command", "pre_read_code", "pre_write_code", "pre_mcp_tool_use"),
            ),
            program="windsurf",
        ),
    )
}
