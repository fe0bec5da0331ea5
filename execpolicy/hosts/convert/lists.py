"""Where each host keeps its permission list, and what its entries mean.

`entries(host, scope, root)` gives the entries, and in words what is not a list of commands.
"""

import os
from collections.abc import Callable, Iterator

from execpolicy.hosts.convert.convert import ALWAYS, Native
from execpolicy.hosts.convert.convert_places import NativePlace, of_glob
from execpolicy.hosts.convert.expression import patterns
from execpolicy.hosts.convert.lists_claude import claude
from execpolicy.hosts.convert.lists_more import droid, qwen
from execpolicy.hosts.convert.lists_opencode import opencode
from execpolicy.hosts.convert.shared import DECISIONS, json_of, lists
from execpolicy.hosts.install import host_file
from execpolicy.hosts.permissions import cursor as shell
from execpolicy.hosts.permissions.copilot import patterns as copilot_commands
from execpolicy.hosts.permissions.files import home, many, parsed_toml
from execpolicy.hosts.permissions.gemini import dropped_for
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP
from execpolicy.support.record import Value

Reader = Callable[[str, str], Iterator["Native | NativePlace | str"]]


class Entries(Value):
    """A host's list: entries about commands, about paths and hosts, and remarks about the rest."""

    commands: tuple[Native, ...]
    places: tuple[NativePlace, ...]
    remarks: tuple[str, ...]


def entries(host: str, scope: str, root: str) -> Entries:
    """The entries of a host's list for `user` or `project`, and remarks about the rest.

    Raises `ExecPolicyError` for a file that cannot be read: a refusal in it would be lost.
    """
    found = list(READERS[host](scope, root))
    return Entries(
        tuple(f for f in found if isinstance(f, Native)),
        tuple(f for f in found if isinstance(f, NativePlace)),
        tuple(f for f in found if isinstance(f, str)),
    )


def gemini(scope: str, root: str) -> Iterator[Native | str]:
    """`[[rule]]` of the policies: the highest priority that fits."""
    if scope == "project":
        yield "Gemini CLI reads no policies from projects"
        return
    yield from _gemini_settings()
    for tier, folder in ((4, home(".gemini", "policies")), (5, "/etc/gemini-cli/policies")):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            if name.endswith(".toml"):
                yield from _gemini_file(os.path.join(folder, name), tier)


def _gemini_file(file: str, tier: int) -> Iterator[Native | str]:
    rules = parsed_toml(file, host_file.read(file)).get("rule")
    rules = rules if isinstance(rules, list) else []
    dropped = dropped_for(rules)
    if dropped:
        yield f"{file}: Gemini drops this file for its rule {dropped}: what it allows is left out"
    for number, rule in enumerate(rules, 1):
        if not isinstance(rule, dict):
            continue
        if not dropped or rule.get("decision") != "allow":
            yield from _gemini_rule(rule, f"{file}: rule {number}", tier)


_COMMAND = '"command":"'
"""How the arguments of the shell tool begin as a text of JSON, which an `argsPattern` is about."""
_UNREAD = ("argsPattern", "toolAnnotations")
_CONDITIONS = ("interactive", "subagent")


def _gemini_rule(given: dict[str, object], source: str, tier: int) -> Iterator[Native | str]:
    rule = _of_command(given)
    decision = DECISIONS.get(str(rule.get("decision")), Decision.PROMPT)
    modes = many(rule.get("modes", "default"))
    if "default" not in modes:
        yield f"{source}: left out: it holds in the mode {' or '.join(modes)} only"
        return
    priority = rule.get("priority", 0)
    weight = tier * 1000 + (priority if isinstance(priority, int) else 999)
    # A condition that is not read may not make a permission wider.
    unread = (*_UNREAD, *_CONDITIONS) if decision is Decision.ALLOW else _UNREAD
    special = any(key in rule for key in unread)
    tools = many(rule.get("toolName", "*"))
    if rule.get("mcpName"):
        for tool in tools:
            named = tool if tool == "*" or not tool.startswith("mcp_") else tool.split("_")[-1]
            pattern = f"{MCP}{rule['mcpName']}__{named}"
            yield Native(pattern, decision, f"{source} `{pattern}`", weight, special)
    elif not {"run_shell_command", "*"} & set(tools):
        yield f"{source}: it is about no command"
    else:
        yield from _gemini_commands(rule, Native("*", decision, source, weight, special))


def _of_command(rule: dict[str, object]) -> dict[str, object]:
    """The rule, with a pattern of the arguments that is one of the command as such a one."""
    pattern = str(rule.get("argsPattern", ""))
    if not pattern.startswith(_COMMAND) or {"commandRegex", "commandPrefix"} & {*rule}:
        return rule
    begun, closed = pattern.removeprefix(_COMMAND), pattern.endswith('"')
    expression = begun[:-1] + "$" if closed else begun
    return {k: v for k, v in rule.items() if k != "argsPattern"} | {"commandRegex": expression}


def _gemini_commands(rule: dict[str, object], whole: Native) -> Iterator[Native]:
    """The prefixes and the expression of a rule; all commands where it has none."""
    given = rule.get("commandRegex")
    found = patterns(given) if isinstance(given, str) else None
    if "commandRegex" in rule:
        allows = whole.decision is Decision.ALLOW
        if found is None or (allows and not found[1]):
            yield whole.replace(source=f"{whole.source} `{given}`", special=True)
        for pattern in found[0] if found is not None and (found[1] or not allows) else ():
            yield whole.replace(pattern=pattern, source=f"{whole.source} `{given}`")
        return
    for prefix in many(rule.get("commandPrefix", "")):
        pattern = f"{prefix} *" if prefix else "*"
        yield whole.replace(pattern=pattern, source=f"{whole.source} `{prefix or '*'}`")


def _gemini_settings() -> Iterator[Native | str]:
    """`tools.allowed` and `tools.exclude` of the settings: `run_shell_command(git)`."""
    file = home(".gemini", "settings.json")
    tools = json_of(file).get("tools")
    given = tools if isinstance(tools, dict) else {}
    for name, decision in (("allowed", Decision.ALLOW), ("exclude", Decision.FORBIDDEN)):
        for text in many(given.get(name, [])):
            tool, bracket, inner = text.partition("(")
            source = f"{file}: tools.{name} `{text}`"
            if tool not in ("run_shell_command", "ShellTool"):
                yield f"{source}: it is about no command"
            else:
                prefix = inner.removesuffix(")") if bracket else ""
                yield Native(f"{prefix} *" if prefix else "*", decision, source)


def cursor(scope: str, root: str) -> Iterator[Native | NativePlace | str]:
    """`Shell(name)` fits by the first word, `Shell(name:words)` by more; deny before allow."""
    file = home(".cursor", "cli-config.json")
    if scope == "project":
        file = os.path.join(root, ".cursor", "cli.json")
    for text, decision, source in lists(file, json_of(file).get("permissions")):
        tool, _, inner = text.partition("(")
        inner = inner.removesuffix(")")
        if tool in ("Read", "Write"):
            pattern = of_glob(inner, project=True) or ""
            yield NativePlace(tool.lower(), pattern, decision, source)
        elif tool == "WebFetch":
            yield NativePlace("fetch", inner, decision, source)
        elif tool == "Mcp":
            yield Native(f"{MCP}{inner.replace(':', '__')}", decision, source)
        elif tool != "Shell":
            yield f"{source}: it is about no command, path or host"
        else:
            special = not shell.is_certain(inner)
            yield Native(shell.command(inner), decision, source, ALWAYS, special)


def copilot(scope: str, root: str) -> Iterator[Native | NativePlace | str]:
    """Approvals of commands, each for one directory: they are a project's rules; URLs are not."""
    folder = os.environ.get("COPILOT_HOME") or home(".copilot")
    for key, decision in _COPILOT_URLS if scope == "user" else ():
        file = os.path.join(folder, "settings.json")
        for url in many(json_of(file).get(key)):
            host = url.removeprefix("https://").removeprefix("http://").rstrip("/")
            yield NativePlace("fetch", host, decision, f"{file}: {key} `{url}`")
    file = os.path.join(folder, "permissions-config.json")
    locations = json_of(file).get("locations")
    for where, one in locations.items() if isinstance(locations, dict) else ():
        if scope == "user" or os.path.realpath(where) != os.path.realpath(root):
            yield f"{file}: `{where}` holds there only: import it there with `--scope project`"
            continue
        approvals = one.get("tool_approvals") if isinstance(one, dict) else None
        for approval in approvals if isinstance(approvals, list) else ():
            given = approval if isinstance(approval, dict) else {}
            if given.get("kind") == "mcp":
                name = f"{MCP}{given.get('serverName')}__{given.get('toolName') or '*'}"
                yield Native(name, Decision.ALLOW, f"{file}: {where} `{name}`")
            elif given.get("kind") != "commands":
                yield f"{file}: {where}: `{given.get('kind')}` is about no command"
            for command, pattern in copilot_commands(given.get("commandIdentifiers")):
                yield Native(pattern, Decision.ALLOW, f"{file}: {where} `{command}`")


_COPILOT_URLS = (("allowedUrls", Decision.ALLOW), ("deniedUrls", Decision.FORBIDDEN))

READERS: dict[str, Reader] = {
    "claude": claude,
    "copilot": copilot,
    "cursor": cursor,
    "droid": droid,
    "gemini": gemini,
    "opencode": opencode,
    "qwen": qwen,
}
