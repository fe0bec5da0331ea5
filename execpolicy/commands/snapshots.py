"""The snapshot before a call, and what is told of it afterwards."""

import os

from execpolicy.commands.exit_codes import say
from execpolicy.model.errors import printable
from execpolicy.model.rule import GENERATED
from execpolicy.places import root as roots
from execpolicy.store.sources import own, settings
from execpolicy.support.path_match import below
from execpolicy.support.record import Value
from execpolicy.support.redact import joined, redacted
from execpolicy.undo.store import Limits, RecordedCall, Store, Taken, UndoError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from execpolicy.model.verdict import Verdict
    from execpolicy.sandbox.walls import Mount
    from execpolicy.store.snapshot import Snapshot
    from execpolicy.wrap.kept.keeper import SnapshotKeeper
    from execpolicy.wrap.namespaces import Namespaces

SECONDS = 20.0
"""How long a run waits for a snapshot that it may do without."""
MAX_COMMAND = 500


class Snapped(Value):
    """What came of it: the snapshot of the project at `root`, its number, 0 where there is none,
    whether it holds all, and `why` not. `end` notes that the call is over, and says how many files
    it removed; it raises `OSError`. `taken` is the snapshot if this process took it."""

    root: str = "/"
    call: RecordedCall | None = None
    number: int = 0
    whole: bool = False
    why: str = ""
    end: "Callable[[], int] | None" = None
    taken: Taken | None = None

    def links(self) -> "Mapping[str, tuple[object, ...]]":
        """The files with several names in each directory that was looked at for it."""
        return {} if self.taken is None else self.taken.scan.links()

    def forget(self) -> None:
        """Take it back: nothing was done after it."""
        if self.taken is not None:
            stored(self.root).forget(self.taken.manifest)


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
    seconds: float | None = None,
) -> Snapped:
    """Take the snapshot of a project before a call that may change it.

    It may take `seconds`; else `SECONDS`, and as long as it takes where the call needs it. Never
    raises: what goes wrong is in `why`. Nothing is tried where the user does not want it.
    """
    if not settings.load().undo:
        return Snapped(why="the setting `undo` is off")
    store = stored(root)
    found, why, said = taken(store, call, is_generated, seconds)
    if said:
        say(said)
    if found is None:
        return Snapped(why=why)
    manifest = found.manifest

    def end() -> int:
        from execpolicy.undo.removed import removed

        store.end(manifest)
        return removed(root, found.scan.found)

    return Snapped(root, call, manifest.number, manifest.whole, why, end, found)


def taken(
    store: Store,
    call: RecordedCall,
    is_generated: "Callable[[str], bool] | None" = None,
    seconds: float | None = None,
) -> tuple[Taken | None, str, str]:
    """The snapshot, why there is none or not a whole one, and what is to be told of that."""
    known = store.refused()
    try:
        if store.pending() is not None:
            from execpolicy.undo.restore import finish

            finish(store)
        limit = (0.0 if call.needed else SECONDS) if seconds is None else seconds
        found = store.take(call, is_generated, own.kept(), seconds=limit)
    except (UndoError, OSError) as error:
        if call.full and not call.needed:
            return taken(store, call.replace(full=False), is_generated, seconds)
        said = f"{printable(str(error), 300)}: this call cannot be undone"
        return None, str(error), "" if known else said
    left = found.manifest.unheld
    return found, f"a snapshot cannot hold `{printable(left[0], 100)}`" if left else "", ""


def keeper(root: str, snapshot: "Snapshot", namespaces: "Namespaces") -> "SnapshotKeeper | None":
    """The process that takes the snapshots of a session; None where nothing is to be kept."""
    found = roots.of(None, root)
    if found is None or not found.project or not settings.load().undo:
        return None
    from execpolicy.wrap.kept.keeper import start

    is_generated = generated(snapshot, found.path)
    return start(stored(found.path), namespaces, lambda s, call: taken(s, call, is_generated))


def kept(keeper: "SnapshotKeeper", call: RecordedCall) -> Snapped:
    """The snapshot that a keeper takes. Raises `OSError` where it does not answer."""
    one = keeper.take(call)
    if one.said:
        say(one.said)
    return Snapped(keeper.root, call, one.number, one.whole, one.why, one.end)


def of_run(cwd: str | None, call: RecordedCall, snapshot: "Snapshot") -> Snapped:
    """The snapshot of the project of a directory, before a run that may change it."""
    found = roots.of(None, cwd)
    if found is None or not found.project:
        return Snapped(why="it is not a project" if call.needed else "")
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

    shown = redacted(text) if text is not None else joined(tuple(words))
    return RecordedCall(shown[:MAX_COMMAND], cwd, agent_name(), session)


def names_generated(verdict: "Verdict") -> bool:
    """Whether a call removes what a build makes again, and names it."""
    return any(
        "destroy" in match.effects and GENERATED in match.places for match in verdict.matches
    )


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

    every = (m.path for m in mounts if m.wall is Wall.WRITE and os.path.isdir(m.path))
    found = next((path for path in every if not below(path, snapped.root)), "")
    return f"a snapshot does not hold `{printable(found, 100)}`" if found else ""


def after(snapped: Snapped) -> None:
    """Note that a call is over, and say which number brings back what it removed."""
    if snapped.end is None:
        return
    try:
        count = snapped.end()
    except OSError as error:
        say(f"the end of the call cannot be noted: {(error.strerror or str(error)).lower()}")
        return
    if count:
        from execpolicy.commands.arguments import counted

        noun, verb = counted(count, "file"), "was" if count == 1 else "were"
        say(f"{noun} {verb} removed: `execpolicy undo {snapped.number}` brings back what was")
        _log(snapped, count)


def _log(snapped: Snapped, count: int) -> None:
    if snapped.call is None:
        return
    from execpolicy.engine.audit import note

    wanted, call = settings.load(), snapped.call
    line: dict[str, object] = {"undo": snapped.number, "removed": count, "agent": call.agent}
    if wanted.audit_commands:
        line["command"] = call.command
    note(line, wanted)
