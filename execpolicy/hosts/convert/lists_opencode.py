"""opencode: the permissions of its configuration, and those of single agents.

The last entry that fits decides. An agent's own entries come after those for all; what an older
version did with a name that has a `*`, a newer one puts in front of the others, so each is read as
strictly as either does. (anomalyco/opencode, `src/permission`, `src/config/agent.ts`)
"""

import os
from collections.abc import Iterable, Iterator

from execpolicy.hosts.convert.convert import ALWAYS, Native
from execpolicy.hosts.convert.convert_places import NativePlace, of_glob
from execpolicy.hosts.convert.shared import DECISIONS, front, json_of, markdown
from execpolicy.hosts.convert.words import fits
from execpolicy.hosts.permissions.files import home
from execpolicy.hosts.permissions.opencode import FILES
from execpolicy.model.decision import Decision
from execpolicy.model.operation import MCP
from execpolicy.support.record import Value

_SPECIFIC = 1_000
_AGENT = 1_000_000
_ODD = "not understood"


class _OpencodeEntry(Value):
    """An entry: `wild` if a `*` names its tool. `decision` is None where it is not understood."""

    pattern: str
    decision: Decision | None
    source: str
    wild: bool = False
    unsure: bool = False


def opencode(scope: str, root: str) -> Iterator[Native | NativePlace | str]:
    """`permission` (an object) or `permissions` (a list), for all and for single agents."""
    folders = _folders(scope, root)
    files = [os.path.join(folder, name) for folder in folders for name in FILES]
    if scope == "project":
        files = [*(os.path.join(root, name) for name in FILES), *files]
    common: list[list[_OpencodeEntry]] = []
    agents: dict[str, list[list[_OpencodeEntry]]] = {}
    for file in files:
        config = json_of(file)
        if _refuses_all(config.get("permission")):
            source = f"{file}: permission `*`"
            yield NativePlace("everything", "", Decision.FORBIDDEN, source)
            config = {**config, "permission": None}
        said = _entries(file, config)
        yield from (s for s in said if not isinstance(s, _OpencodeEntry))
        common.append([s for s in said if isinstance(s, _OpencodeEntry)])
        for name, entries in _agents(file, config):
            agents.setdefault(name, []).append(entries)
    for name, entries in _written(folders):
        agents.setdefault(name, []).append(entries)
    yield from _weighed(common)
    for name, found in agents.items():
        yield from _of_agent(name, [entries for entries in found if entries])


def _refuses_all(permission: object) -> bool:
    """Whether entries refuse every tool: one is about all of them, and no other says more."""
    said = permission if isinstance(permission, dict) else {"*": permission}
    return "*" in said and all(one in ("deny", {"*": "deny"}) for one in said.values())


def _folders(scope: str, root: str) -> list[str]:
    if scope == "project":
        return [os.path.join(root, ".opencode")]
    moved = os.environ.get("XDG_CONFIG_HOME", "")
    base = moved if moved.startswith("/") else home(".config")
    return [os.path.join(base, "opencode"), home(".opencode")]


def _agents(file: str, config: dict[str, object]) -> Iterator[tuple[str, list[_OpencodeEntry]]]:
    for key in ("mode", "agent", "agents"):
        table = config.get(key)
        for name, given in table.items() if isinstance(table, dict) else ():
            if isinstance(given, dict):
                yield name, _given(f"{file}: {key}.{name}", given)


def _written(folders: list[str]) -> Iterator[tuple[str, list[_OpencodeEntry]]]:
    """Agents in Markdown files, each with its entries."""
    for folder in folders:
        places = [os.path.join(folder, n) for n in ("agent", "agents", "mode", "modes")]
        for place in places:
            for file in markdown(place):
                name = os.path.relpath(file, place)[:-3]
                found = front(file, ("permission", "permissions", "tools", "disable"))
                if isinstance(found, str):
                    yield name, [_OpencodeEntry("*", None, f"{file}: {found}", unsure=True)]
                else:
                    yield name, _given(file, found)


def _given(source: str, given: dict[str, object]) -> list[_OpencodeEntry]:
    """The entries of an agent; none of one that is turned off."""
    said = [] if given.get("disable") is True else _entries(source, given)
    return [s for s in said if isinstance(s, _OpencodeEntry)]


def _entries(
    source: str, given: dict[str, object]
) -> list[_OpencodeEntry | Native | NativePlace | str]:
    """All entries, with remarks. `tools` is the older form, and `permission` overrides it."""
    permission, tools = given.get("permission"), given.get("tools")
    if isinstance(permission, str):
        permission = {"*": permission}
    older = tools if isinstance(tools, dict) else {}
    said: dict[str, object] = {k: "allow" if v else "deny" for k, v in older.items()}
    if isinstance(permission, dict):
        said |= permission
    elif permission is not None:
        said["*"] = _ODD
    return [*_first(source, said), *_second(source, given.get("permissions"))]


def _first(
    file: str, given: dict[str, object]
) -> Iterator[_OpencodeEntry | Native | NativePlace | str]:
    for tool, said in given.items():
        if not fits(tool.replace("?", "*"), "bash"):
            yield from _tools(file, tool, said) if _is_served(tool) else _places(file, tool, said)
            continue
        for pattern, word in said.items() if isinstance(said, dict) else [("*", said)]:
            yield _one(f"{file}: permission.{tool} `{pattern}`", pattern, word, tool)


def _is_served(tool: str) -> bool:
    """Whether a name is one of a server's tools: its server, `_`, and its own."""
    return "_" in tool.strip("*") and tool not in _OWN


_OWN = frozenset(("external_directory", "doom_loop", "apply_patch", "plan_enter", "plan_exit"))


def _tools(file: str, tool: str, said: object) -> Iterator[Native | str]:
    """An entry about tools of a server: `github_*`, `github_delete_repo`."""
    source = f"{file}: permission.{tool}"
    word = said.get("*") if isinstance(said, dict) else said
    decision = DECISIONS.get(word) if isinstance(word, str) else None
    if decision is None:
        yield f"{source}: {_ODD}"
    else:
        server, _, name = tool.partition("_")
        yield Native(f"{MCP}{server}__{name}", decision, source)


def _outside(file: str, said: object) -> Iterator[NativePlace | str]:
    """`external_directory`: directories outside of the project. What is allowed there is read."""
    for pattern, word in said.items() if isinstance(said, dict) else [("*", said)]:
        source = f"{file}: permission.external_directory `{pattern}`"
        decision = DECISIONS.get(word) if isinstance(word, str) else None
        in_rules = of_glob(pattern, project=True)
        if decision is None:
            yield f"{source}: {_ODD}"
        elif pattern == "*" and decision is Decision.FORBIDDEN:
            yield NativePlace("outside", "", decision, source)
        elif not in_rules or not in_rules.startswith(("/", "~/")):
            yield f"{source}: left out: the posture decides about all other paths"
        else:
            for kind in ("read", "write") if decision else ("read",):
                yield NativePlace(kind, in_rules, decision, source, deep=True)


def _places(file: str, tool: str, said: object) -> Iterator[NativePlace | str]:
    """What a permission says about files (`edit`, `read`) and URLs (`webfetch`)."""
    if tool == "external_directory":
        yield from _outside(file, said)
        return
    kind = _PLACES.get(tool)
    if kind is None:
        yield f"{file}: permission.{tool}: it is about no command, path or host"
        return
    for pattern, word in said.items() if isinstance(said, dict) else [("*", said)]:
        source = f"{file}: permission.{tool} `{pattern}`"
        decision = DECISIONS.get(word) if isinstance(word, str) else None
        if decision is None:
            yield f"{source}: {_ODD}"
        elif kind == "fetch":
            yield _fetched(pattern, decision, source)
        else:
            in_rules = of_glob(pattern, project=True) or ""
            yield NativePlace(kind, in_rules, decision, source, deep=True)


def _fetched(pattern: str, decision: Decision, source: str) -> NativePlace:
    """A pattern of URLs: all of a host, or a part of it, all of which is asked about if refused."""
    host, slash, path = pattern.partition("://")[2].partition("/")
    whole = path == "*" or not slash
    if not whole:
        decision = Decision.PROMPT if decision else decision
        host = host if decision else ""
    return NativePlace("fetch", host, decision, source)


_PLACES = {"edit": "write", "write": "write", "read": "read", "webfetch": "fetch"}


def _second(file: str, given: object) -> Iterator[_OpencodeEntry | str]:
    for number, one in enumerate(given if isinstance(given, list) else ()):
        source = f"{file}: permissions[{number}]"
        action = one.get("action") if isinstance(one, dict) else None
        names = [n for n in ("bash", "shell") if isinstance(action, str) and _names(action, n)]
        if not names:
            yield f"{source}: it is about no command"
        else:
            yield _one(source, one.get("resource", "*"), one.get("effect"), str(action), wild=False)


def _names(pattern: str, tool: str) -> bool:
    return fits(pattern.replace("?", "*"), tool)


def _one(
    source: str, pattern: object, word: object, tool: str, wild: bool = True
) -> _OpencodeEntry:
    """An entry. What is not understood may be a refusal, and of what is not known."""
    decision = DECISIONS.get(word) if isinstance(word, str) else None
    if decision is None or not isinstance(pattern, str):
        return _OpencodeEntry("*", None, f"{source} ({_ODD})", unsure=True)
    unsure = "?" in pattern or "?" in tool
    return _OpencodeEntry(pattern.replace("?", "*"), decision, source, wild and "*" in tool, unsure)


def _weighed(sources: Iterable[list[_OpencodeEntry]], only: str = "") -> Iterator[Native]:
    """The entries of one list, the later ones heavier.

    Where several files have a part of it, a refusal is as heavy as can be: which of them opencode
    reads last differs from version to version.
    """
    there = [said for said in sources if said]
    for said in there:
        for number, one in enumerate(said):
            tight = one.decision is not Decision.ALLOW
            weight = number + (_SPECIFIC if tight or not one.wild else 0) + bool(only) * _AGENT
            weight = ALWAYS if tight and len(there) > 1 else weight
            decision = Decision.PROMPT if one.decision is None else one.decision
            yield Native(one.pattern, decision, one.source, weight, one.unsure, only)


def _of_agent(name: str, sources: list[list[_OpencodeEntry]]) -> Iterator[Native | str]:
    if len(sources) == 1 and _is_without(sources[0]):
        yield f"{sources[0][-1].source}: agent `{name}` runs no commands"
    else:
        yield from _weighed(sources, f"agent `{name}`")


def _is_without(said: list[_OpencodeEntry]) -> bool:
    """Whether the last entry refuses everything: opencode does not even show the tool then."""
    lasts = [said[-1], *[s for s in said if not s.wild][-1:]]
    return all(s.pattern == "*" and s.decision is Decision.FORBIDDEN for s in lasts)
