"""The steps of a request with those of the texts that its commands run.

A plain reading says of `make test` that it runs code of the project. Where the makefile says which
text that is, the text is read as that of `sh -c` is: its commands are steps after that of `make`,
whose cause is known then.
"""

from execpolicy.catalogue.reading.reading import Inner
from execpolicy.engine.paths.own_code import EXECUTE, code_at
from execpolicy.engine.scene import RequestCommand, Scene
from execpolicy.engine.texts.files import ProjectFiles
from execpolicy.engine.texts.known import kind_of, texts_of
from execpolicy.engine.texts.shell_text import ShellText, TextsRun
from execpolicy.engine.texts.unchanging import may_change
from execpolicy.engine.unwrap import MAX_BRACED, ExpandedOperation, Unwrapping
from execpolicy.model.operation import Exec, Request, show
from execpolicy.model.program import UNSEEN
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

Steps = tuple[ExpandedOperation, ...]
MAX_OPENED = 16
"""Commands of a request whose texts are read."""
MAX_PLACES = 4


class OpenedRequest(Value):
    """A request with all that its commands run by what files say. `before` has the directories that
    come before those of PATH for what runs inside of a step, `files` what was looked at."""

    scene: Scene
    before: "dict[int, tuple[str, ...]]"
    files: ProjectFiles

    def is_text(self, number: int) -> bool:
        """Whether a step is one of a text that a command runs."""
        return any(outer in self.before for outer in _outers(number, self.scene))

    @property
    def lasts(self) -> bool:
        """Whether the files say the same when they are read, and PATH finds each command."""
        if _waits(self.scene) or _shadows(self.before, self.scene, self.files):
            return False
        return not may_change(self.files.seen, self.scene)


def opened(scene: Scene, request: Request) -> OpenedRequest | None:
    """The request with the texts that its commands run; None where none of them is known."""
    if scene.root is None or not scene.root.project:
        return None
    files = ProjectFiles(scene.resolver, scene.root.path)
    before: dict[int, tuple[str, ...]] = {}
    number = 0
    while number < len(scene.steps):
        run = _run(number, scene, files, before)
        if run is not None:
            before[number] = run.programs
            if len(before) > MAX_OPENED:
                return None
            steps = _with(run, number, scene)
            scene = Scene(request, steps, scene.snapshot, scene.resolver)
        number += 1
    return OpenedRequest(scene, before, files) if before else None


def _run(
    number: int, scene: Scene, files: ProjectFiles, before: "Container[int]"
) -> TextsRun | None:
    """What the command of a step runs, in each directory where it may be."""
    step = scene.steps[number]
    operation, reading = step.operation, step.reading
    if not isinstance(operation, Exec) or reading is None or step.possible:
        return None
    if not all(isinstance(word, str) for word in operation.argv):
        return None
    command = RequestCommand(operation, reading, number, scene)
    if not kind_of(command) or scene.at(number) is not scene:
        return None
    if not _runs_now(number, scene, before):
        return None
    if reading.canonical[1:] != operation.argv[1:]:
        return None  # an option in front of the subcommand
    directories = scene.where.of(number) or ()
    if not all(below(at, files.root) for at in directories):
        return None
    every = [texts_of(command, at, files) for at in directories[: MAX_PLACES + 1]]
    known = [each for each in every if each is not None]
    if not known or len(known) < len(every) or len(every) > MAX_PLACES:
        return None
    texts = tuple(dict.fromkeys(text for each in known for text in each.texts))
    return TextsRun(texts, tuple(path for each in known for path in each.programs))


def _runs_now(number: int, scene: Scene, before: "Container[int]") -> bool:
    """Whether a command runs once, while the texts run that it stands in, where its step says: the
    commands around it are such that run others so, or run texts themselves."""
    around = words_of("tasks")["around"]
    for each in (number, *_outers(number, scene)):
        step = scene.steps[each]
        name = str(step.argv[0]).rpartition("/")[2] if step.argv else ""
        if each != number and each not in before and name not in around:
            return False
        if step.position.facts.returns or step.position.facts.detaches:
            return False
    return True


def _waits(scene: Scene) -> bool:
    """Whether a command of the request waits, so that others may change a file meanwhile."""
    waiting = words_of("tasks")["waits"]
    return any(step.argv and step.argv[0] in waiting for step in scene.steps)


def _with(run: TextsRun, number: int, scene: Scene) -> Steps:
    """The steps with those of what the command of one of them runs after it."""
    steps = scene.steps
    operation, reading = steps[number].operation, steps[number].reading
    assert isinstance(operation, Exec)  # noqa: S101
    assert reading is not None  # noqa: S101
    name = " ".join(map(show, operation.argv))
    inner = tuple(_inner(text, name) for text in run.texts)
    path = str(operation.argv[0])
    code = next((c for c in reading.effects if c.is_code), code_at(path, f"runs `{path}`"))
    known = code.replace(effect=EXECUTE, known=True)
    kept = tuple(c for c in reading.effects if c.where or not (c.is_code or c.effect in UNSEEN))
    reading = reading.replace(effects=(known, *kept), inner=inner)
    unwrapping = Unwrapping(scene.snapshot, None, MAX_BRACED)
    unwrapping.within = True
    unwrapping.steps = [*steps[:number], steps[number].replace(reading=reading)]
    unwrapping.open(operation, reading, _depth(number, scene), is_fed=True)
    unwrapping.disclosed()
    more = len(unwrapping.steps) - number - 1
    within = [
        s if s.outer is not None else s.replace(outer=number)
        for s in unwrapping.steps[number + 1 :]
    ]
    return (
        *unwrapping.steps[: number + 1],
        *within,
        *(_moved(step, number, more) for step in steps[number + 1 :]),
    )


def _inner(text: ShellText, name: str) -> Inner:
    return Inner(name, script=text.text, shell=text.shell, cwd=text.directory)


def _depth(number: int, scene: Scene) -> int:
    outer = scene.steps[number].outer
    return 0 if outer is None else 1 + _depth(outer, scene)


def _moved(step: ExpandedOperation, after: int, by: int) -> ExpandedOperation:
    """A step whose number is by so many more, as those are that it names and come after one."""
    outer, position = step.outer, step.position
    if outer is not None and outer > after:
        step = step.replace(outer=outer + by)
    if position.after is not None and position.after > after:
        step = step.replace(position=position.replace(after=position.after + by))
    return step


def _shadows(before: "dict[int, tuple[str, ...]]", scene: Scene, files: ProjectFiles) -> bool:
    """Whether a program of the project stands for a command of a text: its directory comes before
    those of PATH."""
    for number, step in enumerate(scene.steps):
        name = step.argv[0] if step.argv else None
        if not isinstance(name, str) or "/" in name:
            continue
        for outer in _outers(number, scene):
            directories = before.get(outer, ())
            if not all(files.is_missing(f"{at}/{name}") for at in directories):
                return True
    return False


def _outers(number: int, scene: Scene) -> "Iterator[int]":
    outer = scene.steps[number].outer
    while outer is not None:
        yield outer
        outer = scene.steps[outer].outer
