"""The scope of a request: from the command line, a host's payload, a variable or a file.

Each of these only narrows. A host's payload may name a folder for one of its agents in `scope`; so
does the variable `EXECPOLICY_SCOPE`; and `.execpolicy/scopes.json` of the session's root has a
folder for each kind of agent: `{"reviewer": "docs", "porter": {"folder": "src", "shell": false}}`.
"""

import os
from _collections_abc import Iterator

from execpolicy.hosts.payloads.fields import touched
from execpolicy.hosts.payloads.payload import hint, parse, table
from execpolicy.hosts.payloads.protocol import Payload, PayloadError
from execpolicy.model.errors import UsageError, printable
from execpolicy.model.operation import MCP, Access, Exec, Request
from execpolicy.model.place import Place
from execpolicy.model.scope import OutOfScope, Scope
from execpolicy.places.resolve import locate
from execpolicy.places.resolver import Resolver
from execpolicy.support.disk.bounded import read
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

VARIABLE = "EXECPOLICY_SCOPE"
FILE = ".execpolicy/scopes.json"
_AGENT = ("agent_type", "agent_name")
_INPUTS = ("tool_input", "toolArgs", "toolInput", "args")
MAX_BYTES = 64 * 1024


class Bound(Value):
    """A folder that an agent is bound to, and who binds it. None is a folder that is not known."""

    folder: str | None
    origin: str
    shell: bool = True


def scoped(request: Request, payload: "Payload", resolver: "Resolver") -> Request:
    """The request with the scope of the agent that makes it."""
    root = resolver.root(request.root, request.cwd)
    if root is None:
        return request
    scope = top(root.path)
    for each in _bounds(payload, root.path):
        scope = narrowed(scope, each, resolver)
    if scope.parent is None and scope.writes == ("/",) and scope.shell:
        return request
    return _with_served(request.replace(scope=scope), payload, scope, resolver)


def by_option(given: str, cwd: str, resolver: "Resolver") -> Scope:
    """The scope for `--scope DIR`. Raises `UsageError` for a folder that is not below the root."""
    from execpolicy.commands.arguments import no_directory

    root = resolver.root(None, cwd)
    place = locate(given, cwd, "write", resolver)
    scope = top(root.path if root else cwd)
    found = scope.child(place) if os.path.isdir(place.real or "") else None
    if found is None:
        raise no_directory(given)
    if isinstance(found, OutOfScope):
        raise UsageError(
            f"`{printable(given, 100)}` is not below the session's root `{scope.root}`: a scope"
            " only narrows"
        )
    return found.replace(origin="`--scope`")


def top(root: str) -> Scope:
    """The scope of the agent that the user started: it may write where the policy lets it."""
    return Scope(root, root, ("/",))


def narrowed(scope: Scope, bound: Bound, resolver: "Resolver") -> Scope:
    """A scope within another. A folder around it changes nothing; one elsewhere leaves nothing."""
    shell = scope.shell and bound.shell
    place = Place("", scope.root, None, "not a path")
    if bound.folder:
        place = locate(bound.folder, scope.display or scope.root, "write", resolver)
    found = scope.child(place, shell)
    if isinstance(found, Scope):
        return found.replace(origin=bound.origin)
    if place.real is not None and not place.problem and below(scope.root, place.real):
        return scope.replace(shell=shell)
    return Scope(scope.root, scope.display, (), shell, scope, bound.origin)


def _bounds(payload: "Payload", root: str) -> "Iterator[Bound]":
    if payload.get("scope"):
        yield Bound(hint(payload, "scope"), "the host")
    if os.environ.get(VARIABLE):
        yield Bound(os.environ[VARIABLE], f"`{VARIABLE}`")
    agent = hint(payload, *_AGENT)
    if agent is not None:
        yield from _in_file(agent, root)


def _in_file(agent: str, root: str) -> "Iterator[Bound]":
    """What the file says about a kind of agent. One that cannot be read leaves it nothing."""
    path = os.path.join(root, FILE)
    data = read(path, MAX_BYTES)
    if data is None and not os.path.lexists(path):
        return
    try:
        said = parse(data or b"").get(agent)
    except PayloadError:
        yield Bound(None, f"`{FILE}`, which cannot be read")
        return
    if isinstance(said, dict):
        yield Bound(hint(said, "folder"), f"`{FILE}`", said.get("shell") is not False)
    elif said is not None:
        yield Bound(said if isinstance(said, str) else None, f"`{FILE}`")


def _with_served(
    request: Request, payload: "Payload", scope: Scope, resolver: "Resolver"
) -> Request:
    """Also with the paths outside that a server's tool of files would change."""
    first = request.operations[0] if request.operations else None
    name = first.argv[0] if isinstance(first, Exec) else ""
    if not isinstance(name, str) or not name.startswith(MCP):
        return request
    try:
        found = touched(name, table(payload, *_INPUTS))
    except PayloadError:
        return request
    outside = []
    for touch in found:
        place = locate(touch.path, request.cwd or scope.root, touch.mode, resolver)
        if scope.refuse(place, touch.mode) is not None:
            outside.append(Access(place.lexical, touch.mode))
    return request.replace(operations=(*(request.operations or ()), *outside))
