"""Whether the project has the files of settings that a program obeys, where it works."""

import posixpath
from _collections_abc import Iterator

from execpolicy.catalogue import Cause
from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Access
from execpolicy.model.place import SettingsFile


def happening(
    effects: tuple[Cause, ...], settings: tuple[SettingsFile, ...], number: int, scene: Scene
) -> tuple[Cause, ...]:
    """The effects without those whose settings the project has not. `settings` are all of them."""
    nested = any(setting.nested for setting in settings)
    paths = tuple(dict.fromkeys(_paths(effects))) if nested else ()
    if not _holds(settings, paths, number, scene):
        return tuple(cause for cause in effects if cause.hooks or not cause.where)
    if len(settings) == 1:
        return effects

    def happens(cause: Cause) -> bool:
        return bool(cause.hooks) or not cause.where or _holds(cause.where, paths, number, scene)

    return tuple(filter(happens, effects))


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
    settings: tuple[SettingsFile, ...], paths: "tuple[str | None, ...]", number: int, scene: Scene
) -> bool:
    """Whether the project of a step may have one of the settings."""
    directories = scene.where.of(number)
    if not directories or any(scene.resolver.holds(at, *settings) for at in directories):
        return True
    made = (posixpath.join(at, setting.name) for at in directories for setting in settings)
    if len(scene.steps) > 1 and any(map(scene.relocations.puts, made)):
        return True
    nested = tuple(setting for setting in settings if setting.nested)
    return bool(nested) and _holds_nested(nested, paths, number, scene)


def _holds_nested(
    settings: tuple[SettingsFile, ...], paths: "tuple[str | None, ...]", number: int, scene: Scene
) -> bool:
    """Whether there may be one beside a file that is worked on, or above it."""
    from execpolicy.engine.paths.globs import is_glob, literal_directory

    names = frozenset(setting.name for setting in settings)
    if len(scene.steps) > 1 and scene.relocations.puts_named(names.__contains__, number):
        return True
    for path in paths:
        if path is None:
            return True
        for at in scene.where.absolute(literal_directory(path) if is_glob(path) else path, number):
            if any(_has(settings, names, each, scene) for each in (at, _real(at, scene))):
                return True
    return False


def _real(path: str, scene: Scene) -> str:
    place = scene.resolver.locate(path)
    return place.real or place.lexical


def _has(
    settings: tuple[SettingsFile, ...], names: frozenset[str], path: str, scene: Scene
) -> bool:
    from execpolicy.engine.paths.trees import is_wide, walked

    resolver = scene.resolver
    if resolver.kind(path) != "directory":
        return resolver.holds(posixpath.dirname(path), *settings)
    if resolver.holds(path, *settings) or is_wide(scene.where, path):
        return True
    found = walked(scene.where, path)
    if found is None:
        return True
    beside = {posixpath.dirname(f) for f in found.files if posixpath.basename(f) in names}
    return any(resolver.holds(at, *settings) for at in beside)
