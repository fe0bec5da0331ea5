"""Which wall a failed command hit, by what it said: paths, hosts and ports that it names beside an
error, and that the plan keeps from it.

An error alone is not evidence. A path counts where the plan has a wall that gives this error there,
and what is hidden only where it is there outside; a port where a program of this machine listens.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from execpolicy.model.errors import printable
from execpolicy.sandbox.denied.denials import NO_RULE, Denial, denial
from execpolicy.sandbox.denied.limits import limit_lines
from execpolicy.sandbox.plan import Plan
from execpolicy.sandbox.walls import Wall, wall_at
from execpolicy.support.path_match import below

_IN_GIT = "/.git/"
MAX_TOLD = 3
"""Lines of one run: most errors after the first come of it."""
_DENIED = ("permission denied", "eacces", "operation not permitted", "eperm")
_MISSING = ("no such file or directory", "enoent", "cannot find", "not found", "does not exist")
_READ_ONLY = ("read-only file system", "erofs")
_BUSY = ("device or resource busy", "ebusy")
_ACROSS = ("cross-device link", "exdev")
_FAMILY = ("address family not supported", "eafnosupport")
_NO_HOST = (
    *("could not resolve", "name or service not known", "temporary failure in name resolution"),
    *(" enotfound", "eai_again", "network is unreachable", "enetunreach", "dns error"),
    *("no such host", "failed to lookup address"),
)
_REFUSED = ("connection refused", "econnrefused", "failed to connect", "could not connect")
_UNSIGNED = ("failed to sign the data", "no private key found for public key", "signing failed")
_QUOTED = re.compile(r"['\"`‘“]([^'\"`‘’“”]{1,4096})['\"`’”]")
_WITH_SLASH = re.compile(r"[^\s'\"`‘’“”:;,()\[\]{}<>=|]*/[^\s'\"`‘’“”:;,()\[\]{}<>|]*")
_BEFORE_COLON = re.compile(r"(?:^|: |\s)([^\s:'\"]+): [A-Z]")
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|::1)\D{1,24}(\d{2,5})\b")
_HOST = re.compile(
    r"(?:host:?|enotfound|eai_again|lookup|resolve|for) ['\"`‘“(]*((?:[a-z0-9-]+\.)+[a-z]{2,})\b",
    re.IGNORECASE,
)


def denial_lines(plan: Plan, said: bytes, named: Iterable[Denial] = ()) -> tuple[str, ...]:
    """A line for each wall that a failed command surely hit, by the end of what it said, after one
    for each that it has `named` in its words: but for paths below one that it said."""
    hits: dict[str, Denial] = {}
    others: dict[str, None] = {}
    text = said.decode("utf-8", "surrogateescape")
    for line in text.split("\n"):
        hit = next(reversed([*_paths(line, plan)]), None)  # what stands before is the program
        if hit is not None:
            hits.setdefault(hit.path, hit)
        others.update(dict.fromkeys(_others(line, plan)))
    others.update(dict.fromkeys((*_network(text), *limit_lines(plan, text))))
    first = [_placed(one, hits) if one.rule == NO_RULE else one for one in named]
    whole = [one.path for one in first if one.rule == NO_RULE]
    hits = {path: one for path, one in hits.items() if not any(below(path, w) for w in whole)}
    first = [one for one in first if not _is_meant(one.path, (*hits, *whole))]
    more = [one.line for path, one in hits.items() if path not in {one.path for one in first}]
    return (*(one.line for one in first), *(*more, *others)[:MAX_TOLD])


def _placed(one: Denial, hits: Iterable[str]) -> Denial:
    """What is said of a git directory, of that which the command hit."""
    inside = next((path for path in hits if _IN_GIT in path), f"{one.path}/")
    return one.replace(path=inside[: inside.index(_IN_GIT) + len(_IN_GIT) - 1])


def _is_meant(path: str, hits: Iterable[str]) -> bool:
    """Whether a path lies below what the command said: words may mean a directory or a file."""
    return any(below(path, hit) and path != hit for hit in hits)


def _paths(line: str, plan: Plan) -> Iterator[Denial]:
    low = line.lower()
    every = (_DENIED, _MISSING, _READ_ONLY, _BUSY, _ACROSS)
    errors = [one for one in every if any(word in low for word in one)]
    if not errors:
        return
    names = [*_QUOTED.findall(line), *_WITH_SLASH.findall(line), *_BEFORE_COLON.findall(line)]
    for name in dict.fromkeys(names):
        hit = _hit(os.path.normpath(os.path.join(plan.cwd, os.path.expanduser(name))), errors, plan)
        if hit is not None:
            yield hit


def _hit(path: str, errors: Sequence[tuple[str, ...]], plan: Plan) -> Denial | None:
    try:
        real, is_there = os.path.realpath(path), os.path.lexists(path)
    except (OSError, ValueError):
        return None
    wall = wall_at(real, plan.mounts)
    if wall > Wall.READ and is_there and not {_DENIED, _MISSING}.isdisjoint(errors):
        return denial(real, "read", "it is not there in a sandbox")
    if wall is Wall.PRIVATE and is_there and _MISSING in errors:
        return denial(real, "read", "the sandbox has a directory of its own there")
    if wall >= Wall.READ and not {_READ_ONLY, _DENIED}.isdisjoint(errors):
        created = _READ_ONLY in errors or (wall > Wall.READ and not is_there)
        return denial(real, "write", "it is only read") if created else None
    if {_BUSY, _ACROSS}.isdisjoint(errors):
        return None
    busy = real if wall >= Wall.READ or is_there or _BUSY not in errors else _only_file(real, plan)
    if busy is not None and (wall >= Wall.READ or any(m.path == busy for m in plan.mounts)):
        return denial(busy, "write", "it is protected, or holds what is")
    return None


def _only_file(new: str, plan: Plan) -> str | None:
    """The one protected file beside a new one. That was named with this error and is gone since, so
    it can only have been meant to take its place, as `sed -i` does. Where more of them lie further
    in, it is not known which: the command may have changed its directory."""
    directory = os.path.dirname(new)
    files = [m.path for m in plan.mounts if not m.directory and below(m.path, directory)]
    files = [path for path in files if _IN_GIT not in path or _IN_GIT in new]
    return files[0] if len(files) == 1 and os.path.dirname(files[0]) == directory else None


def _network(text: str) -> Iterator[str]:
    """That there is no network, once, with the host that could not be found, if it is named."""
    low = text.lower()
    if any(word in low for word in _NO_HOST):
        host = printable(next(iter(_HOST.findall(text)), "HOST"), 80)
        yield (
            "denied inside: there is no network but the proxy that `https_proxy` names; to allow "
            f'`{host}`: network_rule("{host}", "https", "allow")'
        )


def _others(line: str, plan: Plan) -> Iterator[str]:
    """The walls that are not paths."""
    low = line.lower()
    if any(word in low for word in _FAMILY):
        closed = "; to allow those that connect: sandbox(unix = True)"
        rule = "" if plan.settings.unix and not plan.offline else closed
        yield f"denied inside: a socket of no internet family, as a unix socket of datagrams{rule}"
    if any(word in low for word in _UNSIGNED):
        yield (
            "denied inside: no key and no agent that signs is there; leave it out "
            "(`git -c commit.gpgsign=false commit`), or sign in a terminal of your own"
        )
    if any(word in low for word in _REFUSED):
        for port in dict.fromkeys(map(int, _LOCAL.findall(line))):
            if _listens(port):
                yield (
                    f"denied inside: port {port} of this machine, of which the loopback inside is "
                    f"another; to allow it: sandbox(reach = [{port}])"
                )


def _listens(port: int) -> bool:
    """Whether a program listens at this port of this machine (proc_net_tcp of Linux)."""
    for name in ("tcp", "tcp6"):
        try:
            with open(f"/proc/net/{name}") as file:
                rows = [line.split() for line in file.read().split("\n")[1:]]
        except OSError:
            continue
        if any(
            len(r) > 3 and r[3] == "0A" and int(r[1].rpartition(":")[2], 16) == port for r in rows
        ):
            return True
    return False
