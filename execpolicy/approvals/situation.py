"""Looks at the machine for what approvals rest on: real directories, real paths, file contents.

Only called where a verdict asks.
"""

from execpolicy.approvals.subject import Subject
from execpolicy.engine.catalogued import EXECUTE, in_surroundings
from execpolicy.engine.paths.own_code import paths
from execpolicy.engine.rules.input import digest as text_of_input
from execpolicy.engine.rules.input import may_obey_files, obeys
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec, Request, Word, show
from execpolicy.model.verdict import JudgedOperation, Verdict
from execpolicy.places.resolver import Resolver
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import read_regular
from execpolicy.support import digest

MAX_STAMPED_BYTES = 16 * 1024 * 1024
_RUNS = frozenset((EXECUTE, "unknown"))


def subjects(
    request: Request, verdict: Verdict, snapshot: Snapshot, resolver: "Resolver"
) -> tuple[Subject, ...]:
    """Where each operation of a verdict really happens; empty ones for those that do not ask."""
    steps = unwrap(request, snapshot)
    if len(steps) != len(verdict.judged):
        return ()
    scene = Scene(request, steps, snapshot, resolver)
    text = request.text if request.text is not None else repr(request.argv or request.operations)
    context = digest.of(text.encode("utf-8", "surrogatepass"))
    return tuple(
        _subject(number, judged, scene, context)
        if judged.decision is Decision.PROMPT
        else Subject()
        for number, judged in enumerate(verdict.judged)
    )


def project(request: Request, resolver: "Resolver") -> str | None:
    """The real directory by which a project is known; None where there is none."""
    root = resolver.root(request.root, request.cwd)
    return root.path if root else None


def _subject(number: int, judged: JudgedOperation, scene: Scene, context: str) -> Subject:
    found = scene.where.of(number) or ()
    single = found[0] if len(found) == 1 else None
    operation, reading = judged.operation, scene.steps[number].reading
    if isinstance(operation, Access):
        return Subject(found, _real(operation.path, single, scene))
    if not isinstance(operation, Exec) or reading is None or not found:
        return Subject(found)
    command = RequestCommand(operation, reading, number, scene.at(number))
    if obeys(command) and not text_of_input(operation):
        return Subject()
    planted = scene.planted(operation.argv[0])
    files = _files(command, planted).items()
    every = [s for at in found for path, sure in files for s in _stamps(path, sure, at, command)]
    if None in every:
        return Subject()
    stamps = tuple(stamp for stamp in every if stamp is not None)
    return Subject(found, None, stamps, "" if single else context, planted is not None)


def _real(path: object, directory: str | None, scene: Scene) -> str | None:
    """The path that the kernel would open; None where that is not certain."""
    if not isinstance(path, str) or path[:1] == "~" or (path[:1] != "/" and directory is None):
        return None
    return scene.resolver.locate(path if path[:1] == "/" else f"{directory}/{path}").real


def _files(command: RequestCommand, planted: str | None) -> dict[Word | None, bool]:
    """The paths that a command executes or may, by the catalogue: whether each certainly is code.

    None stands for code of which no path is known. What runs code, or does what is not known, may
    run each file that its words name, and what acts elsewhere may do what such a file says. A
    directory is not a file to stamp: it counts by its project. Hooks of git are left out: writing
    one is asked about by itself.
    """
    name, *words = command.operation.argv
    causes = in_surroundings(command, planted).reading.effects
    running = [cause for cause in causes if cause.effect in _RUNS and not cause.hooks]
    given = words if running or any(map(may_obey_files, causes)) else []
    found: dict[Word | None, bool] = {path: False for word in given for path in paths(show(word))}
    code = [cause.code for cause in running if cause.code is not None]
    for cause in running:
        if isinstance(cause.subject, Access):
            found[cause.subject.path] = False
        elif cause.effect == EXECUTE and cause.code is None and not (code and cause.is_inherent):
            found[None] = True
    if "/" in show(name):
        code.append(name)
    return {**found, **dict.fromkeys(code, True)}


def _stamps(
    path: Word | None, is_code: bool, directory: str, command: RequestCommand
) -> list[str | None]:
    """Digests of the files that a path may stand for; None where that cannot be told.

    A name of no file may be that of one later, and `node a` runs `a.js`.
    """
    resolver, moves = command.scene.resolver, command.scene.relocations
    real = _real(path, directory, command.scene)
    kind = resolver.kind(real) if real is not None else "unknown"
    if real is None or kind not in (("file", "missing") if is_code else ("file",)):
        return [None] if is_code else []
    if moves.puts(real) or moves.is_unsettled(real, command.number):
        return [None]
    if kind == "file":
        return [_stamp(real)]
    parent, _, name = real.rpartition("/")
    near = [each for each in resolver.names(parent or "/") or () if each.startswith(f"{name}.")]
    return [digest.of(_bytes(real)), *(_stamp(f"{parent}/{each}") for each in near)]


def _stamp(path: str) -> str | None:
    """The digest of a file with its path; None where it cannot be read or is too large."""
    try:
        data = read_regular(path, MAX_STAMPED_BYTES + 1)
    except OSError:
        return None
    return digest.of_parts((_bytes(path), data)) if len(data) <= MAX_STAMPED_BYTES else None


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "surrogatepass")
