"""opencode: its list of rules, of which the last that fits decides.

The plugin sends the list that is in force, with the user's answers of "always"; without it the
files are read. A rule is the user's where it stands in a file of theirs, or is such an answer.
(APPROVALS of opencode 1.18)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    ASKS,
    DEFAULT,
    ITSELF,
    REFUSES,
    WORDS,
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Subject,
    Tool,
    by_own,
    covers,
    may_cover,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, Access, Exec

_KINDS = {"bash": "shell", "edit": "write", "read": "read", "webfetch": "fetch", "*": "*"}
FILES = ("opencode.json", "opencode.jsonc")
_ALWAYS = "always"
_SHIPPED = (
    ("*", "*", "allow"),
    ("bash", "*", "ask"),
    ("edit", "*", "ask"),
    ("webfetch", "*", "ask"),
)
"""What the host ships, and what the plugin makes it ask where the user says nothing."""


def read(tool: Tool) -> Listed:
    """The rules in force, in order."""
    root = tool.root or tool.cwd or "/"
    mine = [r for folder in _folders(root) for r in _rules(folder, None)]
    theirs = [r for folder in (root, f"{root}/.opencode") for r in _rules(folder, root)]
    given = tool.rules
    if given is None:
        given = (*_SHIPPED, *mine, *theirs)
    found = (_entry(rule, number, mine) for number, rule in enumerate(given))
    return Listed(tuple(entry for entry in found if entry is not None))


def _folders(root: str) -> "Iterator[str]":
    base = files.moved("XDG_CONFIG_HOME", ".config", root)
    yield from (os.path.join(base, "opencode"), files.home(".opencode"))


def _rules(folder: str, within: str | None) -> "Iterator[tuple[str, str, str]]":
    for name in FILES:
        permission = files.json(os.path.join(folder, name), within).get("permission")
        if isinstance(permission, str):
            permission = {"*": permission}
        for tool, said in files.table(permission).items():
            for pattern, word in files.table(said).items() or (("*", said),):
                if isinstance(word, str):
                    yield tool, pattern, word


def _entry(rule: object, number: int, mine: "list[tuple[str, str, str]]") -> PermissionEntry | None:
    """A rule as it is sent: permission, pattern, action, and `always` for an answer."""
    if not isinstance(rule, list | tuple) or len(rule) < 3:
        return None
    permission, pattern, word = (str(part) for part in rule[:3])
    is_mine = (permission, pattern, word) in mine or _ALWAYS in rule[3:]
    decision = WORDS.get(word, Decision.FORBIDDEN)
    kind = _KINDS.get(permission)
    if kind is None:
        kind, pattern = "mcp", mcp(permission)
    certain = "?" not in f"{permission}{pattern}"
    return PermissionEntry(kind, pattern.replace("?", "*"), decision, is_mine, certain, number)


def mcp(tool: str) -> str:
    """The name under which rules know a tool that a server of the host's has."""
    server, gap, rest = tool.partition("_")
    return f"{MCP}{server}__{rest}" if gap else f"{MCP}{tool}"


def says(asked: AskedOperation) -> HostAnswer:
    """What opencode would do with this very call."""
    if not asked.listed.whole:
        return HostAnswer()
    what = _subject(asked)
    for entry in reversed(asked.listed.entries):
        if covers(entry, what):
            return _by(entry, what)
        if may_cover(entry, what):
            return HostAnswer()
    return HostAnswer(ASKS, why=ITSELF)


def _by(entry: PermissionEntry, what: Subject) -> HostAnswer:
    if entry.decision is Decision.FORBIDDEN:
        return HostAnswer(REFUSES, why="the host's own list refuses it")
    if entry.decision:
        return HostAnswer(ASKS, why=ITSELF)
    if not entry.own:
        return HostAnswer(DEFAULT)
    return by_own(entry, what)


def _subject(asked: AskedOperation) -> Subject:
    """The call as the host's patterns have it: paths from the project on."""
    tool, what = asked.tool, asked.what
    if tool.kind == "shell" and not isinstance(asked.operation, Exec):
        return Subject("shell", "", whole=False)
    root = tool.root or tool.cwd
    if isinstance(asked.operation, Access) and root and what.known.startswith(f"{root}/"):
        return what.replace(known=what.known[len(root) + 1 :])
    return what if what.kind != "fetch" else what.replace(known="", whole=False)
