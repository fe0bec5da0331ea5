"""Code of the project: which of it a command runs, and what it is given.

Code that lies in the project or in its environments has a place, as a path has, so that a posture
can apply to it. A word that leads out of the project may be code too: of another place.
"""

from _collections_abc import Iterator

from execpolicy.catalogue import Catalogue, Cause, Reading, read
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.model.errors import printable
from execpolicy.model.operation import Access, Dynamic, Exec, Word
from execpolicy.model.rule import OWN

_SAFE = frozenset(("system", "tools"))
"""Places in which no preset lets an agent write."""
EXECUTE = "execute"
MAX_CHARS = 4096


def settled(command: RequestCommand) -> Reading:
    """The reading of a command that may run code of the project, with what its words add."""
    operation, reading = command.operation, command.reading
    program = operation.argv[0]
    if isinstance(program, str) and "/" in program and _is_unknown(reading):
        reading = _by_path(program, command)
    if not any(cause.is_code for cause in reading.effects):
        return reading
    given = (c for word in operation.argv[1:] if word != reading.cwd for c in _given(word))
    return reading.replace(effects=(*reading.effects, *given))


def code_at(path: str, why: str) -> Cause:
    """The effect of running what lies at a path."""
    return Cause(EXECUTE, why, Access(path, "execute"))


def _is_unknown(reading: Reading) -> bool:
    return len(reading.effects) == 1 and reading.effects[0].effect == "unknown"


def _by_path(program: str, command: RequestCommand) -> Reading:
    """A program that is named by its path: what it is, and what its name says besides."""
    operation, reading = command.operation, command.reading
    number, scene = command.number, command.scene
    cause = code_at(program, f"`{printable(program, 60)}` is code of the project")
    bases = scene.overlays.of(cause.subject, number).bases  # type: ignore[arg-type]
    if not all(base.place in OWN for base in bases):
        return reading
    name = program.rpartition("/")[2]
    catalogue: Catalogue = scene.snapshot.catalogue
    if not name or catalogue.lookup(name) is None:
        return reading.replace(effects=(cause,))
    other = read((name, *operation.argv[1:]), catalogue)
    if other.inner or any(map(_hides, other.effects)):
        return reading
    if _only_shows(operation, other) and _leads_to_itself(program, number, scene):
        return other
    return reading.replace(effects=(cause, *other.effects))


def _only_shows(operation: Exec, reading: Reading) -> bool:
    """Whether one word such as `--version` is all, which is answered before anything is loaded."""
    options = [word for word in operation.argv[1:] if isinstance(word, str) and word[:1] == "-"]
    alone = len(options) == 1 and len(operation.argv) == 2
    return alone and all(cause == Cause("read", cause.why) for cause in reading.effects)


def _leads_to_itself(program: str, number: int, scene: Scene) -> bool:
    """Whether a path is a link to the program of that name, in a place that no agent writes.

    So is `.venv/bin/python`. Nothing else of the request may put another file there.
    """
    steps = (step for n, step in enumerate(scene.steps) if n != number)
    if not all(step.reading and set(_effects(step.reading)) <= {"read"} for step in steps):
        return False
    catalogue = scene.snapshot.catalogue
    known = catalogue.lookup(program.rpartition("/")[2])
    for path in scene.overlays.absolute(program, number):
        real = scene.resolver.locate(path).real
        found = catalogue.lookup(real.rpartition("/")[2]) if real else None
        if real is None or known is None or found is None or found.path != known.path:
            return False
        bases = scene.overlays.of(Access(real, "execute"), number).bases
        if not all(base.place in _SAFE for base in bases):
            return False
    return True


def _effects(reading: Reading) -> "Iterator[str]":
    return (cause.effect for cause in reading.effects)


def _hides(cause: Cause) -> bool:
    """Whether a program of this name would do what cannot be seen: run a text, say."""
    return cause.effect == "unknown" or (cause.effect == EXECUTE and not cause.is_code)


def _given(word: "str | Dynamic") -> "Iterator[Cause]":
    """What a word of such a command may be: a path that its code reads, or code of elsewhere."""
    if isinstance(word, Dynamic):
        if not (word.digits_only or word.template):
            yield Cause(
                EXECUTE, f"is given `{printable(word.source, 60)}`", Access(word, "execute")
            )
        return
    for path in paths(word):
        if leads_out(path):
            yield code_at(path, f"is given `{printable(path, 60)}`")
        yield Cause("read", "", Access(path, "read"))


def leads_out(path: Word) -> bool:
    """Whether a path may lead out of the directory that it is relative to."""
    return not isinstance(path, str) or path[:1] in ("/", "~") or ".." in path.split("/")


def paths(word: str) -> "Iterator[str]":
    """The paths that a word may be, or the value of an option in it."""
    if len(word) > MAX_CHARS or "\n" in word:
        return
    _, sign, value = word.partition("=")
    if word[:1] != "-":
        found = [word, value] if sign else [word]
    else:
        found = [value] if sign else [word[2:]] if word[1:2] != "-" else []
    found = [path.removeprefix("file://").removeprefix("fileb://").lstrip("@<") for path in found]
    yield from (path for path in found if path not in _NO_FILE and "://" not in path)


_NO_FILE = frozenset(("", "/dev/null"))
