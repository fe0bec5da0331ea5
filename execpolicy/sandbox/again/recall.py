"""A run that was kept, if all that it depends on is as it was.

It begins from plain data: no module of a plan, of its walls or of the filter is imported.
"""

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.again.form import KeptRun, Seen, read
from execpolicy.sandbox.backends.start.launch import Launch
from execpolicy.sandbox.session import directory
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import listings
from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.looks import all_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from execpolicy.sandbox.again.form import Plain
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.prepare import SurveyInput
    from execpolicy.store.repeat.listings import Names

SLOTS = 64
MAX_LOOKS = 20_000
MAX_REMEMBERED = 8
SESSION = "SESSION"
"""Stands in the options for the directory of the session. A path begins with `/`."""


class Recalled:
    """A run that may begin as it is: it is allowed and needs no answer of the user."""

    def __init__(self, kept: KeptRun) -> None:
        self.kept = kept
        self.settings = SandboxSettings(*kept.plan.settings)  # type: ignore[arg-type]

    @property
    def logged(self) -> tuple[Logged, ...]:
        """Its lines in the log."""
        return tuple(Logged(*line) for line in self.kept.logged)  # type: ignore[arg-type]

    def is_same(self) -> bool:
        """Whether all that was seen where it may write is as it was."""
        return _is_same(self.kept.inside, self.kept.names)

    def are_links_same(self, seen: "Mapping[str, Plain]") -> bool:
        """Whether the files with several names are those that there were. `seen` has them of the
        directories that were looked at just now."""
        return _are_links_same(self.kept, seen)

    def launch(self, leader: str) -> Launch | None:
        """What a launcher needs for it in this session; None where that has to be worked out."""
        start, plan = self.kept.start, self.kept.plan
        if start.alone is None or start.shared is None or start.base != directory.real_base():
            return None
        given = plan.argv, plan.cwd, plan.environment, self.settings
        end = start.rules, plan.offline, plan.shares
        try:
            path = directory.opened(leader, self.kept.around.root) if leader else ""
        except OSError:
            path = ""
        if not path:
            return Launch(*given, False, "", "", start.alone, *end)
        temporary = f"{path}/{directory.TEMPORARY}" if start.private else ""
        here = f"{SESSION}/{directory.TEMPORARY}"
        options = tuple(temporary if word == here else word for word in start.shared)
        return Launch(*given, False, path, temporary, options, *end)

    def job(self, leader: str) -> "Job":
        """The whole of it in this session. What is looked for after it is what was kept."""
        from execpolicy.sandbox.again.whole import job_of
        from execpolicy.sandbox.job import in_session

        return in_session(job_of(self.kept, self._scene, self.is_same), leader)

    def _scene(self) -> "SurveyInput":
        from execpolicy.sandbox.leftovers.journal import scene_in

        return scene_in(self.kept.start.journal)


def name(mark: str) -> str:
    """The name of the file that has the run with this key."""
    return f"run-{int(mark[:8], 16) % SLOTS:02x}"


def recall(
    mark: str, memory: "dict[str, KeptRun] | None" = None, *, links: bool = True
) -> Recalled | None:
    """The run kept under a key, if all that it depends on is as it was.

    `memory` is what this process has read before. Without `links` it is still to be asked whether
    these are the same.
    """
    known = memory.get(mark) if memory is not None else None
    if known is not None and _holds(known, links):
        return Recalled(known)
    found = cache.read(name(mark), mark)
    kept = _read(found[0]) if found is not None else None
    if kept is None or not _holds(kept, links):
        return None
    if memory is not None:
        while len(memory) >= MAX_REMEMBERED:
            del memory[next(iter(memory))]
        memory[mark] = kept
    return Recalled(kept)


def _read(data: object) -> KeptRun | None:
    try:
        return read(data)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _holds(kept: KeptRun, links: bool) -> bool:
    """Whether all that it depends on is as it was, the `links` among that."""
    try:
        same = all(_is_same(seen, kept.names) for seen in (kept.elsewhere, kept.inside))
    except (TypeError, ValueError, LookupError):
        return False
    return same and (not links or _are_links_same(kept, {}))


def _are_links_same(kept: KeptRun, seen: "Mapping[str, Plain]") -> bool:
    try:
        return all(
            (seen[path] if path in seen else _links_of(path)) == known for path, known in kept.links
        )
    except (TypeError, ValueError, LookupError):
        return False


def _is_same(seen: Seen, names: "Names | None") -> bool:
    same = all_same(seen.looks) and all(map(listings.is_same, seen.listings))
    walked = (listings.is_same(one, names) for one in seen.walked)
    return same and all(map(listings.is_absent, seen.absent)) and all(walked)


def _links_of(path: str) -> "Plain":
    from execpolicy.sandbox.scan.links import in_directory

    return tuple((one.name, one.device, one.inode, one.names) for one in in_directory(path))
