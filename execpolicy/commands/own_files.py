"""What a session itself made may be removed by it: a verdict that asks for nothing but that."""

from execpolicy.places.disk import Disk
from execpolicy.undo.made import SessionFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.engine.engine import Approvals
    from execpolicy.model.operation import Request
    from execpolicy.model.verdict import Verdict
    from execpolicy.places.resolver import Resolver
    from execpolicy.store.snapshot import Snapshot
    from execpolicy.support.disk.repository import Files


class OwnFilesDisk(Disk):
    """This machine, to which the files of a session are as good as unchanged."""

    __slots__ = ("_files", "found")

    def __init__(self, files: SessionFiles) -> None:
        super().__init__()
        self._files, self.found = files, False

    def unchanged(self, path: str, files: "Files | None" = None) -> bool:
        """Whether git has the content of a file, or the session made it."""
        if super().unchanged(path, files):
            return True
        own = self._files.has(path)
        self.found |= own
        return own


def settled(session: "Callable[[], str]") -> "Approvals":
    """What an engine is given, so that a session may remove what it made; its name is asked for
    where something would be removed."""

    def lowered(
        request: "Request", verdict: "Verdict", snapshot: "Snapshot", resolver: "Resolver"
    ) -> "Verdict":
        if not any("destroy" in match.effects for match in verdict.matches):
            return verdict
        root = resolver.root(request.root, request.cwd)
        if root is None or not root.project:
            return verdict
        from execpolicy.commands.snapshots import stored
        from execpolicy.engine.decide import decide
        from execpolicy.support import watching

        disk = OwnFilesDisk(SessionFiles(stored(root.path), session()))
        with watching.Aside():
            again = decide(request, snapshot, disk)
        if not disk.found:
            return verdict
        watching.here.never_again = True
        return again

    return lowered
