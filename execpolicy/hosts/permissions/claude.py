"""Claude Code: `permissions` of its settings, its modes, and what it runs unasked by itself.

A list of the project is its own only in `settings.local.json`, where "don't ask again" is kept, and
only where git did not bring that file. (code.claude.com/docs/en/permissions; Claude Code 2.1.197)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.payloads.protocol import ASKS as ASKING
from execpolicy.hosts.payloads.protocol import EDITS
from execpolicy.hosts.permissions import files
from execpolicy.hosts.permissions.base import (
    ASKS,
    ITSELF,
    OWN,
    REFUSES,
    WORDS,
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Subject,
    Tool,
    runs_unasked,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, Access, Exec, Operation

MANAGED = "/etc/claude-code/managed-settings.json"
_TOOLS = {
    "Bash": "shell", "Read": "read", "Glob": "read", "Grep": "read", "Edit": "write",
    "Write": "write", "MultiEdit": "write", "NotebookEdit": "write", "WebFetch": "fetch",
}  # fmt: skip

# First words of what the host calls read-only: more than those it always runs, for what is asked
# here has to be certain. (`readOnlyValidation` of the program)
_RUNS_WORDS = (
    "[ aki alias arch awk basename base64 bat cal cat cd claude cmp column comm cut date df diff"
    " dirname docker du echo egrep eza expand expr false fd fdfind fgrep file find fmt fold free gh"
    " git grep groups head help hexdump history hostname id ifconfig info ip jobs jq less locale ls"
    " lsd lsof man md5sum more netstat nl node nproc numfmt od paste pgrep pr printenv printf ps"
    " pwd pyright python python3 readlink realpath rev rg ripgrep sed seq sha1sum sha256sum sleep"
    " sort ss stat strings tac tail test top tput tr tree true tsort type uname unexpand uniq"
    " uptime wc where whereis which who whoami xargs"
)
RUNS = frozenset(_RUNS_WORDS.split())
_EDITING = frozenset(("mkdir", "touch", "rmdir", "mv", "cp", "sed"))
"""What the mode that accepts edits runs, too."""


def read(tool: Tool) -> Listed:
    """The settings of the administrator, the user and the project."""
    folder = files.moved("CLAUDE_CONFIG_DIR", ".claude", tool.root or tool.cwd)
    root = tool.root or tool.cwd or "/"
    local = os.path.join(root, ".claude", "settings.local.json")
    found = [
        (files.json(MANAGED), True),
        (files.json(os.path.join(folder, "settings.json")), True),
        (files.json(os.path.join(root, ".claude", "settings.json"), root), False),
        (files.json(local, root), not files.tracked(local)),
    ]
    entries = [e for table, mine in found for e in listed(table, root, mine)]
    facts = [fact for table, _ in found for fact in _facts(table)]
    return Listed(tuple(entries), whole=True, facts=tuple(facts))


def listed(table: "dict[str, object]", root: str, mine: bool) -> "Iterator[PermissionEntry]":
    """The entries of `permissions`."""
    permissions = files.table(table.get("permissions"))
    for name, decision in WORDS.items():
        for text in files.texts(permissions.get(name)):
            yield entry(text, decision, root, mine)


def _facts(table: "dict[str, object]") -> "Iterator[str]":
    if files.table(table.get("permissions")).get("additionalDirectories"):
        yield "directories"
    if files.table(table.get("sandbox")).get("enabled"):
        yield "sandbox"


def entry(text: str, decision: Decision, root: str, mine: bool) -> PermissionEntry:
    """An entry such as `Bash(npm test:*)`, `Edit(src/**)`, `WebFetch(domain:x)`, `mcp__db`."""
    name, bracket, inner = text.partition("(")
    inner = inner.removesuffix(")")
    if name.startswith(MCP):
        pattern = name if "*" in name or name.count("__") > 1 else f"{name}__*"
        return PermissionEntry("mcp", pattern, decision, mine)
    kind = _TOOLS.get(name, name)
    if not bracket or inner in ("*", ""):
        return PermissionEntry(kind, "*", decision, mine)
    if kind == "shell":
        pattern = inner[:-2] + " *" if inner.endswith(":*") else inner
        return PermissionEntry(
            kind, pattern, decision, mine, ":" not in inner.partition(" ")[0][:-2]
        )
    if kind == "fetch":
        return PermissionEntry(kind, inner.removeprefix("domain:"), decision, mine)
    return PermissionEntry(kind, _path(inner, root), decision, mine)


def _path(pattern: str, root: str) -> str:
    """A path of a list as an absolute one; `**` is any text, as `*` is."""
    if pattern.startswith("//"):
        pattern = pattern[1:]
    elif pattern.startswith("~/"):
        pattern = os.path.expanduser("~") + pattern[1:]
    else:
        pattern = f"{root}/{pattern.removeprefix('./').lstrip('/')}"
    return pattern.replace("**", "*")


def says(asked: AskedOperation) -> HostAnswer:
    """What Claude Code would do: deny, then ask, then allow, then its mode, then its own."""
    return decided(asked, RUNS)


def decided(asked: AskedOperation, runs: "frozenset[str]") -> HostAnswer:
    """The same for hosts that took the form. `runs` are programs they may run by themselves."""
    tight, mode, listed = asked.tight(), asked.tool.mode, asked.listed
    if tight:
        return HostAnswer(REFUSES if tight is Decision.FORBIDDEN else ASKS, why=ITSELF)
    mine = asked.own()
    if mine is not None:
        return mine
    if mode == EDITS and _is_edit(asked.operation, asked.what):
        return HostAnswer(OWN, why="your mode accepts edits")
    if mode in (ASKING, EDITS) and _is_asked(asked, runs):
        return HostAnswer(ASKS, why=ITSELF)
    return HostAnswer(why="" if listed.whole else "; ".join(listed.facts))


def _is_edit(operation: "Operation", what: Subject) -> bool:
    if isinstance(operation, Access):
        return operation.mode == "write"
    return isinstance(operation, Exec) and what.program in _EDITING


def _is_asked(asked: AskedOperation, runs: "frozenset[str]") -> bool:
    """Whether the host certainly asks the user."""
    operation, tool = asked.operation, asked.tool
    if tool.kind == "shell":
        return "sandbox" not in asked.listed.facts and _is_run(asked, runs)
    writes = isinstance(operation, Access) and operation.mode == "write" and tool.mode == ASKING
    return (writes or _is_outside(asked)) and asked.unlisted(outer=False)


def _is_run(asked: AskedOperation, runs: "frozenset[str]") -> bool:
    """Whether a command, or a file that it is redirected to, is one that the host asks about."""
    if isinstance(asked.operation, Exec):
        return not runs_unasked(asked.what, runs) and asked.unlisted()
    commands = [e for e in asked.listed.entries if e.kind in ("shell", "*") and not e.decision]
    return asked.what.kind == "write" and not commands and asked.unlisted(outer=False)


def _is_outside(asked: AskedOperation) -> bool:
    """Whether a file that a tool reads is certainly outside of the directories of the session."""
    what, facts = asked.what, asked.listed.facts
    inside = [d for d in (asked.tool.root, asked.tool.cwd) if d]
    if what.kind != "read" or not inside or "directories" in facts or not what.whole:
        return False
    real = os.path.normpath(what.known)
    return real.startswith("/") and not any(f"{real}/".startswith(f"{d}/") for d in inside)
