"""Where the paths come from that one command hands to another."""

from execpolicy.model.operation import Access, Dynamic, Exec, Word
from execpolicy.shell.analysis.pipelines import IGNORE_INPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.engine.paths.feeds.producers import Feed
    from execpolicy.engine.unwrap import ExpandedOperation

    Steps = Sequence[ExpandedOperation]

_LINE_MARKS = ("\n", "\\n")
_LEAVE_LINES = IGNORE_INPUT | {"cd"}
"""Commands that leave to the others what comes through the pipeline."""


def feed_of(steps: "Steps", number: int, word: Dynamic) -> "Feed | None":
    """The feed of a computed path, where that is known.

    It is the pipeline that prints the word, the `find` that runs the command, or what comes to it
    through `xargs`, with nothing in a pipeline but what passes lines on. The word is all of what
    is printed there and nothing more: `i{}` is another path.
    """
    if word.fed_by:
        return _of_pipeline(steps, word.fed_by[0], word.fed_by[1:], by_zeros=False)
    outer = steps[number].outer
    around = steps[outer].operation if outer is not None else None
    if outer is None or not isinstance(around, Exec):
        return None
    if around.argv[0] == "find" and word.source == "{}":
        from execpolicy.engine.paths.feeds.producers import of_find

        found = of_find(around.argv)
        return found and found.replace(step=outer)
    if around.argv[0] in ("fd", "fdfind") and word.source in ("{}", "…"):
        from execpolicy.engine.paths.feeds.producers import of_fd

        found = of_fd(around.argv)
        return found and found.replace(step=outer)
    if around.argv[0] != "xargs" or not around.fed_by or word.source != "…" or word.prefix:
        return None
    by_zeros = _separated_by_zeros(around.argv)
    if by_zeros is None or not _is_undisturbed(steps, outer):
        return None
    return _of_pipeline(steps, around.fed_by[0], around.fed_by[1:], by_zeros=by_zeros)


def _of_pipeline(
    steps: "Steps", first: str, filters: "Sequence[str]", *, by_zeros: bool
) -> "Feed | None":
    """What a pipeline prints, if what takes it tells the names apart as they are printed.

    A shell leaves out the zero bytes between them, which makes others of their ends and beginnings.
    """
    if not all(_passes(steps, name) for name in filters):
        return None
    found = _printed(steps, first)
    return found if found is not None and found.by_zeros == by_zeros else None


def _printed(steps: "Steps", name: str) -> "Feed | None":
    """What the one command of this name in the request prints."""
    found = [number for number, step in enumerate(steps) if _runs(step, name)]
    if len(found) != 1:
        return None
    from execpolicy.engine.paths.feeds.producers import printed

    operation, reading = steps[found[0]].operation, steps[found[0]].reading
    if not isinstance(operation, Exec) or reading is None:
        return None
    feed = printed(operation.argv, reading)
    return feed and feed.replace(step=found[0])


def _passes(steps: "Steps", name: str) -> bool:
    """Whether each program of this name prints lines of its input."""
    readings = [step.reading for step in steps if _runs(step, name)]
    return bool(readings) and all(r is not None and r.prints == "input" for r in readings)


def _runs(step: "ExpandedOperation", name: str) -> bool:
    return isinstance(step.operation, Exec) and step.operation.argv[0] == name


# --- xargs ----------------------------------------------------------------------------------------


def _separated_by_zeros(argv: tuple[Word, ...]) -> bool | None:
    """Whether `xargs` takes its words apart at zero bytes; None where it may do that elsewhere, or
    take them from a file (xargs(1))."""
    zeros, at = False, 1
    while at < len(argv):
        word = argv[at]
        if not isinstance(word, str):
            return None
        if word[:1] != "-" or word in ("-", "--"):
            break
        if word[:2] == "--":
            name, _, value = word.partition("=")
            if name not in _LONG or (name in _VALUED and not value):
                return None
            zeros |= name == "--null"
        else:
            known = _letters(word[1:], argv[at + 1] if at + 1 < len(argv) else "")
            if known is None:
                return None
            zeros |= "0" in known
            at += known.endswith("+")
        at += 1
    return zeros


_VALUED = frozenset(("--max-args", "--max-lines", "--max-procs"))
_LONG = _VALUED | {"--null", "--no-run-if-empty", "--verbose", "--exit"}


def _letters(bundle: str, following: Word) -> str | None:
    """The flags of a bundle, with `+` at the end where the next word is a value; None where one is
    not known."""
    flags = ""
    for at, letter in enumerate(bundle):
        if letter in "0rtx":
            flags += letter
            continue
        value = bundle[at + 1 :] or following
        if letter not in "nLPId" or (letter == "d" and value not in _LINE_MARKS):
            return None
        return flags if bundle[at + 1 :] else flags + "+"
    return flags


def _is_undisturbed(steps: "Steps", outer: int) -> bool:
    """Whether `xargs` gets all that the pipeline prints, and nothing else.

    Another command of the same place may take a part of it: the rest begins within a line.
    """
    around = steps[outer].operation
    if not isinstance(around, Exec) or around.stdin is not None:
        return False
    for number, step in enumerate(steps):
        each = step.operation
        if isinstance(each, Access) and each.mode == "read":
            return False
        if not isinstance(each, Exec) or each.fed_by != around.fed_by:
            continue
        if not (_is_within(steps, number, outer) or each.argv[0] in _LEAVE_LINES):
            return False
    first = next((n for n, step in enumerate(steps) if _runs(step, around.fed_by[0])), 0)
    return not any(step.position.mixed for step in steps[first:outer])


def _is_within(steps: "Steps", number: int, outer: int) -> bool:
    """Whether a step is another one, or what that one runs."""
    at: int | None = number
    while at is not None and at != outer:
        at = steps[at].outer
    return at == outer
