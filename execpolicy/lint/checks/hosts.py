"""Checks of `host_executable`, `network_rule` and `path_rule`."""

import os
import re
import stat
from collections.abc import Iterator
from functools import cache

from execpolicy.lint.finding import Finding
from execpolicy.lint.subject import Context, Site
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Span, printable
from execpolicy.model.rule import HostExecutable, HostSet, NetworkRule, PathRule
from execpolicy.store.loader import load

_FOREIGN = re.compile(r"\{[^{}]*,[^{}]*\}|\[[!^]|\[[^]]-[^]]")
"""Braces and ranges as shells expand them. A name such as `[id].tsx` has neither."""
_HOST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-._:%")


def check(context: Context) -> Iterator[Finding]:
    """What is wrong with hosts and paths of any of the files, all taken together."""
    sites = [site for subject in context.subjects for site in subject.sites]
    hosts = [(s, s.rule) for s in sites if isinstance(s.rule, HostExecutable)]
    heads = {r.pattern[0][0] for s in sites for r in s.rules}
    heads |= {r.pattern[0][0] for r in context.below} if hosts else set()
    last = {rule.name: site for site, rule in hosts}
    for site, rule in hosts:
        yield from _executable(site, rule, heads)
        if last[rule.name] is not site:
            message = f"a later `host_executable` replaces this one for `{printable(rule.name)}`"
            other = last[rule.name].place()
            hint = "list all paths in one call"
            yield site.subject.finding("host-replaced", message, site.place(), hint, other)
    yield from _network([(s, s.rule) for s in sites if isinstance(s.rule, NetworkRule)])
    yield from _paths([(s, s.rule) for s in sites if isinstance(s.rule, PathRule)])


def _executable(site: Site, rule: HostExecutable, heads: set[str]) -> Iterator[Finding]:
    name, finding = printable(rule.name), site.subject.finding
    if not rule.paths:
        message = f"without paths, no path stands for `{name}`"
        yield finding("host-empty", message, site.place(), "list a path, or leave the call out")
    if rule.name not in heads:
        message = f"no rule begins with `{name}`, so nothing asks for its paths"
        yield finding("host-unused", message, site.place(), "leave it out, or write the rule")
    for path in rule.paths:
        place = site.place(path, "paths", 1)
        try:
            mode = os.stat(path).st_mode
        except OSError:
            message = f"`{printable(path)}` does not exist here"
            yield finding("host-missing", message, place, "see `command -v`, or leave it out")
            continue
        if mode & (stat.S_IWGRP | stat.S_IWOTH):
            message = f"others than its owner can write to `{printable(path)}`"
            yield finding("host-writable", message, place, "an allow rule would run what they put")


def _network(rules: list[tuple[Site, NetworkRule]]) -> Iterator[Finding]:
    alike: dict[str, list[int]] = {}
    for number, (_, rule) in enumerate(rules):
        alike.setdefault(rule.host, []).append(number)
    for number, (site, rule) in enumerate(rules):
        place = site.place(rule.host, "host", 0)
        yield from _meaning(site, rule, place)
        for at in alike[rule.host]:
            there, other = rules[at]
            if at == number:
                continue
            # Of two that say the same, the first counts.
            if (other.decision, number) > (rule.decision, at) and _is_wider(other, rule):
                message = f"{other.origin} says {other.decision.word} about `{rule.host}` already"
                hint = "leave one of them out: the strictest decides, for every protocol"
                yield site.subject.finding("network-dead", message, place, hint, there.place())
                break


def _is_wider(wide: NetworkRule, rule: NetworkRule) -> bool:
    """Whether one rule of a host is about each connection of another. What does not allow is about
    every protocol."""
    every = wide.decision is not Decision.ALLOW or wide.protocol == rule.protocol
    return every and wide.ports in ((), rule.ports) and wide.methods in ((), rule.methods)


def _meaning(site: Site, rule: NetworkRule, place: Span) -> Iterator[Finding]:
    """A rule that no connection meets, or none as its author may think."""
    finding = site.subject.finding
    host = rule.host.removeprefix("**.").removeprefix("*.")
    labels = host.split(".")
    if host[:1] == "@":
        yield from _set(site, rule, place)
    elif not _HOST.issuperset(host) or (":" not in host and "" in labels):
        message = f"no connection has the host `{printable(rule.host, 60)}`"
        hint = "write the full name, or `**.` in front of a domain for it and all names below it"
        yield finding("network-name", message, place, hint)
    if rule.methods and rule.protocol != "http" and rule.decision is Decision.ALLOW:
        message = f"{rule.protocol} goes through a tunnel, where the method cannot be seen: refused"
        hint = 'leave `methods` out, or write the rule for "http"'
        yield finding("network-tunnel", message, site.place("", "methods"), hint)


def _set(site: Site, rule: NetworkRule, place: Span) -> Iterator[Finding]:
    own = {r.name for r in site.subject.compiled.rules if isinstance(r, HostSet)}
    if rule.host[1:] not in own | shipped_sets():
        message = f"no set of hosts has the name `{rule.host[1:]}`"
        hint = "define it with `host_set` in this file; the shipped ones: " + ", ".join(
            sorted(shipped_sets())
        )
        yield site.subject.finding("network-set", message, place, hint)


@cache
def shipped_sets() -> frozenset[str]:
    """The names of the sets of hosts that ship."""
    return frozenset(one.name for one in load(()).policy.host_sets)


def _paths(rules: list[tuple[Site, PathRule]]) -> Iterator[Finding]:
    named: dict[str, list[int]] = {}
    for number, (_, rule) in enumerate(rules):
        for path in dict.fromkeys(rule.paths):
            named.setdefault(path, []).append(number)
    for number, (site, rule) in enumerate(rules):
        for path in rule.paths:
            yield from _spelling(site, path)
        near = [(at, *rules[at]) for at in _wider(rule.paths[0], named) if at != number]
        for at, there, other in near:
            # Of two that say the same, the first counts.
            if (other.decision, number) > (rule.decision, at) and _covers(other, rule):
                message = f"{other.origin} says {other.decision.word} about all these paths already"
                where: Span = there.place()
                hint = "leave it out: the strictest decides"
                yield site.subject.finding("path-dead", message, site.place(), hint, where)
                break


def _spelling(site: Site, path: str) -> Iterator[Finding]:
    """A pattern that means something else in most other programs."""
    place = site.place(path, "paths", 0)
    shown = printable(path, 60)
    if _FOREIGN.search(path):
        message = f"in `{shown}`, brackets and braces stand for themselves"
        hint = "write each path on its own, or `?` for any character"
        yield site.subject.finding("path-glob", message, place, hint)
    elif len(path) > 1 and path.endswith("/"):
        message = f"`{shown}` is the directory alone, and nothing in it"
        yield site.subject.finding("path-slash", message, place, f"write `{shown}*`")


def _covers(wide: PathRule, rule: PathRule) -> bool:
    """Whether one rule is about all that another is about."""
    if not set(rule.modes) <= set(wide.modes):
        return False
    return all(any(_is_subset(path, other) for other in wide.paths) for path in rule.paths)


def _wider(path: str, named: dict[str, list[int]]) -> list[int]:
    """The rules, in order, with a pattern that may match all that this one matches: the same, one
    that ends in `*` after a beginning of it, or `PATH/*`, which matches PATH as well."""
    found = set(named.get(path, ()))
    if not path.startswith("**/"):
        for end in range(len(path) + 1):
            found.update(named.get(f"{path[:end]}*", ()))
        found.update(named.get(f"{path}/*", ()))
    return sorted(found)


def _is_subset(path: str, wide: str) -> bool:
    """Whether one pattern matches nothing that the other does not. A star matches any text, with
    slashes in it; a pattern without a slash, and `**/NAME`, match in each directory, and are only
    compared as texts."""
    if path == wide:
        return True
    if path.startswith("**/") or wide.startswith("**/") or "/" not in path or "/" not in wide:
        return False
    if wide.endswith("/*"):
        return path == wide[:-2] or path.startswith(wide[:-1])
    return wide.endswith("*") and path.startswith(wide[:-1])
