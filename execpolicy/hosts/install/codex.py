"""What keeps Codex from running a hook that is there: settings, and trust that the user gives.

Codex reads `hooks.json` and the `[hooks]` tables of `config.toml`, of the user's directory and of a
project's; it runs what stands in any of them, and warns where one directory has both. A hook runs
after the user trusted its very definition with `/hooks`: the hash goes to `hooks.state` of the
user's `config.toml`, under the file, the event and the places of the group and the hook in their
lists. (openai/codex, `codex-rs/hooks/src/engine/discovery.rs`; hashes as Codex 0.169 makes them)
"""

import json
import os
from collections.abc import Iterator

from execpolicy.hosts.install import edit, host_file, toml
from execpolicy.hosts.install.host import Host
from execpolicy.model.errors import ExecPolicyError, printable
from execpolicy.support import digest
from execpolicy.support.record import Value

REQUIREMENTS = "/etc/codex/requirements.toml"

_LABELS = {
    "PreToolUse": "pre_tool_use",
    "PermissionRequest": "permission_request",
    "SessionStart": "session_start",
}
_HASHED = frozenset(("type", "command", "timeout", "async", "statusMessage"))
_REVIEW = "start codex, type /hooks and trust the hooks of execpolicy"


class Objection(Value):
    """Why Codex does not run a hook, and what to do. `grave` False: it does run it."""

    text: str
    remedy: str
    grave: bool = True


def objections(host: Host, scope: str, root: str, found: edit.Place) -> Iterator[Objection]:
    """Why Codex does not run our hooks in this file."""
    user = _table(host_file.beside(host_file.path(host, "user", root), host.beside))
    layers = [_table(REQUIREMENTS), user]
    if scope == "project":
        layers.append(_table(host_file.beside(host_file.path(host, scope, root), host.beside)))
    if _is_off(layers):
        yield Objection("a setting turns hooks off", "take it out")
    if layers[0].get("allow_managed_hooks_only") is True:
        yield Objection(f"{REQUIREMENTS} lets no hooks run but its own", "ask who wrote it")
    if scope == "project" and not _trusts(user, root):
        text = "codex runs no hooks of a directory that it does not trust"
        yield Objection(text, "start codex there and trust the directory")
    yield from _untrusted(host, found, user)
    if not found.is_toml and toml.others(_table(host_file.beside(found.file, host.beside)), host):
        text = f"{host.beside} beside it has hooks, too: both run, and codex warns"
        yield Objection(text, "execpolicy uninstall codex; execpolicy install codex", grave=False)


def in_force(host: Host, scope: str, root: str) -> "Iterator[str]":
    """What Codex does with a question of the policy, by its sandbox and its approval policy, and
    the line of `config.toml` that makes it ask where it does not."""
    file = host_file.beside(host_file.path(host, "user", root), host.beside)
    user = _table(file)
    profiles = user.get("profiles")
    profile = profiles.get(str(user.get("profile"))) if isinstance(profiles, dict) else None
    said = {**_table("/etc/codex/config.toml"), **user}
    said |= profile if isinstance(profile, dict) else {}
    sandbox, policy = said.get("sandbox_mode"), said.get("approval_policy", "on-request")
    policy = policy if isinstance(policy, str) else "granular"  # a table of kinds of questions
    chosen = sandbox or ("workspace-write" if _trusts(user, root) else "read-only")
    source = "as configured" if sandbox else "as the directory is trusted or not"
    yield f"sandbox `{chosen}` ({source}), approval policy `{policy}`"
    better = {
        "danger-full-access": ('sandbox_mode = "workspace-write"', "nothing holds what it runs"),
        "untrusted": ('approval_policy = "on-request"', "codex 0.171 ends with this policy"),
        "never": ('approval_policy = "on-request"', "the user is not asked"),
    }
    wrong = [better[each] for each in (chosen, policy) if each in better]
    for line, why in wrong:
        yield f"{why}, so a question is a refusal: write `{line}` into {printable(file)}"
    if not wrong:
        yield "what its sandbox holds runs there, and a question about more is a refusal"


def others_behind(host: Host, scope: str, root: str) -> bool:
    """Whether another hook comes after ours. Codex knows a trusted hook by its place in the list,
    so without ours it would not know that one again."""
    for found in edit.places(host, scope, root):
        table = edit.table(found)
        for item in toml.items(table, host):
            groups, handlers = toml.at(table, ("hooks", item.event)), item.around.get("hooks")
            if _is_followed(groups, item.group) or _is_followed(handlers, item.handler):
                return True
    return False


def _is_followed(values: object, place: int) -> bool:
    return isinstance(values, list) and place + 1 < len(values)


def _table(file: str) -> dict[str, object]:
    """What a TOML file says; nothing where there is none that can be read."""
    try:
        return toml.values(host_file.read(file) or "")
    except ExecPolicyError:
        return {}


def _is_off(layers: list[dict[str, object]]) -> bool:
    """Whether the feature is off, under its name or its old one. A project counts after the user;
    what the administrator requires cannot be overridden."""
    said: dict[str, object] = {}
    for layer in (*layers, layers[0]):
        features = layer.get("features")
        if isinstance(features, dict):
            said |= {k: v for k, v in features.items() if k in ("hooks", "codex_hooks")}
    return False in said.values()


def _trusts(user: dict[str, object], root: str) -> bool:
    projects = user.get("projects")
    for path, said in projects.items() if isinstance(projects, dict) else ():
        inside = f"{os.path.realpath(root)}/".startswith(f"{os.path.realpath(path)}/")
        if inside and isinstance(said, dict) and said.get("trust_level") == "trusted":
            return True
    return False


def _untrusted(host: Host, found: edit.Place, user: dict[str, object]) -> Iterator[Objection]:
    """What the user has still to say about our hooks in this file, each thing once."""
    said = {_state(item, found.file, user) for item in toml.items(edit.table(found), host)}
    if "off" in said:
        yield Objection("the hook is turned off", "start codex, type /hooks and turn it on")
    if "new" in said:
        yield Objection("codex does not run the hook before you trust it", _REVIEW)
    if "changed" in said:
        yield Objection("the hook is another one than you trusted: codex does not run it", _REVIEW)


def _state(item: toml.Item, file: str, user: dict[str, object]) -> str:
    hooks = user.get("hooks")
    states = hooks.get("state") if isinstance(hooks, dict) else None
    state: dict[str, object] = {}
    # With `CODEX_HOME` the path has no links in it, else it is as it is.
    for path in (os.path.realpath(file), file):
        key = f"{path}:{_LABELS.get(item.event)}:{item.group}:{item.handler}"
        one = states.get(key) if isinstance(states, dict) else None
        state |= one if isinstance(one, dict) else {}
    if state.get("enabled") is False:
        return "off"
    trusted = state.get("trusted_hash")
    if trusted is None:
        return "new"
    return "trusted" if trusted == fingerprint(item) else "changed"


def fingerprint(item: toml.Item) -> str:
    """The hash of a hook's definition, the same from JSON and TOML."""
    hook = {"timeout": 600, "async": False, **item.hook}
    group = {k: v for k, v in item.around.items() if k == "matcher"}
    known = {k: v for k, v in hook.items() if k in _HASHED}
    identity = {"event_name": _LABELS.get(item.event), **group, "hooks": [known]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{digest.of(text.encode())}"
