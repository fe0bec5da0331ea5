"""Where the paths come from that one command hands to another."""

from execpolicy.model.operation import Access, Dynamic, Exec
from execpolicy.shell.analysis.pipelines import IGNORE_INPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.catalogue import Reading
    from execpolicy.engine.paths.feeds.producers import Feed
    from execpolicy.engine.unwrap import ExpandedOperation
    from execpolicy.model.operation import Word

    Steps = Sequence[ExpandedOperation]

_LINE_MARKS = frozenset(("\n", "\\n"))


def feed_of(steps: "Steps", number: int, word: Dynamic) -> "Feed | None":
    """The feed of a computed path, where that is known.

    It is the pipeline that prints the word, the `find` that runs the command, or what comes to it
    through `xargs`, with nothing in a pipeline but what passes lines on. The word is all of what
    is printed there and nothing more: `i{}` is another path.
    """
    if word.fed_by:
        return _of_pipeline(steps, word.fed_by[0], word.fed_by[1:], by_zeros=False)
    outer = steps[number].outer
    if outer is None or word.source not in ("{}", "…"):
        return None
    around, reading = steps[outer].operation, steps[outer].reading
    if not isinstance(around, Exec) or reading is None:
        return None
    from execpolicy.engine.paths.feeds.producers import known, of_fd, of_find

    sort = known(reading)
    if "found" in sort and word.source == "{}":
        found = of_find(around.argv, reading)
        return found and found.replace(step=outer)
    if "visible" in sort and "named" not in sort:
        found = of_fd(reading)
        return found and found.replace(step=outer)
    if "takes" not in sort or not around.fed_by or word.source != "…" or word.prefix:
        return None
    by_zeros = _separated_by_zeros(reading)
    if by_zeros is None or not _is_undisturbed(steps, outer):
        return None
    return _of_pipeline(steps, around.fed_by[0], around.fed_by[1:], by_zeros=by_zeros)


def emptied(steps: "Steps", number: int, word: Dynamic) -> "tuple[Word, ...]":
    """The directories of which every file is named by a computed path, or what names each: nothing
    filters them."""
    from execpolicy.engine.paths.feeds.producers import LISTS, as_given

    outer = steps[number].outer
    around = None if outer is None else steps[outer].operation
    fed_by = word.fed_by or (around.fed_by if isinstance(around, Exec) else ())
    feed = feed_of(steps, number, word)
    if len(fed_by) > 1:
        return ()
    if feed is None or feed.extent == "listed":
        at = _only(steps, fed_by[0]) if fed_by and _is_all(steps, number, word) else None
        reading = None if at is None else steps[at].reading
        return () if reading is None else as_given(reading)
    reading = steps[feed.step].reading
    if reading is None or feed.extent not in ("tree", "visible"):
        return ()
    names = {given.name for given in reading.options}
    return feed.starts if names <= LISTS["whole"] and not feed.globs else ()


def _is_all(steps: "Steps", number: int, word: Dynamic) -> bool:
    """Whether a word stands for each of the words that are printed, and nothing more."""
    outer = steps[number].outer
    if word.fed_by or outer is None:
        return bool(word.fed_by)
    from execpolicy.engine.paths.feeds.producers import known

    reading = steps[outer].reading
    takes = reading is not None and "takes" in known(reading)
    return takes and word.source in ("{}", "…") and not word.prefix


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
    at = _only(steps, name)
    operation, reading = (None, None) if at is None else (steps[at].operation, steps[at].reading)
    if at is None or not isinstance(operation, Exec) or reading is None:
        return None
    from execpolicy.engine.paths.feeds.producers import printed

    feed = printed(operation.argv, reading)
    return feed and feed.replace(step=at)


def _only(steps: "Steps", name: str) -> int | None:
    """The number of the one command of this name in the request."""
    found = [number for number, step in enumerate(steps) if _runs(step, name)]
    return found[0] if len(found) == 1 else None


def _passes(steps: "Steps", name: str) -> bool:
    """Whether each program of this name prints lines of its input."""
    readings = [step.reading for step in steps if _runs(step, name)]
    return bool(readings) and all(r is not None and r.prints == "input" for r in readings)


def _runs(step: "ExpandedOperation", name: str) -> bool:
    return isinstance(step.operation, Exec) and step.operation.argv[0] == name


# --- xargs ----------------------------------------------------------------------------------------


def _separated_by_zeros(reading: "Reading") -> bool | None:
    """Whether `xargs` takes its words apart at zero bytes; None where it may do that elsewhere, or
    take them from a file (xargs(1))."""
    from execpolicy.engine.paths.feeds.producers import LISTS

    names = {given.name for given in reading.options}
    marks = (g.values[0] for g in reading.options if g.name == "-d")
    if not names <= LISTS["xargs"] or not _LINE_MARKS.issuperset(marks):
        return None
    return not names.isdisjoint(LISTS["zeros"])


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
        if not (_is_within(steps, number, outer) or each.argv[0] in IGNORE_INPUT):
            return False
    first = next((n for n, step in enumerate(steps) if _runs(step, around.fed_by[0])), 0)
    return not any(step.position.mixed for step in steps[first:outer])


def _is_within(steps: "Steps", number: int, outer: int) -> bool:
    """Whether a step is another one, or what that one runs."""
    at: int | None = number
    while at is not None and at != outer:
        at = steps[at].outer
    return at == outer
