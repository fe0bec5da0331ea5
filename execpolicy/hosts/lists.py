"""Where each host keeps its permission list, and what its entries mean.

`entries(host, scope, root)` gives the entries, and in words what is no list of commands.
"""

import os

from execpolicy.decision import Decision
from execpolicy.errors import ExecPolicyError
from execpolicy.hosts import jsonc, place
from execpolicy.hosts.carry import ALWAYS, Native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Reader = Callable[[str, str], Iterator["Native | str"]]

_DECISIONS = {
    "allow": Decision.ALLOW,
    "ask": Decision.PROMPT,
    "ask_user": Decision.PROMPT,
    "deny": Decision.FORBIDDEN,
}


def entries(host: str, scope: str, root: str) -> "tuple[list[Native], list[str]]":
    """The entries of a host's list for `user` or `project`, and remarks about the rest.

    Raises `ExecPolicyError` for a file that cannot be read: a refusal in it would be lost.
    """
    found = list(READERS[host](scope, root))
    return [f for f in found if isinstance(f, Native)], [f for f in found if isinstance(f, str)]


def _json(file: str) -> "Any":
    text = place.read(file)
    if text is None or not text.strip():
        return {}
    try:
        value = jsonc.parse(text).value
    except ExecPolicyError as error:
        raise ExecPolicyError(f"{file}:{error}") from None
    if not isinstance(value, dict):
        raise ExecPolicyError(f"{file}: it is not a JSON object")
    return value


def _home(*parts: str) -> str:
    return os.path.join(os.path.expanduser("~"), *parts)


def _lists(file: str, value: "Any") -> "Iterator[tuple[str, Decision, str]]":
    """The texts of `allow`, `ask` and `deny`, with their places."""
    table = value if isinstance(value, dict) else {}
    for name in ("allow", "ask", "deny"):
        texts = table.get(name, [])
        for number, text in enumerate(texts if isinstance(texts, list) else []):
            if isinstance(text, str):
                yield text, _DECISIONS[name], f"{file}: permissions.{name}[{number}] `{text}`"


def claude(scope: str, root: str) -> "Iterator[Native | str]":
    """`permissions` of the settings: deny, then ask, then allow, whatever the order."""
    files = [_home(".claude", "settings.json"), "/etc/claude-code/managed-settings.json"]
    if scope == "project":
        folder = os.path.join(root, ".claude")
        files = [os.path.join(folder, n) for n in ("settings.json", "settings.local.json")]
    for file in files:
        for text, decision, source in _lists(file, _json(file).get("permissions")):
            tool, bracket, inner = text.partition("(")
            if tool != "Bash":
                yield f"{source}: it is about no command"
            elif not bracket or inner in ("*)", ")"):
                yield Native("*", decision, source)
            elif decision is not Decision.FORBIDDEN and inner.startswith("command:"):
                yield f"{source}: the host ignores it, too"
            else:
                inner = inner.removesuffix(")")
                if inner.endswith(":*"):
                    inner = inner[:-2] + " *"
                parameter = ":" in inner.split(" ")[0] and decision is not Decision.ALLOW
                yield Native(inner, decision, source, special=parameter)


def opencode(scope: str, root: str) -> "Iterator[Native | str]":
    """`permission` (an object, the last that fits) or `permissions` (a list, the same)."""
    folder = root if scope == "project" else os.path.dirname(_opencode())
    for name in ("opencode.json", "opencode.jsonc"):
        file = os.path.join(folder, name)
        config = _json(file)
        yield from _opencode_first(file, config.get("permission"))
        yield from _opencode_second(file, config.get("permissions"))
        if config.get("agent") or config.get("agents"):
            yield f"{file}: what holds for one agent only is left out"


def _opencode() -> str:
    moved = os.environ.get("XDG_CONFIG_HOME", "")
    folder = moved if moved.startswith("/") else _home(".config")
    return os.path.join(folder, "opencode", "opencode.json")


def _opencode_first(file: str, given: "Any") -> "Iterator[Native | str]":
    if isinstance(given, str):
        given = {"bash": given}
    for tool, said in given.items() if isinstance(given, dict) else ():
        if tool not in ("bash", "*"):
            yield f"{file}: permission.{tool}: it is about no command"
            continue
        for number, (pattern, word) in enumerate(
            said.items() if isinstance(said, dict) else [("*", said)]
        ):
            weight = number + (1000 if tool == "bash" else 0)
            yield _wild(f"{file}: permission.{tool} `{pattern}`", pattern, word, weight)


def _opencode_second(file: str, given: "Any") -> "Iterator[Native | str]":
    for number, one in enumerate(given if isinstance(given, list) else ()):
        source = f"{file}: permissions[{number}]"
        if not isinstance(one, dict) or one.get("action") not in ("shell", "bash", "*"):
            yield f"{source}: it is about no command"
        else:
            yield _wild(source, one.get("resource", "*"), one.get("effect"), number)


def _wild(source: str, pattern: "Any", word: "Any", weight: int) -> "Native | str":
    decision = _DECISIONS.get(word) if isinstance(word, str) else None
    if decision is None or not isinstance(pattern, str):
        # A refusal may be meant: what it fits is not known.
        return Native("*", Decision.PROMPT, f"{source} (not understood)", weight, True)
    return Native(pattern.replace("?", "*"), decision, source, weight, "?" in pattern)


def gemini(scope: str, root: str) -> "Iterator[Native | str]":
    """`[[rule]]` of the policies: the highest priority that fits."""
    if scope == "project":
        yield "Gemini CLI reads no policies from projects"
        return
    for tier, folder in ((4, _home(".gemini", "policies")), (5, "/etc/gemini-cli/policies")):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        for name in names:
            if name.endswith(".toml"):
                yield from _gemini_file(os.path.join(folder, name), tier)


def _gemini_file(file: str, tier: int) -> "Iterator[Native | str]":
    import tomllib

    try:
        table = tomllib.loads(place.read(file) or "")
    except tomllib.TOMLDecodeError as error:
        raise ExecPolicyError(f"{file}: {error}") from None
    rules = table.get("rule", [])
    for number, rule in enumerate(rules if isinstance(rules, list) else []):
        source = f"{file}: rule {number + 1}"
        tools = _many(rule.get("toolName", "*"))
        decision = _DECISIONS.get(rule.get("decision"), Decision.PROMPT)
        if not {"run_shell_command", "*"} & set(tools) or rule.get("mcpName"):
            yield f"{source}: it is about no command"
            continue
        priority = rule.get("priority", 0)
        weight = tier * 1000 + (priority if isinstance(priority, int) else 999)
        keys = ("commandRegex", "argsPattern", "toolAnnotations")
        conditions = ("modes", "interactive", "subagent")
        special = any(k in rule for k in keys)
        if decision is Decision.ALLOW:
            special = special or any(k in rule for k in conditions)
        for prefix in _many(rule.get("commandPrefix", "")):
            pattern = f"{prefix} *" if prefix else "*"
            yield Native(pattern, decision, f"{source} `{prefix or '*'}`", weight, special)


def _many(value: "Any") -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [v for v in values if isinstance(v, str)]


def cursor(scope: str, root: str) -> "Iterator[Native | str]":
    """`Shell(name)` fits by the first word alone; deny before allow."""
    file = _home(".cursor", "cli-config.json")
    if scope == "project":
        file = os.path.join(root, ".cursor", "cli.json")
    for text, decision, source in _lists(file, _json(file).get("permissions")):
        tool, _, inner = text.partition("(")
        inner = inner.removesuffix(")")
        if tool != "Shell":
            yield f"{source}: it is about no command"
        else:
            special = len(inner.split()) != 1 or ":" in inner
            yield Native(f"{inner} *" if inner != "*" else "*", decision, source, ALWAYS, special)


def copilot(scope: str, root: str) -> "Iterator[Native | str]":
    """Approvals of commands, each for one directory: they are a project's rules."""
    folder = os.environ.get("COPILOT_HOME") or _home(".copilot")
    file = os.path.join(folder, "permissions-config.json")
    locations = _json(file).get("locations")
    for where, one in locations.items() if isinstance(locations, dict) else ():
        if scope == "user" or os.path.realpath(where) != os.path.realpath(root):
            yield f"{file}: `{where}` holds there only: import it there with `--scope project`"
            continue
        approvals = one.get("tool_approvals") if isinstance(one, dict) else None
        for approval in approvals if isinstance(approvals, list) else ():
            given = approval if isinstance(approval, dict) else {}
            for command in _many(given.get("commandIdentifiers", [])):
                source = f"{file}: {where} `{command}`"
                yield Native(f"{command} *", Decision.ALLOW, source)


READERS: "dict[str, Reader]" = {
    "claude": claude,
    "copilot": copilot,
    "cursor": cursor,
    "gemini": gemini,
    "opencode": opencode,
}
