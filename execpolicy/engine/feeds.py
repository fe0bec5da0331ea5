"""Where the paths come from that `find` and `ls` hand to a command."""

from execpolicy.operation import Exec, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.engine.expand import Step

    Found = tuple[tuple[Word, ...], tuple[str, ...]]

_NAMES = ("-name", "-iname")
_OTHERS = frozenset(("-o", "-or", "!", "-not", ",", "(", ")"))
"""With one of these, what follows a name may be found without it."""
_NOTHING: "Found" = ((), ())


def found_by(steps: "Sequence[Step]", number: int) -> "Found":
    """The directories that a search begins in, and globs that each name it finds fits.

    The search is that of the `find` which runs the command (`-exec`), or whose output comes to it
    through `xargs`, with nothing in the pipeline but what passes lines on. Nothing else is known.
    """
    outer = steps[number].outer
    around = steps[outer].operation if outer is not None else None
    if not isinstance(around, Exec):
        return _NOTHING
    if around.argv[0] == "find":
        return _of_find(around.argv)
    if around.argv[0] != "xargs" or not around.fed_by or _is_redirected(around):
        return _NOTHING
    first, *filters = around.fed_by
    found = [s.operation for s in steps if _runs(s, first) and isinstance(s.operation, Exec)]
    if len(found) != 1 or not all(_passes(steps, name) for name in filters):
        return _NOTHING
    if first == "find":
        return _of_find(found[0].argv)
    return _of_list(found[0].argv) if first == "ls" else _NOTHING


def _of_find(argv: tuple[Word, ...]) -> "Found":
    end = next((at for at, w in enumerate(argv) if at and _is_expression(w)), len(argv))
    starts = tuple(w for w in argv[1:end] if w not in ("-H", "-L", "-P")) or (".",)
    if not _OTHERS.isdisjoint(word for word in argv if isinstance(word, str)):
        return starts, ()
    named = (argv[at + 1] for at, word in enumerate(argv[:-1]) if word in _NAMES)
    return starts, tuple(glob for glob in named if isinstance(glob, str))


def _is_expression(word: Word) -> bool:
    return isinstance(word, str) and word[:1] in ("-", "(", "!") and word not in ("-H", "-L", "-P")


def _of_list(argv: tuple[Word, ...]) -> "Found":
    """What `ls *.py` prints: names that fit the one glob, which is in no other directory."""
    words = [word for word in argv[1:] if not isinstance(word, str) or word[:1] != "-"]
    source = "" if len(words) != 1 or isinstance(words[0], str) else words[0].source
    if not source or set(source) & set("$`{/~'\"\\[") or len(argv) != 2:
        return _NOTHING
    return (".",), (source,)


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
