"""Whether a tool may use a path: allowed, a question for the user, or denied.

Denied is what the user cannot have meant: a write in read-only mode, a path that the kernel cannot
walk, and a way out of the writable directories that its text hides, by `..` or through a link. The
user is asked about what is plainly elsewhere and about what is guarded. Reads go anywhere but to
what is guarded.
"""

import posixpath
from _collections_abc import Iterable

from execpolicy.model.path_decision import (
    Allow,
    Cause,
    Deny,
    PathDecision,
    RequiresApproval,
    shown,
    strictest,
)
from execpolicy.model.place import Place
from execpolicy.model.scope import Scope
from execpolicy.places.approved import Approved
from execpolicy.places.guards import Guards
from execpolicy.places.process import SINKS, is_device, is_secret, owned, spelled
from execpolicy.places.resolve import OTHER_HOME
from execpolicy.places.walk import PROCESS

GUARDS = Guards()
NOTHING_APPROVED = Approved()


def decide_paths(
    places: "Iterable[Place]",
    mode: str,
    scope: Scope,
    guards: Guards = GUARDS,
    approved: Approved = NOTHING_APPROVED,
) -> PathDecision:
    """The strictest of `decide_path` for every place that a path may be."""
    return strictest(tuple(decide_path(place, mode, scope, guards, approved) for place in places))


def decide_path(
    place: Place,
    mode: str,
    scope: Scope,
    guards: Guards = GUARDS,
    approved: Approved = NOTHING_APPROVED,
) -> PathDecision:
    """What may happen with one place.

    `mode` is `read`, `write` or `remove`. `scope.writable` is the writable set, and empty in
    read-only mode. `approved` are the places the user allowed before; they answer questions, and
    lift no denial. The text of the path and the place where it leads are both judged.
    """
    denied = _denied(place, mode, scope, guards)
    if denied is not None:
        return denied
    cause = _asking(place, mode, scope, guards)
    if cause is None or approved.covers(place, mode):
        return Allow()
    where = _where(place)
    return RequiresApproval(_WHY[cause].format(mode, where), cause, (place.real or place.lexical,))


def _denied(place: Place, mode: str, scope: Scope, guards: Guards) -> Deny | None:
    if place.problem == OTHER_HOME:
        return None
    if place.real is None:
        return Deny(f"{shown(place.written)} cannot be resolved: {place.problem}", _UNRESOLVABLE)
    if mode == "read":
        return None
    if not scope.writable:
        return Deny(f"{mode} {_where(place)}: only reading is allowed here", Cause.READ_ONLY)
    if place.problem == PROCESS and not guards.as_published:
        return None
    if guards.covers(place.real, scope.writable):
        return None
    if guards.covers(place.lexical, scope.writable):
        why = f"{_where(place)}: a link leads out of what may be written"
        return Deny(why, Cause.SYMLINK_ESCAPE)
    if _climbs(place.written, guards):
        why = f"{_where(place)}: `..` leads out of what may be written; name the place itself"
        return Deny(why, Cause.TRAVERSAL)
    return None


_UNRESOLVABLE = Cause.UNRESOLVABLE


def _climbs(written: str, guards: Guards) -> bool:
    """Whether the way there goes up. An absolute path says where it leads."""
    path = written if guards.as_published else spelled(written)
    return ".." in path.split("/") and (guards.as_published or path[:1] != "/")


def _asking(place: Place, mode: str, scope: Scope, guards: Guards) -> Cause | None:
    """Why the user is to be asked, the most telling cause first."""
    if place.real is None:  # the home of a user whom only the host knows
        return None if mode == "read" else Cause.OTHER_HOME
    paths = (place.lexical, place.real)
    if not guards.as_published:
        special = _special(place, place.real, mode)
        if special is not None:
            return special
    if guards.guards(mode, paths):
        return Cause.DENY_READ if mode == "read" else Cause.DENY_WRITE
    if mode == "read" or (place.problem == PROCESS and not guards.as_published):
        return None if mode == "read" else Cause.PROCESS_PATH
    if guards.protects(mode, paths):
        return Cause.PROTECTED
    if mode == "remove" and place.real in (scope.root, *scope.writable) and place.real != "/":
        return Cause.WORKSPACE_ROOT
    return None if _is_writable(place.real, scope, guards) else Cause.OUTSIDE


def _special(place: Place, real: str, mode: str) -> Cause | None:
    """What asks because of what it is, in every directory."""
    if any(owned(path) and is_secret(path) for path in (place.lexical, real)) and mode == "read":
        return Cause.DENY_READ
    return Cause.DEVICE if is_device(real) and place.problem is None else None


def _is_writable(real: str, scope: Scope, guards: Guards) -> bool:
    if real in SINKS and not guards.as_published:
        return True
    return guards.covers(real, scope.writable)


def _where(place: Place) -> str:
    """The path as it was written, and where it leads if that is elsewhere."""
    real = place.real
    if real is None or real == posixpath.normpath(place.written):
        return shown(place.written)
    return f"{shown(place.written)} → {shown(real)}"


_WHY = {
    Cause.PROTECTED: "{} {}: the policy itself is kept there",
    Cause.WORKSPACE_ROOT: "{} {}: everything that is worked on lies there",
    Cause.DENY_WRITE: "{} {}: it decides what runs later, or who is let in",
    Cause.DENY_READ: "{} {}: keys, passwords or tokens may be read there",
    Cause.OTHER_HOME: "{} {}: it may be the home of another user",
    Cause.DEVICE: "{} {}: it is a device",
    Cause.PROCESS_PATH: "{} {}: it is a file of a process",
    Cause.OUTSIDE: "{} {}: it lies outside what may be written",
}
