"""Permissions of hosts about paths and hosts, as `path_rule` and `network_rule`.

A rule holds for whatever touches the path: the host's own tools and commands. What a pattern allows
beyond what a rule can say is left out; what it refuses is said as strictly, or asked about.
"""

from collections.abc import Iterable, Iterator

from execpolicy.model.decision import Decision
from execpolicy.model.program import EFFECTS
from execpolicy.store.line import network_line, paths_line
from execpolicy.support.record import Value

MAX_BRACES = 3
MODES = {"read": ("read",), "write": ("write", "remove")}
_ODD = frozenset("{}[]!\\$`\"'")
_FETCHED = ("http", "https")


class NativePlace(Value):
    """An entry about paths (`read`, `write`) or hosts (`fetch`); or one that refuses all paths
    outside of the project (`outside`), all that a tool may do (`everything`), or all commands.

    `pattern` is a path as rules write it, in which `*` and `**` stand for text, or a host; `deep`
    where the host's `*` also matches slashes. An empty one is all.
    """

    kind: str
    pattern: str
    decision: Decision
    source: str
    deep: bool = False


class Placed(Value):
    """The line of a rule for an entry, and what is stricter or narrower about it."""

    native: NativePlace
    line: str
    decision: Decision
    note: str | None = None


class Unplaced(Value):
    """An entry that no rule can say, and why."""

    native: NativePlace
    what: str


def carry_places(natives: Iterable[NativePlace]) -> tuple[list[Placed], list[Unplaced]]:
    """Rules for these entries, and those that were left out."""
    rules: dict[str, Placed] = {}
    left: list[Unplaced] = []
    for native in natives:
        ways = [native.replace(pattern=each) for each in alternatives(native.pattern)]
        found = [o for n in ways for o in (_host(n) if n.kind == "fetch" else _path(n))]
        for one in found:
            if isinstance(one, Placed):
                rules.setdefault(one.line, one)
            else:
                left.append(one)
    return list(rules.values()), left


def alternatives(pattern: str) -> list[str]:
    """The patterns that one with braces stands for.

    >>> alternatives("./{a,b}/*.{x,y}"), alternatives("./{a")
    (['./a/*.x', './a/*.y', './b/*.x', './b/*.y'], ['./{a'])
    """
    head, _, rest = pattern.partition("{")
    inside, closed, tail = rest.partition("}")
    if not closed or "{" in inside or "," not in inside or pattern.count("{") > MAX_BRACES:
        return [pattern]
    return [found for one in inside.split(",") for found in alternatives(head + one + tail)]


def _host(native: NativePlace) -> Iterator[Placed | Unplaced]:
    host = native.pattern.lower().rstrip(".")
    stars = "*." if host.startswith("*.") else ""
    host = host.removeprefix(stars)
    plain = bool(host) and all(c.isascii() and (c.isalnum() or c in "-.") for c in host)
    if not plain:
        yield Unplaced(native, "left out: a rule names one host")
        return
    for protocol in _FETCHED if native.decision else ("https",):
        line = network_line(stars + host, protocol, native.decision)
        yield Placed(native, line, native.decision)


OUTSIDE = ("personal", "repositories", "system", "temporary", "tools")
"""The classes of places that lie in no project."""


_POSTURES: dict[str, tuple[tuple[str, ...], str | None]] = {
    "outside": (("read", "write"), "stricter: commands that name such a path are refused, too"),
    "commands": (
        tuple(effect for effect in EFFECTS if effect not in ("read", "write", "network")),
        "narrower: what only reads, writes or downloads is decided as for tools that do so",
    ),
    "everything": (tuple(EFFECTS), None),
}
"""The effects that an entry refuses, and what is stricter or narrower about it."""


def _posture(native: NativePlace) -> Placed:
    """What refuses effects as a whole; of two postures the stricter holds."""
    places = ", ".join(f'"{place}": "forbidden"' for place in OUTSIDE)
    refused = f"{{{places}}}" if native.kind == "outside" else '"forbidden"'
    effects, note = _POSTURES[native.kind]
    line = f"posture({', '.join(f'{effect} = {refused}' for effect in effects)})"
    return Placed(native, line, native.decision, note)


def _path(native: NativePlace) -> Iterator[Placed | Unplaced]:
    pattern, decision = native.pattern, native.decision
    if native.kind in _POSTURES:
        yield _posture(native)
        return
    if not pattern:
        if decision is Decision.PROMPT:
            yield Unplaced(native, "left out: the posture decides about all other paths")
        elif decision is Decision.ALLOW:
            yield Unplaced(native, "left out: no rule allows all paths")
        else:
            yield _placed(native, ("/*", "~/*", "./*"), decision)
        return
    if not _ODD.isdisjoint(pattern) or ".." in pattern.split("/"):
        yield _widened(native)
    elif decision:
        yield _placed(native, _wide(native), decision)
    elif pattern.endswith("/*") and not native.deep:
        yield Unplaced(native, "left out: a rule would allow all that is below, too")
    else:
        yield _placed(native, (_below(pattern),), decision)


def _below(pattern: str) -> str:
    """`x/**` as rules say it: a final `/*` is everything below."""
    return pattern[:-1] if pattern.endswith("/**") else pattern


def _wide(native: NativePlace) -> tuple[str, ...]:
    """All that a pattern may mean: with a `*` that matches slashes, in any directory below."""
    pattern = _below(native.pattern)
    head, slash, name = pattern.rpartition("/")
    if native.deep and slash and "*" in name and name != "*" and not head.endswith("**"):
        return pattern, f"{head}/**/{name}"
    return (pattern,)


def _widened(native: NativePlace) -> Placed | Unplaced:
    """What a pattern that no rule can say may be about: all below its fixed beginning."""
    if not native.decision:
        return Unplaced(native, "left out: no rule can express it")
    at = min((n for n, c in enumerate(native.pattern) if c in _ODD or c in "*?"), default=-1)
    head = native.pattern[: native.pattern.rfind("/", 0, at) + 1] if at >= 0 else ""
    if head in ("", "/", "~/", "./", "**/") or ".." in head:
        return Unplaced(native, "left out: no rule can express it")
    note = f"stricter: all below `{head}` is asked about"
    return _placed(native, (f"{head}*",), Decision.PROMPT, note)


def _placed(
    native: NativePlace, paths: tuple[str, ...], decision: Decision, note: str | None = None
) -> Placed:
    modes = MODES[native.kind] if decision else MODES[native.kind][:1]
    return Placed(native, paths_line(paths, modes, decision), decision, note)


def of_glob(text: str, project: bool, absolute: str = "/") -> str | None:
    """A pattern like those of git as rules write paths; None where its directory is not known.

    `absolute` begins an absolute path; another slash at the beginning means the project's root.

    >>> [of_glob(t, True, "//") for t in ("./.env", "src/**", "//etc/x", "~/.ssh/**", ".env", "/x")]
    ['./.env', './src/**', '/etc/x', '~/.ssh/**', '**/.env', './x']
    """
    if text in ("", "*", "**", "**/*"):
        return ""
    if text.startswith(absolute):
        return text[len(absolute) - 1 :]
    if text.startswith(("~/", "./", "**/")):
        return text
    if text.startswith("/"):
        return f".{text}" if project else None
    return f"./{text}" if "/" in text.rstrip("/") else f"**/{text}"
