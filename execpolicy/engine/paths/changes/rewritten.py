"""Which rules about files a command meets that changes a directory, and names none of the files.

`rm -r build` removes each file that is there, `ruff format .` may change it, `git switch` what its
repository has, and what `tar x` unpacks is not known. A rule decides where a file of its certainly
changes, and asks where one may. What the shipped rules protect is found by its class instead.
"""

from _collections_abc import Iterator

from execpolicy.engine.paths import computed_paths, history
from execpolicy.engine.paths.feeds.limits import Limits
from execpolicy.engine.paths.globs import is_glob, literal_directory
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.targets import unquoted, without_proc
from execpolicy.engine.paths.touched import Overlay
from execpolicy.engine.paths.trees import limits_of, searched
from execpolicy.engine.scene import Scene
from execpolicy.model.operation import Access
from execpolicy.model.rule import PlaceRule
from execpolicy.support.path_match import below, normal
from execpolicy.support.record import Value

_TREES = frozenset(("file", "edited"))


class Change(Value):
    """What changes below a directory: these files; None where that is not known.

    `certain`: each of them does. `named` are paths that the command names itself.
    """

    directory: str
    files: tuple[str, ...] | None
    certain: bool = False
    named: tuple[str, ...] = ()


def rewritten(access: Access, number: int, scene: Scene) -> "Iterator[tuple[Overlay, bool]]":
    """The rules that are met, each laid over a path, and whether one certainly is."""
    classes = scene.ruled.own(access.mode)
    for change in _changes(access, number, scene):
        found: dict[str, tuple[Overlay, bool]] = {}
        for rule, path, certain in _met(change, scene):
            if rule.place in classes and (certain or rule.place not in found):
                found[rule.place] = Overlay(rule, path), certain
        yield from found.values()


def _met(change: Change, scene: Scene) -> "Iterator[tuple[PlaceRule, str, bool]]":
    """The rules about files that change, or about any that may lie in the directory."""
    if change.files is None:
        literal = LiteralPaths(scene.ruled, scene.where)
        for each in literal.everything(change.directory):
            yield each.rule, each.path, False
        return
    root = scene.where.root
    for path in change.files:
        for rule in scene.ruled.ruling(path, scene.where.home, root.path if root else None):
            named = any(below(path, each) for each in change.named)
            yield rule, path, change.certain or named


def _changes(access: Access, number: int, scene: Scene) -> "Iterator[Change]":
    if access.extent == "repository":
        yield from (Change(at, (at,), certain=True) for at in _tops(number, scene))
    elif access.extent == "restored":
        yield from (_restored(path, number, scene) for path in _roots(access, number, scene))
    elif access.extent == "below":
        root = scene.where.root
        for path in _roots(access, number, scene):
            yield Change(root.path if root and below(path, root.path) else path, None)
    elif access.extent in _TREES:
        for path in _roots(access, number, scene):
            if access.mode == "write" or not _is_link(path, scene):
                taken = limits_of(scene.where, number) if access.extent == "edited" else Limits()
                found = searched(scene.ruled, scene.where, path, "tree", taken)
                yield Change(path, found, certain=access.mode == "remove")


def _roots(access: Access, number: int, scene: Scene) -> "Iterator[str]":
    """The directories that a word stands for; what it computes may be any that its rules name."""
    word, where = access.path, scene.where
    path = without_proc(unquoted(word))
    if not isinstance(word, str) and computed_paths.is_computed(word, path):
        return
    if not path.startswith(("/", "~")) and where.of(number) is None:
        yield "/"
    for absolute in where.absolute(path, number):
        if isinstance(word, str) or not is_glob(path):
            yield normal(absolute)
        else:
            found = where.matches(absolute)
            yield from (literal_directory(absolute),) if found is None else found


def _tops(number: int, scene: Scene) -> "Iterator[str]":
    """The work trees of the repositories that a step may work in."""
    for directory in scene.where.of(number) or ():
        own = scene.repository(directory)
        yield own.top if own else directory


def _restored(directory: str, number: int, scene: Scene) -> Change:
    """What git may put there: what its index and its commits have, unless it gets others."""
    own, reading = scene.repository(directory), scene.steps[number].reading
    effects = reading.effects if reading is not None else ()
    if own is None or any(cause.effect == "network" for cause in effects):
        return Change(own.top if own else directory, None)
    found = history.restorable(scene.ruled, scene.where, own.top, scene.ruled.own("write"))
    only = _pathspecs(number, scene)
    if found is not None and only is not None:
        kept = history.below_any_case
        found = tuple(path for path in found if any(kept(path, each) for each in only))
    throws = any(cause.effect == "destroy" and cause.is_inherent for cause in effects)
    return Change(own.top, found, named=tuple(_named(number, scene)) if throws else ())


def _pathspecs(number: int, scene: Scene) -> list[str] | None:
    """The paths that stand after `--`, to which git then keeps; None where one is more than a path
    (gitglossary(7))."""
    argv = scene.steps[number].argv
    words = argv[argv.index("--") + 1 :] if "--" in argv else ()
    plain = [word for word in words if isinstance(word, str) and word[:1] != ":"]
    if not words or len(plain) < len(words) or any(map(is_glob, plain)):
        return None
    every = [path for word in plain for path in scene.where.named(word, number)]
    real = [scene.resolver.locate(path).real for path in every]
    return [*map(normal, every), *filter(None, real)] or None


def _named(number: int, scene: Scene) -> "Iterator[str]":
    """The paths of which git throws the changes away, those that a rule is about by their names."""
    reading, root = scene.steps[number].reading, scene.where.root
    for word in reading.operands if reading is not None else ():
        for path in scene.where.named(word, number) if isinstance(word, str) else ():
            at = normal(path)
            if scene.ruled.ruling(at, scene.where.home, root.path if root else None):
                yield at


def _is_link(path: str, scene: Scene) -> bool:
    locate = scene.resolver.locate
    return locate(path, False).real != locate(path).real
