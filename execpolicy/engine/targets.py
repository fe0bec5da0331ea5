"""Which path and network rules speak about an access or a connection."""

import posixpath

from execpolicy.operation import Access, Connect, Dynamic
from execpolicy.rule import NetworkRule, PathRule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def matching_paths(rules: "Iterable[PathRule]", access: Access) -> list[PathRule]:
    """The rules about this path and mode, tightening ones loosely, allowing ones strictly."""
    path = access.path
    if isinstance(path, Dynamic):
        spelled, certain = _home(path.source), False
    else:
        spelled, certain = path, True
    normal = _normal(spelled)
    return [
        rule
        for rule in rules
        if access.mode in rule.modes
        and (certain or rule.decision)
        and any(_fits(pattern, normal) for pattern in rule.paths)
    ]


def _home(source: str) -> str:
    """A path that begins with the home directory, however it is spelled, with `~` for it."""
    for home in ("$HOME", "${HOME}", '"$HOME"', '"${HOME}"'):
        if source == home or source.startswith(home + "/"):
            return "~" + source[len(home) :]
    return source.strip('"')


def _normal(path: str) -> str:
    """The path without `.`, `..` and doubled slashes; a glob for everything in it is itself."""
    for tail in ("/*", "/.", "/.*", "/"):
        while path.endswith(tail) and len(path) > len(tail):
            path = path[: -len(tail)]
    if path in ("/*", "/.", "/.*"):
        return "/"
    return (
        "/" + posixpath.normpath(path).lstrip("/") if path[:1] == "/" else posixpath.normpath(path)
    )


def _fits(pattern: str, path: str) -> bool:
    if pattern.endswith("*"):
        return path.startswith(pattern[:-1])
    if "/" in pattern or pattern.startswith("~"):
        return path == pattern.rstrip("/") or path == pattern
    return path.rpartition("/")[2] == pattern


def matching_hosts(rules: "Iterable[NetworkRule]", subject: Connect) -> list[NetworkRule]:
    """The rules about this host. One that allows holds for its own protocol only."""
    if not isinstance(subject.host, str):
        return []
    host = subject.host.rstrip(".").lower()
    return [r for r in rules if r.host == host and (r.decision or r.protocol == subject.protocol)]
