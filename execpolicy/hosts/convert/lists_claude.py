"""Claude Code: the lists of its settings, and the front matter of agents, commands and skills.

What a command or a skill allows holds while it is at work, what an agent may not use holds for that
agent: none of it can be said for all. (Claude Code's manual: settings, slash commands, skills,
subagents)
"""

import os
from collections.abc import Iterator

from execpolicy.hosts.convert.convert import Native
from execpolicy.hosts.convert.convert_places import NativePlace, of_glob
from execpolicy.hosts.convert.shared import front, json_of, lists, markdown
from execpolicy.hosts.permissions.files import home, many
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP

# Where the files are, what they are called, and the decision of the tools in each field.
_FILES = (
    ("agents", "agent", {"disallowedTools": Decision.FORBIDDEN, "tools": Decision.ALLOW}),
    ("commands", "command", {"allowed-tools": Decision.ALLOW}),
    ("skills", "skill", {"allowed-tools": Decision.ALLOW}),
)


def claude(scope: str, root: str) -> Iterator[Native | NativePlace | str]:
    """`permissions` of the settings: deny, then ask, then allow, whatever the order."""
    files = [home(".claude", "settings.json"), "/etc/claude-code/managed-settings.json"]
    if scope == "project":
        folder = os.path.join(root, ".claude")
        files = [os.path.join(folder, n) for n in ("settings.json", "settings.local.json")]
    for file in files:
        for text, decision, source in lists(file, json_of(file).get("permissions")):
            yield entry(text, decision, source, scope == "project")
    folder = os.path.join(root, ".claude") if scope == "project" else home(".claude")
    for name, what, fields in _FILES:
        for file in markdown(os.path.join(folder, name)):
            if name != "skills" or os.path.basename(file) == "SKILL.md":
                yield from _in_file(file, what, fields)


def entry(text: str, decision: Decision, source: str, project: bool) -> Native | NativePlace | str:
    """An entry of a list, or why there is none."""
    if text.startswith(MCP) and "(" not in text:
        return Native(text, decision, source)
    if text.partition("(")[0] != "Bash":
        return place_of(text, decision, source, project)
    if decision is not Decision.FORBIDDEN and text.startswith("Bash(command:"):
        return f"{source}: the host ignores it, too"
    return _native(text, decision, source)


def place_of(text: str, decision: Decision, source: str, project: bool) -> NativePlace | str:
    """The entry for `Read(./.env)`, `Edit(src/**)`, `WebFetch(domain:x)`; else why there is none.

    A path that begins with one slash is meant from the settings file's own directory.
    """
    tool, _, inner = text.partition("(")
    kind, inner = _PLACES.get(tool), inner.removesuffix(")")
    if kind is None:
        return f"{source}: it is about no command, path or host"
    if kind == "fetch":
        return NativePlace(kind, inner.removeprefix("domain:"), decision, source)
    pattern = of_glob(inner, project, "//")
    if pattern is None:
        return f"{source}: left out: which directory it is meant from is not known"
    return NativePlace(kind, pattern, decision, source)


_PLACES = {
    **dict.fromkeys(("Read", "Glob", "Grep"), "read"),
    **dict.fromkeys(("Edit", "Write", "MultiEdit", "NotebookEdit"), "write"),
    "WebFetch": "fetch",
}


def _native(text: str, decision: Decision, source: str, only: str = "") -> Native:
    """The entry for `Bash`, `Bash(words)`, `Bash(words:*)` and `Bash(parameter:value)`."""
    _, bracket, inner = text.partition("(")
    if not bracket or inner in ("*)", ")"):
        return Native("*", decision, source, only=only)
    inner = inner.removesuffix(")")
    if inner.endswith(":*"):
        inner = inner[:-2] + " *"
    parameter = ":" in inner.split(" ")[0] and decision is not Decision.ALLOW
    return Native(inner, decision, source, special=parameter, only=only)


def _in_file(file: str, what: str, fields: dict[str, Decision]) -> Iterator[Native | str]:
    name = os.path.basename(os.path.dirname(file) if what == "skill" else file[:-3])
    only = f"{what} `{name}`"
    found = front(file, fields)
    if isinstance(found, str):
        yield f"{file}: {found}"
        if Decision.FORBIDDEN in fields.values():
            yield Native("*", Decision.PROMPT, f"{file} (not understood)", special=True, only=only)
        return
    for field, decision in fields.items():
        for tool in _tools(found.get(field)):
            source = f"{file}: {field} `{tool}`"
            if tool == "Bash" and what == "agent":
                if decision:
                    yield f"{source}: {only} runs no commands"
            elif tool.partition("(")[0] == "Bash":
                yield _native(tool, decision, source, only)


def _tools(value: object) -> Iterator[str]:
    """The tools of a list, or of a text with commas or blanks outside of brackets."""
    for text in many(value):
        start = depth = 0
        for at, char in enumerate(f"{text},"):
            depth += (char == "(") - (char == ")")
            if char in ", \t" and depth <= 0:
                if text[start:at]:
                    yield text[start:at]
                start = at + 1
