"""Where the paths come from that one command hands to another, and which of them it takes."""

from execpolicy.model.operation import Dynamic, Exec, Word
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.engine.paths.feeds.producers import Feed
    from execpolicy.engine.unwrap import ExpandedOperation

_GREPS = frozenset(("grep", "egrep", "fgrep", "zgrep", "ugrep", "rg"))


class Limits(Value):
    """Which names a search looks into: those that fit one of `only`, if any, and none of `out`."""

    only: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    def take(self, path: str) -> bool:
        """Whether the search reads a file of this path."""
        names = [name.lower() for name in path.split("/")]
        if any(_fits(glob, name) for glob in self.out for name in names):
            return False
        return not self.only or any(_fits(glob, names[-1]) for glob in self.only)


def feed_of(steps: "Sequence[ExpandedOperation]", number: int, word: Dynamic) -> "Feed | None":
    """The feed of a computed path, where that is known.

    It is the pipeline that prints the word, the `find` that runs the command, or what comes to it
    through `xargs`, with nothing in a pipeline but what passes lines on.
    """
    if word.fed_by:
        return _of_pipeline(steps, word.fed_by[0], word.fed_by[1:])
    outer = steps[number].outer
    around = steps[outer].operation if outer is not None else None
    if not isinstance(around, Exec):
        return None
    if around.argv[0] == "find":
        from execpolicy.engine.paths.feeds.producers import of_find

        return of_find(around.argv)
    if around.argv[0] != "xargs" or not around.fed_by or _is_redirected(around):
        return None
    return _of_pipeline(steps, around.fed_by[0], around.fed_by[1:])


def _of_pipeline(
    steps: "Sequence[ExpandedOperation]", first: str, filters: "Sequence[str]"
) -> "Feed | None":
    passing = all(_passes(steps, name) for name in filters)
    return _printed(steps, first) if passing else None


def limits(argv: tuple[Word, ...]) -> Limits:
    """What the options of a search leave out: `--include`, `--exclude`, `-g`."""
    if argv[0] not in _GREPS or not all(isinstance(word, str) for word in argv):
        return Limits()
    only, out = [], []
    for name, value in _valued([str(word) for word in argv[1:]]):
        if name in ("--exclude", "--exclude-dir") or value[:1] == "!":
            out.append(value.removeprefix("!").rstrip("/"))
        elif name in ("--include", "-g", "--glob", "--iglob"):
            only.append(value)
    plain = [glob for glob in only if "/" not in glob and not set(glob) & set("{[\\")]
    return Limits(
        tuple(plain) if len(plain) == len(only) else (), tuple(g for g in out if "/" not in g)
    )


def _valued(words: list[str]) -> "Iterator[tuple[str, str]]":
    """Each option that names files, with its value."""
    known = ("--include", "--exclude", "--exclude-dir", "-g", "--glob", "--iglob")
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals and name in known:
            yield name, value
        elif word in known and at + 1 < len(words):
            yield word, words[at + 1]


def _printed(steps: "Sequence[ExpandedOperation]", name: str) -> "Feed | None":
    """What the one command of this name in the request prints."""
    found = [step for step in steps if _runs(step, name)]
    if len(found) != 1:
        return None
    from execpolicy.engine.paths.feeds.producers import printed

    operation, reading = found[0].operation, found[0].reading
    if not isinstance(operation, Exec) or reading is None:
        return None
    return printed(operation.argv, reading)


def _passes(steps: "Sequence[ExpandedOperation]", name: str) -> bool:
    """Whether each program of this name prints lines of its input."""
    readings = [step.reading for step in steps if _runs(step, name)]
    return bool(readings) and all(r is not None and r.prints == "input" for r in readings)


def _runs(step: "ExpandedOperation", name: str) -> bool:
    return isinstance(step.operation, Exec) and step.operation.argv[0] == name


def _is_redirected(operation: Exec) -> bool:
    """Whether its words or input come from elsewhere than the pipeline: `xargs -a FILE`."""
    return operation.stdin is not None or any(
        isinstance(word, str) and word.startswith(("-a", "--arg-file")) for word in operation.argv
    )


def _fits(glob: str, name: str) -> bool:
    from execpolicy.support.path_match import name_fits

    return name_fits(glob.lower(), name)
