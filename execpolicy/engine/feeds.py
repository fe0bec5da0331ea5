"""Which names of files come to a command from the `find` before it."""

from execpolicy.operation import Exec, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.engine.expand import Step

_NAMES = ("-name", "-iname")
_OTHERS = frozenset(("-o", "-or", "!", "-not", ",", "(", ")", "-follow", "-L"))
"""With one of these, what follows a name may be found without it."""


def globs(steps: "Sequence[Step]", number: int) -> tuple[str, ...]:
    """Globs of which each name fits all that the computed paths of a step end with.

    They are those of the `find` that runs the command (`-exec`), or whose output comes to it
    through `xargs`, with nothing in the pipeline but what passes lines on.
    """
    outer = steps[number].outer
    around = steps[outer].operation if outer is not None else None
    if not isinstance(around, Exec):
        return ()
    if around.argv[0] == "find":
        return _of(around.argv)
    if around.argv[0] != "xargs" or not around.fed_by:
        return ()
    first, *filters = around.fed_by
    found = [step for step in steps if _runs(step, "find")]
    passing = all(_passes(steps, name) for name in filters)
    if first != "find" or len(found) != 1 or not passing or _is_redirected(around):
        return ()
    operation = found[0].operation
    return _of(operation.argv) if isinstance(operation, Exec) else ()


def _of(argv: tuple[Word, ...]) -> tuple[str, ...]:
    """The globs that every path must fit which this `find` names."""
    if not _OTHERS.isdisjoint(word for word in argv if isinstance(word, str)):
        return ()
    found = (argv[at + 1] for at, word in enumerate(argv[:-1]) if word in _NAMES)
    return tuple(glob for glob in found if isinstance(glob, str))


def _passes(steps: "Sequence[Step]", name: Word) -> bool:
    """Whether each program of this name prints lines of its input."""
    readings = [step.reading for step in steps if _runs(step, name)]
    return bool(readings) and all(r is not None and r.prints == "input" for r in readings)


def _runs(step: "Step", name: Word) -> bool:
    return isinstance(step.operation, Exec) and step.operation.argv[0] == name


def _is_redirected(operation: Exec) -> bool:
    """Whether its words or input come from elsewhere than the pipeline: `xargs -a FILE`."""
    return operation.stdin is not None or any(
        isinstance(word, str) and word.startswith(("-a", "--arg-file")) for word in operation.argv
    )
