"""Codex: its rules, its approval policy, its sandbox, and the programs that it takes to only read.

What no rule matches runs in the sandbox, and what the sandbox stopped is asked about when the
model wants it run without. Where no configuration says `sandbox_mode`, that is `workspace-write` in
a directory that the user trusts, and `read-only` in another; `danger-full-access`, in a
configuration or on the command line, is none.
(openai/codex, `codex-rs/core/src/exec_policy.rs`; Codex 0.169 and 0.171)
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.payloads.protocol import STRICT, UNATTENDED
from execpolicy.hosts.payloads.started import above
from execpolicy.hosts.permissions import codex_rules, files
from execpolicy.hosts.permissions.base import (
    ASKS,
    DEFAULT,
    OWN,
    REFUSES,
    AskedOperation,
    HostAnswer,
    Listed,
    PermissionEntry,
    Tool,
    runs_unasked,
)
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP, Exec

_SYSTEM = "/etc/codex"
_STRICT = ("untrusted", "unless-trusted")
_READS = (
    "cat cd cut echo expr false grep head id ls nl numfmt paste pwd rev seq stat tac tail tr true"
    " uname uniq wc which whoami"
)
READS = frozenset(_READS.split())
"""Programs that it takes to read only, whatever follows
(`shell-command/src/command_safety/is_safe_command.rs`)."""
_SAFE = READS | {"base64", "find", "git", "rg", "sed"}
"""Those, and the programs of which it runs some uses without asking, by their options."""


def read(tool: Tool) -> Listed:
    """The rules and the configuration of the system, the user and the project."""
    root = tool.root or tool.cwd
    home = files.moved("CODEX_HOME", ".codex", root)
    user = files.toml(os.path.join(home, "config.toml"))
    system = files.toml(os.path.join(_SYSTEM, "config.toml"))
    theirs = [os.path.join(d, ".codex") for d in dict.fromkeys((tool.root, tool.cwd)) if d]
    project = [files.toml(os.path.join(folder, "config.toml"), root) for folder in theirs]
    entries = [
        *_rules(_SYSTEM, mine=True),
        *_rules(home, mine=True),
        *(entry for folder in theirs for entry in _rules(folder, mine=False)),
        *_tools(user),
    ]
    return Listed(tuple(entries), whole=True, facts=tuple(_facts(system, user, project)))


def _rules(folder: str, mine: bool) -> "Iterator[PermissionEntry]":
    within = None if mine else os.path.dirname(folder)
    for path in files.names(os.path.join(folder, "rules"), ".rules"):
        yield from codex_rules.entries(path, files.text(path, within) or "", mine)


def _tools(user: "dict[str, object]") -> "Iterator[PermissionEntry]":
    """Tools of MCP servers that the user said always to."""
    for server, given in files.table(user.get("mcp_servers")).items():
        for tool, said in files.table(files.table(given).get("tools")).items():
            if files.table(said).get("approval_mode") == "approve":
                yield PermissionEntry("mcp", f"{MCP}{server}__{tool}", Decision.ALLOW)


def _facts(
    system: "dict[str, object]", user: "dict[str, object]", project: "list[dict[str, object]]"
) -> "Iterator[str]":
    profile = files.table(files.table(user.get("profiles")).get(str(user.get("profile"))))
    said = {**system, **user, **profile}
    overridden = any("approval_policy" in table or "profile" in table for table in project)
    if said.get("approval_policy") in _STRICT and not overridden:
        yield "untrusted"
    modes = [said.get("sandbox_mode"), *(table.get("sandbox_mode") for table in project)]
    profiled = any("default_permissions" in table for table in (said, *project))
    if SANDBOXES.issuperset(modes) and not profiled and not any(map(_frees, above())):
        yield "sandbox"
        written = (files.table(t.get("sandbox_workspace_write")) for t in (said, *project))
        if any(table.get("network_access") not in (None, False) for table in written):
            yield "online"


SANDBOXES = frozenset((None, "workspace-write", "read-only"))
"""The values of `sandbox_mode` with which there is a sandbox."""
_FREEING = ("danger", "yolo", "sandbox_mode", "default_permissions", "--profile", "-p")


def _frees(words: "list[str]") -> bool:
    """Whether Codex was started with words that may take its sandbox away."""
    mine = any("codex" in word.rpartition("/")[2] for word in words[:2])
    return mine and any(
        word.startswith(sign) or (sign[0] != "-" and sign in word)
        for word in words[1:]
        for sign in _FREEING
    )


def says(asked: AskedOperation) -> HostAnswer:
    """What Codex would do: its rules, then what it knows, then its policy."""
    tight, tool, listed = asked.tight(), asked.tool, asked.listed
    if tight is Decision.FORBIDDEN:
        return HostAnswer(REFUSES, why="a rule of the host forbids it")
    if tight and tool.mode != UNATTENDED:
        return HostAnswer(ASKS, why="a rule of the host asks about it")
    mine = asked.own()
    if mine is not None:
        return mine
    strict = tool.mode == STRICT or ("untrusted" in listed.facts and tool.mode != UNATTENDED)
    if strict and _asks(asked):
        return HostAnswer(ASKS, why="your approval policy asks about it")
    if "sandbox" in listed.facts and tool.kind != "mcp":
        return HostAnswer(
            OWN, why="its sandbox holds what stays there", holds="online" not in listed.facts
        )
    return HostAnswer(DEFAULT if listed.whole else "unknown")


def _asks(asked: AskedOperation) -> bool:
    if not isinstance(asked.operation, Exec):
        return asked.what.kind == "write" and not asked.listed.entries
    return not runs_unasked(asked.what, _SAFE) and asked.unlisted()
