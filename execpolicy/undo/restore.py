"""Takes back what a call did: which paths, what is in the way of it, and then the doing.

An undo takes a snapshot of its own before, and writes down what it is about to do. One that is
ended in its midst is finished by the next process that uses the store.
"""

import os
import re
import stat
from _collections_abc import Iterable, Iterator, Sequence
from collections import Counter

from execpolicy.support.record import Value
from execpolicy.undo.compare import Change, at, changes
from execpolicy.undo.disk import Disk
from execpolicy.undo.entry import DIRECTORY, FILE, INODE, SPECIAL, Entry, is_same
from execpolicy.undo.objects import LostError
from execpolicy.undo.store import Manifest, RecordedCall, Store, UndoError

_OBJECT = re.compile(
    r"(?:^|/)objects(?:/[0-9a-f]{2}(?:/[0-9a-f]{38}(?:[0-9a-f]{24})?)?|/pack(?:/pack-[0-9a-f]+\.\w+)?)$"
)
"""Objects of git, which are named by their content (gitrepository-layout(5)): a later one is in
no file's way, and an undo of the undo needs it."""


class Step(Value):
    """What an undo does at a path: what stood there before the call, and what stands there now."""

    path: str
    wanted: Entry | None
    now: Entry | None

    @property
    def word(self) -> str:
        """What it does, as the user reads it."""
        if self.wanted is None:
            return "remove"
        return "bring back" if self.now is None else "change back"


class Plan(Value):
    """An undo: of which call, its own snapshot, what it does, and what it leaves.

    `changed` are the steps at paths that were changed after the call: they are done where the user
    says so. `impossible` are paths of which nothing is known any more, with the reason.
    """

    of: Manifest
    own: Manifest
    steps: tuple[Step, ...]
    changed: tuple[Step, ...] = ()
    impossible: tuple[tuple[str, str], ...] = ()


def after(store: Store, number: int, now: Manifest) -> Manifest:
    """The snapshot that shows what a call left: the next one."""
    later = [one for one in store.numbers() if one > number]
    return store.manifest(later[0]) if later and later[0] != now.number else now


def done(store: Store, number: int, now: Manifest) -> list[Change]:
    """What a call did, as far as it is known. Raises `UndoError`, `LostError`."""
    before = store.manifest(number)
    next_one = after(store, number, now)
    return changes(store, before.root, next_one.root, now.root, store.ended(number))


def plan(store: Store, number: int, now: Manifest, only: Sequence[str] = ()) -> Plan:
    """What an undo of a call does. `now` is its own snapshot, `only` are paths below the root.

    Raises `UndoError`, and `LostError` where the store is damaged.
    """
    before = store.manifest(number)
    steps: list[Step] = []
    changed: list[Step] = []
    impossible = []
    ended = store.ended(number)
    for change in done(store, number, now):
        if only and not any(_is_below(change.path, path) for path in only):
            continue
        current = at(store, now.root, change.path)
        if is_same(current, change.before) or _stays(store, before, change):
            continue
        step = Step(change.path, change.before, current)
        if (
            change.before is not None
            and change.before[0] == SPECIAL
            and not _is_pipe(change.before)
        ):
            impossible.append((change.path, "sockets and devices are not made again"))
        elif change.late or not is_same(current, change.after) or _is_open(change, ended):
            changed.append(step)
        else:
            steps.append(step)
    return Plan(before, now, tuple(steps), tuple(changed), tuple(impossible))


def _is_open(change: Change, ended: int | None) -> bool:
    """Whether it is not known who changed a file: the call was killed, and its end was not seen."""
    return ended is None and change.after is not None and not change.is_directory


def _is_pipe(one: Entry) -> bool:
    return one[1] == stat.S_IFIFO


def _is_below(path: str, above: str) -> bool:
    return not above or path == above or path.startswith(f"{above}/")


def _stays(store: Store, before: Manifest, change: Change) -> bool:
    """Whether it is an object that the call added to a repository that was there before."""
    found = _OBJECT.search(change.path) if change.before is None else None
    if found is None:
        return False
    head = f"{change.path[: found.start()]}/HEAD".lstrip("/")
    return at(store, before.root, head) is not None


def undo(store: Store, planned: Plan) -> list[tuple[str, str]]:
    """Do the steps of a plan; the paths that were left, each with the reason.

    Raises `UndoError` where nothing was done: the store cannot be written.
    """
    try:
        with store.locked():
            steps = [(one.path, one.wanted, one.now) for one in planned.steps]
            store.promise((planned.own.number, steps))
            left = _apply(store, planned.steps)
            store.end(planned.own)
            store.promise(None)
    except OSError as error:
        raise UndoError(
            f"it cannot be written down: {(error.strerror or str(error)).lower()}"
        ) from error
    return left


def finish(store: Store) -> list[tuple[str, str]]:
    """Do what an undo that was ended in its midst had yet to do; the paths that were left."""
    if store.pending() is None:
        return []
    with store.locked():
        found = store.pending()
        try:
            number, given = found  # type: ignore[misc]
            steps = tuple(Step(*one) for one in given)  # type: ignore[has-type]
            own = store.manifest(number)  # type: ignore[has-type]
        except (TypeError, ValueError, UndoError):
            store.promise(None)
            return []
        left = _apply(store, steps)
        store.end(own)
        store.promise(None)
    return left


def _apply(store: Store, steps: "Sequence[Step]") -> list[tuple[str, str]]:
    """Do the steps, those first that make room. What another process changed meanwhile is left."""
    files = [int(one.now[INODE]) for one in steps if one.now is not None and one.now[0] == FILE]
    disk = Disk(store.root, {inode for inode, names in Counter(files).items() if names > 1})
    above = {os.path.dirname(one.path) for one in steps}
    for path in above:
        disk.sweep(path)
    modes: dict[str, Entry] = {}
    for path in sorted(above):
        modes.update((path, before) for before in disk.open_up(path))
    left = [*_removed(disk, steps), *_made(disk, store, steps)]
    modes.update({s.path: s.wanted for s in steps if s.wanted and s.wanted[0] == DIRECTORY})
    for path in sorted(modes, reverse=True):
        try:
            disk.set_mode(path, modes[path])
        except OSError:  # it is not there: what was to be brought back is told already
            continue
    return left


def _removed(disk: Disk, steps: "Iterable[Step]") -> Iterator[tuple[str, str]]:
    """Remove what was made, the deepest first."""
    for one in sorted(steps, key=lambda step: step.path, reverse=True):
        gives_way = one.now is not None and one.now[0] == DIRECTORY
        if one.wanted is not None and not (gives_way and one.wanted[0] != DIRECTORY):
            continue
        why = _removal(disk, one)
        if why:
            yield one.path, why


def _removal(disk: Disk, one: Step) -> str:
    if disk.is_now(one.path, None):
        return ""
    if not disk.is_now(one.path, one.now):
        return CHANGED
    try:
        disk.remove(one.path)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


CHANGED = "it was changed meanwhile"


def _made(disk: Disk, store: Store, steps: "Iterable[Step]") -> Iterator[tuple[str, str]]:
    """Bring back what was removed or changed, each directory before what lies in it."""
    for one in sorted(steps, key=lambda step: step.path):
        if one.wanted is None:
            continue
        gave_way = one.now is not None and one.now[0] == DIRECTORY and one.wanted[0] != DIRECTORY
        expected = None if gave_way else one.now
        try:
            if one.wanted[0] == DIRECTORY:
                if one.now is None or one.now[0] != DIRECTORY:
                    yield from _directory(disk, one)
            elif disk.is_now(one.path, expected):
                if not disk.put(one.path, one.wanted, expected, store.objects.parts):
                    yield one.path, CHANGED
            elif not disk.holds(one.path, one.wanted):  # an undo that was ended brought it back
                yield one.path, CHANGED
        except LostError as error:
            yield one.path, str(error)
        except OSError as error:
            yield one.path, (error.strerror or str(error)).lower()


def _directory(disk: Disk, one: Step) -> Iterator[tuple[str, str]]:
    """Make a directory in the place of a file that the call made, or of nothing."""
    if disk.is_now(one.path, one.now):
        disk.make_directory(one.path)
    elif not disk.is_directory(one.path):
        yield one.path, CHANGED


def taken(
    store: Store,
    number: int,
    call: RecordedCall,
    *,
    only: Sequence[str] = (),
    own: tuple[str, ...] = (),
) -> Plan:
    """The plan of an undo, with a snapshot of its own. Raises `UndoError`."""
    finish(store)
    found = store.take(call.replace(undoes=number, part=bool(only)), None, own, full=True)
    try:
        return plan(store, number, found.manifest, only)
    except LostError as error:
        raise UndoError(str(error)) from error


def candidates(store: Store, session: str | None = None) -> list[int]:
    """The numbers of calls that may have changed something and were not taken back, the last first;
    of one session if that is given."""
    back, found, later = taken_back(store), [], None
    for one in reversed([*store.manifests()]):
        mine = session is None or one.call.session == session
        did = later is None or later.root != one.root
        if mine and did and not one.call.undoes and one.number not in back:
            found.append(one.number)
        later = one
    return found


def taken_back(store: Store) -> set[int]:
    """The numbers of what was taken back, and not brought again by an undo of the undo."""
    back: set[int] = set()
    for one in reversed([*store.manifests()]):
        undoes = one.call.undoes
        if undoes and one.number not in back and store.ended(one.number) and not one.call.part:
            back.add(undoes)
    return back
