"""Whether the project has the files of settings that a program obeys, where it works."""

import posixpath
from _collections_abc import Iterator

from execpolicy.catalogue import Cause
from execpolicy.engine.paths.whereabouts import Whereabouts
from execpolicy.model.operation import Access
from execpolicy.model.place import SettingsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol
else:
    Protocol = object


class Moves(Protocol):
    """What the steps of a request put where."""

    def puts(self, path: str) -> bool:
        """Whether some step may make this entry."""

    def puts_named(self, is_one: "Callable[[str], bool]", number: int) -> bool:
        """Whether a step beside this one may make an entry of such a name."""


def happening(
    effects: tuple[Cause, ...], number: int, where: Whereabouts, moves: "Callable[[], Moves]"
) -> tuple[Cause, ...]:
    """The effects without those whose settings the project has not."""
    found = dict.fromkeys(s for cause in effects if not cause.hooks for s in cause.where)
    nested = any(setting.nested for setting in found)
    paths = tuple(dict.fromkeys(_paths(effects))) if nested else ()

    def holds(settings: tuple[SettingsFile, ...]) -> bool:
        return _holds(settings, paths, number, where, moves)

    if found and not holds(tuple(found)):
        return tuple(cause for cause in effects if cause.hooks or not cause.where)
    if len(found) <= 1:
        return effects
    return tuple(c for c in effects if c.hooks or not c.where or holds(c.where))


def _paths(effects: tuple[Cause, ...]) -> "Iterator[str | None]":
    """The paths that a program works on, None for a computed one; else the working directory."""
    from execpolicy.engine.paths.targets import unquoted

    inherent = False
    for cause in effects:
        subject = cause.subject
        if isinstance(subject, Access) and subject.mode != "execute" and not cause.where:
            inherent = inherent or cause.is_inherent
            yield unquoted(subject.path)
    if not inherent:
        yield "."


def _holds(
    settings: tuple[SettingsFile, ...],
    paths: "tuple[str | None, ...]",
    number: int,
    where: Whereabouts,
    moves: "Callable[[], Moves]",
) -> bool:
    """Whether the project of a step may have one of the settings."""
    directories = where.of(number)
    if not directories or any(where.resolver.holds(at, *settings) for at in directories):
        return True
    made = (posixpath.join(at, setting.name) for at in directories for setting in settings)
    if len(where.steps) > 1 and any(map(moves().puts, made)):
        return True
    nested = tuple(setting for setting in settings if setting.nested)
    return bool(nested) and _holds_nested(nested, paths, number, where, moves)


def _holds_nested(
    settings: tuple[SettingsFile, ...],
    paths: "tuple[str | None, ...]",
    number: int,
    where: Whereabouts,
    moves: "Callable[[], Moves]",
) -> bool:
    """Whether there may be one beside a file that is worked on, or above it."""
    from execpolicy.engine.paths.globs import is_glob, literal_directory

    names = frozenset(setting.name for setting in settings)
    if len(where.steps) > 1 and moves().puts_named(names.__contains__, number):
        return True
    for path in paths:
        if path is None:
            return True
        for at in where.absolute(literal_directory(path) if is_glob(path) else path, number):
            if any(_has(settings, names, each, where) for each in (at, _real(at, where))):
                return True
    return False


def _real(path: str, where: Whereabouts) -> str:
    place = where.resolver.locate(path)
    return place.real or place.lexical


def _has(
    settings: tuple[SettingsFile, ...], names: frozenset[str], path: str, where: Whereabouts
) -> bool:
    from execpolicy.engine.paths.trees import is_wide, walked

    resolver = where.resolver
    if resolver.kind(path) != "directory":
        return resolver.holds(posixpath.dirname(path), *settings)
    if resolver.holds(path, *settings) or is_wide(where, path):
        return True
    found = walked(where, path)
    if found is None:
        return True
    beside = {posixpath.dirname(f) for f in found.files if posixpath.basename(f) in names}
    return any(resolver.holds(at, *settings) for at in beside)
