"""What a command runs because of where it runs: the repository, the modules, the PATH there.

A program that only reads does more where the place says so: git obeys the configuration of the
repository it finds, `python -m` imports what stands in the directory, and the shell takes the first
program of the name. In a place that an agent may write to, that is code of the project.
"""

from execpolicy.catalogue import Cause, Reading
from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Exec
from execpolicy.places.repository import repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_SHOWN = 60


def causes(operation: Exec, reading: Reading, number: int, scene: Scene) -> tuple[Cause, ...]:
    """The effects that this command has beyond those of its words."""
    found: list[Cause] = []
    if operation.argv[0] in scene.snapshot.variables.repositories:
        found.extend(_of_repository(number, scene))
    if "-m" in reading.path[:-1]:
        found.extend(_of_modules(operation, reading, number, scene))
    return tuple(found)


def _of_repository(number: int, scene: Scene) -> "Iterator[Cause]":
    """Git obeys what a repository's configuration names, so it must be the session's own."""
    if scene.where.in_root(number):
        return
    directories = scene.where.of(number)
    root = scene.where.root
    if directories is None or root is None:
        yield Cause("execute", "obeys the configuration of a repository that is computed")
        return
    own = repository.find(root.path, scene.resolver)
    for directory in directories:
        kind = scene.resolver.kind(directory)
        found = repository.find(directory, scene.resolver)
        if kind == "missing" and found is None:
            strange = _changes(scene)
        else:
            strange = kind == "unknown" or (found is not None and not repository.same(found, own))
        if strange:
            where = directory[-MAX_SHOWN:]
            yield Cause("execute", f"obeys the configuration of the repository in `{where}`")


def _changes(scene: Scene) -> bool:
    """Whether the request does more than read, so that a directory may come into being."""
    readings = (step.reading for step in scene.steps if step.reading is not None)
    return any(cause.effect != "read" for reading in readings for cause in reading.effects)


def _of_modules(operation: Exec, reading: Reading, number: int, scene: Scene) -> "Iterator[Cause]":
    """`python -m` looks for modules in the directory first (Python manual, 1.1.1)."""
    if _isolated(operation):
        return
    from execpolicy.engine.paths.own_code import code_at

    module = reading.path[reading.path.index("-m") + 1].partition(".")[0]
    for directory in scene.where.of(number) or ("",):
        found = _shadowed(directory, module, scene) if directory else "a computed directory"
        if found:
            why = f"imports `{found}` of the directory; `-P` leaves it out"
            yield code_at(directory, why) if directory else Cause("execute", why)
            return


def _isolated(operation: Exec) -> bool:
    """Whether an option before `-m` leaves the directory out: `-I`, `-P`, also in a bundle."""
    for word in operation.argv[1:]:
        if not isinstance(word, str):
            return False
        options, module, _ = word.partition("m")
        if word[:1] == "-" and word[1:2] not in _VALUED:
            if not {*"IP"}.isdisjoint(options):
                return True
            if module:
                return False
    return False


_VALUED = ("-", "W", "X")
"""How words begin of which the rest is no bundle of letters."""


def _shadowed(directory: str, module: str, scene: Scene) -> str | None:
    """A file that Python would import in the place of a module of its own, or of this one."""
    from sys import stdlib_module_names

    names = scene.resolver.names(directory)
    if names is None:
        return None if scene.resolver.kind(directory) == "missing" else directory
    for name in names:
        stem, dot, _ = name.partition(".")
        if stem != module and stem not in stdlib_module_names and stem not in _GONE:
            continue
        if dot:
            if name.endswith(_SUFFIXES):
                return name
        elif any(map(_is_init, scene.resolver.names(f"{directory}/{name}") or ())):
            return name
    return None


def _is_init(name: str) -> bool:
    return name.startswith("__init__.")


_SUFFIXES = (".py", ".pyc", ".so", ".pyd")
_GONE = frozenset(("asynchat", "asyncore", "distutils", "imp", "smtpd", "cgi", "crypt", "pipes"))
"""Modules of the standard library that older versions of Python have."""
