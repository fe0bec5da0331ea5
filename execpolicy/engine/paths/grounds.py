"""What a command runs because of where it runs: the repository, the modules, the PATH there.

A program that only reads does more where the place says so: git obeys the configuration of the
repository it finds, `python -m` imports what stands in the directory, and the shell takes the first
program of the name. In a place that an agent may write to, that is code of the project.
"""

import posixpath
from _collections_abc import Iterator

from execpolicy.catalogue import Cause, Reading
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.operation import Exec
from execpolicy.places.resolver import Resolver
from execpolicy.support.disk import repository
from execpolicy.support.disk.repository import Repository
from execpolicy.support.path_match import below

MAX_SHOWN = 60


def causes(command: RequestCommand) -> tuple[Cause, ...]:
    """The effects that this command has beyond those of its words."""
    reading, number, scene = command.reading, command.number, command.scene
    found: list[Cause] = []
    if reading.path[0] in scene.snapshot.variables.repositories:
        found.extend([*_of_repository(number, scene)] or _of_submodules(reading, number, scene))
    if reading.imports or "-m" in reading.path[:-1]:
        found.extend(_of_modules(command))
    return tuple(found)


def _of_repository(number: int, scene: Scene) -> "Iterator[Cause]":
    """Git obeys what a repository's configuration names, so it must be the session's own.

    A directory that is laid out like a git directory is one for git, and any project may have one.
    """
    root = scene.where.root
    if root is None:
        if not scene.where.in_root(number):
            yield Cause("execute", "obeys the configuration of a repository that is computed")
        return
    own = scene.repository(root.path)
    if own is not None and own.top == root.path != own.git and scene.where.in_root(number):
        return  # nothing comes before its `.git`
    directories = scene.where.of(number)
    if directories is None:
        yield Cause("execute", "obeys the configuration of a repository that is computed")
        return
    for directory in directories:
        if _is_strange(directory, own, scene):
            where = directory[-MAX_SHOWN:]
            yield Cause("execute", _OBEYS + f"`{where}`")


def _of_submodules(reading: Reading, number: int, scene: Scene) -> tuple[Cause, ...]:
    """Git looks into each submodule whether it was changed, and obeys what that one's
    configuration names. Git keeps the configuration of those that it made itself.
    """
    root = scene.where.root
    if root is None or (*reading.path, "")[1] in _OBJECTS:
        return ()
    own = scene.repository(root.path)
    planted = own and _planted(own.top, own, scene.resolver, MAX_NESTED)
    return (Cause("execute", _OBEYS + f"`{planted[-MAX_SHOWN:]}`"),) if planted else ()


def _planted(top: str, own: "Repository", resolver: "Resolver", depth: int) -> str | None:
    """A repository that the index at `top` names and git did not make for the session's own."""
    links = resolver.gitlinks(top)
    if links is None or not depth:
        return top
    for path in links:
        found = repository.find(path, resolver, bare=False)
        if found is None or found.top != path:
            continue  # there is none, or it was not fetched
        if not repository.same(found, own):
            return path
        deeper = _planted(path, own, resolver, depth - 1)
        if deeper:
            return deeper
    return None


_OBEYS = "obeys the configuration of the repository in "
MAX_NESTED = 8
_OBJECTS = frozenset(
    (
        *("blame", "branch", "cat-file", "cherry", "config", "count-objects", "diff-tree"),
        *("for-each-ref", "log", "ls-files", "ls-remote", "ls-tree", "merge-base", "name-rev"),
        *("range-diff", "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show"),
        *("show-ref", "symbolic-ref", "tag", "version", "whatchanged"),
    )
)
"""Commands that look at no file of a submodule, whatever their options."""


def _is_strange(directory: str, own: "Repository | None", scene: Scene) -> bool:
    """Whether git may find another repository from a directory than the session's own."""
    kind = scene.resolver.kind(directory)
    found = scene.repository(directory)
    is_root = scene.where.root is not None and directory == scene.where.root.path
    if kind == "missing" and found is None and not is_root:
        return _changes(scene)
    if kind == "unknown":
        return not is_root
    if found is not None and (found.git == found.top or not repository.same(found, own)):
        return True
    return len(scene.steps) > 1 and _is_laid_out(directory, found, scene)


def _is_laid_out(directory: str, found: "Repository | None", scene: Scene) -> bool:
    """Whether the request itself makes a git directory of one that git passes on its way up."""
    root = scene.where.root
    top = found.top if found is not None else root.path if root is not None else "/"
    moves = scene.relocations
    while below(directory, top) and (found is None or directory != top):
        if any(moves.puts(posixpath.join(directory, name)) for name in repository.LAYOUT):
            return True
        if directory == "/":
            return False
        directory = posixpath.dirname(directory)
    return False


def _changes(scene: Scene) -> bool:
    """Whether the request does more than read, so that a directory may come into being."""
    readings = (step.reading for step in scene.steps if step.reading is not None)
    return any(cause.effect != "read" for reading in readings for cause in reading.effects)


def _of_modules(command: RequestCommand) -> "Iterator[Cause]":
    """`python -m` and `-c` look for modules in the directory first (Python manual, 1.1.1)."""
    path, scene = command.reading.path, command.scene
    if _isolated(command.operation):
        return
    from execpolicy.engine.paths.own_code import code_at

    module = path[path.index("-m") + 1].partition(".")[0] if "-m" in path[:-1] else ""
    names = _modules(module)
    if scene.relocations.puts_named(lambda name: _replaces(name, names), command.number):
        yield Cause("execute", "may import what the request makes; `-P` leaves the directory out")
        return
    for directory in scene.where.of(command.number) or ("",):
        found = _shadowed(directory, names, scene) if directory else "a computed directory"
        if found:
            why = f"imports `{found}` of the directory; `-P` leaves it out"
            yield code_at(directory, why) if directory else Cause("execute", why)
            return


def _isolated(operation: Exec) -> bool:
    """Whether an option leaves the directory out: `-I`, `-P`, also in a bundle with `-m`, `-c`."""
    for word in operation.argv[1:]:
        if not isinstance(word, str):
            return False
        if word[:1] == "-" and word[1:2] not in _VALUED:
            for letter in word[1:]:
                if letter in "IP":
                    return True
                if letter in "mc":
                    return False
    return False


_VALUED = ("-", "W", "X")
"""How words begin of which the rest is not a bundle of letters."""


def _modules(module: str) -> frozenset[str]:
    """The names of what Python may import: this module, its own ones, those of a text."""
    from sys import stdlib_module_names

    from execpolicy.support.resources import words_of

    return stdlib_module_names | words_of("python")["others"] | {module}


def _shadowed(directory: str, modules: frozenset[str], scene: Scene) -> str | None:
    """A file of a directory that Python would import in the place of one of these modules."""
    names = scene.resolver.names(directory)
    if names is None:
        return None if scene.resolver.kind(directory) == "missing" else directory
    for name in names:
        if not _replaces(name, modules):
            continue
        if "." in name or any(map(_is_init, scene.resolver.names(f"{directory}/{name}") or ())):
            return name
    return None


def _replaces(name: str, names: frozenset[str]) -> bool:
    """Whether an entry of a directory may be imported as one of these modules."""
    stem, dot, _ = name.partition(".")
    return stem in names and (not dot or name.endswith(_SUFFIXES))


def _is_init(name: str) -> bool:
    return name.startswith("__init__.")


_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
