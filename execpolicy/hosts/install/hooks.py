"""Our items in the text of a host's configuration: put in, found, taken out."""

import os
import shlex
from collections.abc import Iterator, Sequence

from execpolicy.hosts.install import jsonc, start_words
from execpolicy.hosts.install.host import COMMAND, FORMER, TIMES, ConfigurationItem, Host
from execpolicy.hosts.install.jsonc import Node
from execpolicy.model.errors import ExecPolicyError


def installed(text: str | None, host: Host, program: Sequence[str], strict: bool = False) -> str:
    """The text with our items in it; the same text if they are there. None stands for no file yet.

    `program` are the words that start `execpolicy`. An entry that an earlier version wrote is
    replaced. Raises `ExecPolicyError` for a text that is not understood.
    """
    if text is None or not text.strip():
        text = jsonc._dumps(host.base or {}, "  ") + "\n"
    for entry in host.entries:
        root = _root(text)
        wanted = filled(entry.item, command_line(host, program), host, strict)
        ours = list(_ours(root, host, entry.path))
        if ours:
            text = _updated(text, ours[0], command_line(host, program))
            text = _widened(_without_more(text, host, entry.path), host, entry)
            text = _in_time(text, host, entry.path, wanted)
        else:
            text = _added(text, entry.path, wanted)
    return text


def command_line(host: Host, program: Sequence[str]) -> str:
    """The command that the host runs."""
    return shlex.join([*program, "hook", host.name])


def is_isolated(command: str) -> bool:
    """Whether a command line starts this program apart from the environment and the directory."""
    words = shlex.split(command)
    begins = 1 + (os.path.basename(words[0]) == start_words.CLIENT)
    return any(words[begins : begins + len(each)] == [*each] for each in start_words.ISOLATED)


def commands(text: str, host: Host) -> list[str]:
    """The command lines of our items in a configuration."""
    root = _root(text)
    return [str(node.value) for e in host.entries for node in _ours(root, host, e.path)]


def removed(text: str, host: Host) -> str:
    """The text without our items, and without what is empty then."""
    for entry in host.entries:
        while True:
            root = _root(text)
            node = next(_ours(root, host, entry.path), None)
            if node is None:
                break
            text = _without(text, root, node)
    return text


def _root(text: str) -> Node:
    root = jsonc.parse(text)
    if not isinstance(root.value, dict):
        raise ExecPolicyError("it is not a JSON object")
    return root


def filled(item: object, command: str, host: Host, strict: bool) -> object:
    """An entry's item with the command line in its place."""
    if isinstance(item, dict):
        made = {k: filled(v, command, host, strict) for k, v in item.items()}
        if strict and host.strict and COMMAND in item.values():
            made[host.strict[0]] = host.strict[1]
        return made
    if isinstance(item, list):
        return [filled(v, command, host, strict) for v in item]
    return command if item == COMMAND else item


def _ours(root: Node, host: Host, path: tuple[str, ...]) -> Iterator[Node]:
    """The values of our command lines below a path."""
    array = root.find(*path)
    if array is not None:
        yield from (n for n in _texts(array) if is_ours(str(n.value), host.name))


def _texts(node: Node) -> Iterator[Node]:
    for member in node.members:
        if member.key in ("command", "bash") and isinstance(member.value, str):
            yield member
        yield from _texts(member)


def is_ours(command: str, name: str) -> bool:
    """Whether a command line runs this program's hook for this host."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return words[-2:] == ["hook", name] and any("execpolicy" in word for word in words[:-2])


def _updated(text: str, node: Node, command: str) -> str:
    """A changed definition is one that Codex wants trusted again: nothing changes needlessly."""
    return text if node.value == command else jsonc.put(text, node, command)


def _widened(text: str, host: Host, entry: ConfigurationItem) -> str:
    """The text with our item before all tools, where an earlier version put it before a list."""
    root = _root(text)
    chain = _chain(root, next(_ours(root, host, entry.path)))
    wanted = entry.item.get("matcher") if isinstance(entry.item, dict) else None
    for group in chain:
        matcher, inner = group.get("matcher"), group.get("hooks")
        alone = inner is not None and len(inner.members) == 1
        if alone and matcher is not None and matcher.value in FORMER:
            return jsonc.put(text, matcher, wanted)
    return text


def _in_time(text: str, host: Host, path: tuple[str, ...], wanted: object) -> str:
    """The text with the time in our entry that a wait needs, where it has less."""
    root = _root(text)
    ours = next(_ours(root, host, path))
    entry = _chain(root, ours)[-2]
    for time, needed in times(wanted) if host.patient else ():
        node = entry.get(time)
        if node is None:
            return jsonc.add(text, entry, needed, time)
        if isinstance(node.value, (int, float)) and node.value < needed:
            return jsonc.put(text, node, needed)
    return text


def times(item: object) -> Iterator[tuple[str, int]]:
    """The limits of time in an entry, each with its field."""
    for key, value in item.items() if isinstance(item, dict) else ():
        if key in TIMES and isinstance(value, int):
            yield key, value
        for each in value if isinstance(value, list) else ():
            yield from times(each)


def _without_more(text: str, host: Host, path: tuple[str, ...]) -> str:
    """The text without each further item of ours below a path: it would run twice."""
    while len(more := list(_ours(root := _root(text), host, path))) > 1:
        text = _without(text, root, more[-1])
    return text


def _added(text: str, path: tuple[str, ...], item: object) -> str:
    """The item at the end of the array at a path; what is missing on the way is made."""
    node = _root(text)
    for number, key in enumerate(path):
        child = node.get(key)
        if child is None:
            value: object = [item]
            for name in reversed(path[number + 1 :]):
                value = {name: value}
            return jsonc.add(text, node, value, key)
        wanted = list if number == len(path) - 1 else dict
        if not isinstance(child.value, wanted):
            raise ExecPolicyError(f"`{'.'.join(path[: number + 1])}` is not what a host reads")
        node = child
    return jsonc.add(text, node, item)


def _without(text: str, root: Node, node: Node) -> str:
    """The text without the item of a command line, and without each container empty then."""
    chain = _chain(root, node)
    at = len(chain) - 2  # the object with the command line
    while at > 1:
        parent = chain[at - 1]
        holds_more = len(parent.members) > 1
        if isinstance(parent.value, dict) and not holds_more:
            at -= 1
        elif (
            isinstance(parent.value, dict) and "hooks" in parent.value and chain[at].key == "hooks"
        ):
            at -= 1  # a group of hooks without a hook is nothing
        elif isinstance(parent.value, list) and not holds_more:
            at -= 1
        else:
            break
    return jsonc.remove(text, chain[at - 1], chain[at])


def _chain(root: Node, node: Node) -> list[Node]:
    """The nodes from the root down to a node."""
    for member in root.members:
        if member is node:
            return [root, member]
        if member.at <= node.at < member.end:
            return [root, *_chain(member, node)]
    raise ExecPolicyError("the item is gone")
