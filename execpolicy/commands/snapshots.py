"""The snapshot before a call, and what is told of it afterwards."""

import os

from execpolicy.commands.exit_codes import say
from execpolicy.model.errors import printable
from execpolicy.places import root as roots
from execpolicy.store.sources import own, settings
from execpolicy.support.record import Value
from execpolicy.support.redact import redacted
from execpolicy.undo.store import Limits, RecordedCall, Store, Taken, UndoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.walls import Mount
    from execpolicy.store.snapshot import Snapshot

SECONDS = 20.0
"""How long a run waits for a snapshot that it may do without."""
MAX_COMMAND = 500


class Snapped(Value):
    """What came of it: the snapshot, or `why` there is none."""

    store: Store | None = None
    taken: Taken | None = None
    why: str = ""

    @property
    def whole(self) -> bool:
        """Whether all of the project is held."""
        return self.taken is not None and self.taken.manifest.whole

    @property
    def number(self) -> int:
        """The number of the snapshot; 0 where there is none."""
        return self.taken.manifest.number if self.taken else 0


def store_of(cwd: str) -> Store | None:
    """The store of the project that a directory lies in; None where it lies in none."""
    found = roots.of(None, cwd)
    return stored(found.path) if found is not None and found.project else None


def stored(root: str) -> Store:
    """The store of the project at a real path, by the settings."""
    wanted = settings.load()
    return Store(root, Limits(wanted.undo_bytes, wanted.undo_days))


def before(
    root: str,
    call: RecordedCall,
    is_generated: "Callable[[str], bool] | None" = None,
    seconds: float = SECONDS,
) -> Snapped:
    """Take the snapshot of a project before a call that may change it.

    Never raises: what goes wrong is in `why`. Nothing is tried where the user does not want it.
    """
    if not settings.load().undo:
        return Snapped(why="the setting `undo` is off")
    store = stored(root)
    known = store.refused()
    try:
        if store.pending() is not None:
            from execpolicy.undo.restore import finish

            finish(store)
        limit = 0.0 if call.needed else seconds
        taken = store.take(call, is_generated, own.kept(), seconds=limit)
    except (UndoError, OSError) as error:
        if not known:
            say(f"{printable(str(error), 300)}: this call cannot be undone")
        return Snapped(why=str(error))
    left = taken.manifest.unheld
    why = f"a snapshot cannot hold `{printable(left[0], 100)}`" if left else ""
    return Snapped(store, taken, why)


def of_run(cwd: str | None, call: RecordedCall, snapshot: "Snapshot") -> Snapped:
    """The snapshot of the project of a directory, before a run that may change it."""
    found = roots.of(None, cwd)
    if found is None or not found.project:
        return Snapped(why="it is no project" if call.needed else "")
    return before(found.path, call, generated(snapshot, found.path))


def unheld(verdict: "Verdict", mounts: "Iterable[Mount]", snapped: Snapped) -> str:
    """Why what passes for its snapshot alone has to be asked about; empty where that holds all."""
    why = snapped.why or writes_elsewhere(mounts, snapped)
    if snapped.whole and not why:
        return ""
    destroys = next(match.sentence for match in verdict.matches if match.undo)
    return f"{destroys}, and cannot be undone: {why or 'there is no snapshot'}"


def call_of(words: "Iterable[str]", text: str | None, cwd: str, session: str) -> RecordedCall:
    """What is noted of a call. Secrets are left out, as in the log."""
    from execpolicy.commands.ancestors import agent_name
    from execpolicy.support.redact import joined

    shown = redacted(text) if text is not None else joined(tuple(words))
    return RecordedCall(shown[:MAX_COMMAND], cwd, agent_name(), session)


def generated(snapshot: "Snapshot", root: str) -> "Callable[[str], bool]":
    """Whether a build makes a directory again: by its name, and git tracks nothing in it."""
    from execpolicy.places.disk import Disk

    bases, disk = snapshot.policy.places.bases, Disk()

    def is_generated(path: str) -> bool:
        found = bases.generated(path, root)
        return found is not None and found[0] == path and not disk.tracks(path)

    return is_generated


def writes_elsewhere(mounts: "Iterable[Mount]", snapped: Snapped) -> str:
    """That a run may write to what the snapshot does not hold; empty where it may not."""
    from execpolicy.sandbox.walls import Wall
    from execpolicy.support.path_match import below

    every = (m.path for m in mounts if m.wall is Wall.WRITE and os.path.isdir(m.path))
    root = snapped.store.root if snapped.store else "/"
    found = next((path for path in every if not below(path, root)), "")
    return f"a snapshot does not hold `{printable(found, 100)}`" if found else ""


def after(snapped: Snapped) -> None:
    """Note that a call is over, and say which number brings back what it removed."""
    store, taken = snapped.store, snapped.taken
    if store is None or taken is None:
        return
    try:
        store.end(taken.manifest)
    except OSError as error:
        say(f"the end of the call cannot be noted: {(error.strerror or str(error)).lower()}")
    from execpolicy.undo.scan import removed

    count = removed(store.root, taken.scan.found)
    if count:
        from execpolicy.commands.arguments import counted

        noun, verb = counted(count, "file"), "was" if count == 1 else "were"
        say(f"{noun} {verb} removed: `execpolicy undo {snapped.number}` brings back what was")
        _log(snapped, count)


def _log(snapped: Snapped, count: int) -> None:
    wanted = settings.load()
    if not wanted.audit or snapped.taken is None:
        return
    from execpolicy.engine.audit import log_path
    from execpolicy.store import log_file
    from execpolicy.support.json_encode import encode

    call = snapped.taken.manifest.call
    line: dict[str, object] = {"undo": snapped.number, "removed": count, "agent": call.agent}
    if wanted.audit_commands:
        line["command"] = call.command
    try:
        log_file.record(log_path(), encode(line), wanted.audit_bytes)
    except OSError as error:
        log_file.warn(log_path(), error)
