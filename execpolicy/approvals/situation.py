"""Looks at the machine for what approvals rest on: real directories, real paths, file contents.

Only called where a verdict asks.
"""

from execpolicy.approvals.subject import Subject
from execpolicy.engine.scene import Scene
from execpolicy.engine.unwrap import unwrap
from execpolicy.model.decision import Decision
from execpolicy.model.operation import Access, Exec, Request
from execpolicy.model.verdict import JudgedOperation, Verdict
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import read_regular
from execpolicy.support import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.places.resolver import Resolver

MAX_STAMPED_BYTES = 16 * 1024 * 1024
_RUNNERS_WORDS = "python python3 bash sh dash zsh ksh fish node deno bun ruby perl php lua Rscript"
_RUNNERS = frozenset(_RUNNERS_WORDS.split())
"""Programs that execute the file that their first operand names, or an option names for them."""


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
    context = context if len(found) > 1 else ""
    operation = judged.operation
    if isinstance(operation, Access):
        return Subject(found, _real(operation.path, single, scene))
    if not isinstance(operation, Exec) or not found:
        return Subject(found)
    every = [_stamps(operation, directory, scene) for directory in found]
    if None in every:
        return Subject()
    stamps = tuple(stamp for each in every for stamp in each or ())
    return Subject(found, None, stamps, context, scene.planted(operation.argv[0]) is not None)


def _real(path: object, directory: str | None, scene: Scene) -> str | None:
    """The path that the kernel would open; None where that is not certain."""
    if not isinstance(path, str) or path[:1] == "~" or (path[:1] != "/" and directory is None):
        return None
    return scene.resolver.locate(path if path[:1] == "/" else f"{directory}/{path}").real


def _stamps(operation: Exec, directory: str, scene: Scene) -> tuple[str, ...] | None:
    """Digests of the files that are executed; None where one of them cannot be told or read."""
    name = operation.argv[0]
    if not isinstance(name, str):
        return None
    planted = scene.planted(name)
    words = [name] if "/" in name else [planted] if planted else []
    if name.rpartition("/")[2] in _RUNNERS:
        if operation.stdin is None and all(str(word)[:1] == "-" for word in operation.argv[1:]):
            return None  # it executes what it reads
        words += [word for word in operation.argv[1:] if isinstance(word, str)]
    found: list[str] = []
    for word in words:
        real = _real(word, directory, scene)
        if real is None or scene.resolver.kind(real) != "file":
            continue
        try:
            data = read_regular(real, MAX_STAMPED_BYTES + 1)
        except OSError:
            return None
        if len(data) > MAX_STAMPED_BYTES:
            return None
        found.append(digest.of_parts((real.encode("utf-8", "surrogateescape"), data)))
    return tuple(found)
