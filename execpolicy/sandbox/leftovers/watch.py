"""Looks after a run: covers again what was replaced, and moves protected names away, as soon as
either is seen."""

import os
from time import monotonic, sleep

from execpolicy.model.errors import printable
from execpolicy.sandbox.backends.inotify import DELETED, MOVED_AWAY, Inotify
from execpolicy.sandbox.leftovers.activity import Activity
from execpolicy.sandbox.leftovers.held import Held
from execpolicy.sandbox.leftovers.replaced import Replaced, Touched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.sandbox.backends.inotify import Appeared
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.quarantine import Quarantine

MAX_NEW = 10_000
TURN, SLOW_TURN = 0.02, 0.2
"""Seconds between two looks where the kernel tells nothing of what is replaced, and of what is not
there any more."""
GIT_AT_WORK = 10.0
"""Seconds that a checkout may take to be whole."""


class Watch:
    """Follows the directories of the walls, and those of a walk once a run takes longer.

    `held` are the paths with a wall of their own; `name` is that of the run, `whole` gives its job.
    `taken` is the quarantine, if there is one yet. `stays` is what another program made. `lost`
    says why the run was ended, `told` what else the user has to know, by its path.
    """

    def __init__(self, whole: "Callable[[], Job]", name: str, held: "Iterable[str]") -> None:
        self.fd = -1
        self.due: float | None = None
        self._whole, self._name = whole, name
        self._held = tuple(held)
        self._directories = tuple(dict.fromkeys(map(os.path.dirname, self._held)))
        self._walls = Held(())
        self._inotify: Inotify | None = None
        self._blind = self._follows = False
        self._watched: set[str] = set()
        self._apart: frozenset[str] = frozenset()
        self._waiting: dict[str, float] = {}
        self._activity = Activity()
        self._late: dict[str, Touched] = {}
        self._replaced: Replaced | None = None
        self._doubted: dict[str, None] = {}
        self._patient = 0.0
        self.taken: list[Quarantine] = []
        self.stays: set[str] = set()
        self.lost: list[str] = []
        self.told: dict[str, None] = {}

    def begin(self) -> None:
        """Watch the directories of the walls; look in turns where the kernel refuses.

        What stands there then is what will be covered, also where it is tried once more.
        """
        if not (self._inotify or self._blind):
            self._watch()
        self._walls.close()
        self._walls = Held(self._held)
        self._late.clear()
        if self._replaced:
            self._replaced.begin()

    def _watch(self) -> None:
        try:
            self._inotify = Inotify()
            self.fd = self._inotify.fd
            self._watch_walls()
            self._replaced = Replaced(self._held)
        except OSError:
            self._blind |= self._inotify is None
        self.due = self._next()

    def _watch_walls(self) -> None:
        for directory in self._directories:
            watched = self._inotify and self._inotify.add(directory, DELETED | MOVED_AWAY)
            self._blind |= not watched and os.path.isdir(directory)
        self._watched.update(self._directories)

    def follow(self) -> None:
        """Watch the directories where something may be made, too; take what was made by now.

        Repositories may not be whole yet.
        """
        job, self._follows = self._whole(), True
        self._apart = frozenset(self._directories).difference(job.directories)
        self._follow_all(job.directories)
        walked = job.around.changed(None)
        if walked is not None:
            from execpolicy.sandbox.leftovers.quarantine import appeared

            self._follow_all(walked.directories)
            for path in appeared(job.noted, walked.noted, job.plan.mounts):
                if not (walked.noted[path].repository or walked.noted[path].part):
                    self._take(path)

    def _follow_all(self, directories: "Iterable[str]") -> None:
        for directory in directories:
            if self._inotify and directory not in self._watched:
                self._watched.add(directory)
                self._inotify.add(directory)

    def poll(self, init: int) -> bool:
        """See what happened; whether the run with this first process may go on."""
        self._activity.begin(init)
        if self._replaced:
            self._replaced.note()
        seen = self._seen()
        changed = self._changed(seen)
        stands = bool(changed and init) and self._has_begun(init)
        if stands:
            self._mend(init, changed)
        if self._follows:
            self._take_in(seen or ())
            for path in [*self._waiting]:
                self._take(path)
        self._activity.end()
        self.due = self._next(soon=bool(changed) and not stands)
        return not self.lost

    def _has_begun(self, init: int) -> bool:
        """Whether anything runs inside: before, its mounts are not where they will be."""
        from execpolicy.sandbox.backends.halted import members

        begun = bool(members(init))
        if self._replaced and not begun:
            self._replaced.rest()
        elif self._replaced:
            self._replaced.begun = True
        return begun

    def over(self) -> None:
        """The run has ended: what is replaced later was never open to it."""
        self._late |= {path: self._touched(path) for path in self._walls.changed()}

    def _touched(self, path: str) -> Touched:
        """What is known of a path: where no cover was, the command may have made it."""
        if self._replaced is None or path in self._walls.gone:
            return Touched.UNKNOWN
        return self._replaced.touched(path)

    def _seen(self) -> "list[Appeared] | None":
        return self._inotify.read() if self._inotify else None

    def _changed(self, seen: "list[Appeared] | None") -> "list[str]":
        if seen is None or self._blind:
            return self._walls.changed()
        return self._walls.changed((*(one.path for one in seen), *self._walls.gone))

    def _next(self, *, soon: bool = False) -> float | None:
        if self._blind or soon:
            return monotonic() + TURN
        if self._walls.gone or self._waiting:
            return monotonic() + SLOW_TURN
        return self._activity.due if self._follows else None

    def _mend(self, init: int, seen: "Iterable[str]") -> None:
        """Cover what stands there now. Something was `seen` to be replaced."""
        from execpolicy.sandbox.backends.halted import Halted

        unknown = {path for path in seen if self._touched(path) is Touched.UNKNOWN}
        others = unknown if unknown and self._activity.is_idle else ()  # before they are stopped
        with Halted(init) as still:  # first of all: what stands there is open to them
            from execpolicy.sandbox.backends.mounts import has_mounts
            from execpolicy.sandbox.leftovers.mending import mended

            touched = {path: self._touched(path) for path in self._walls.changed()}
            for path in touched:  # before, so that what comes meanwhile is seen as another change
                self._walls.settle(path)
            if self._replaced:
                self._replaced.settle(*touched)
            self._watch_walls()
            done = mended(self._whole(), init, touched, still)
            # It may have ended before it was covered.
            is_late = bool(done.lost or done.told) and not has_mounts(init)
            if done.lost:
                still.end()  # here: what has it open would go on with it until the run is ended
        if is_late:
            self._late |= touched
            return
        doubted = (one for one, known in touched.items() if known is Touched.UNKNOWN)
        self._doubted |= {path: None for path in doubted if path not in others}
        self.lost += done.lost
        self.told |= dict.fromkeys(done.told)

    def _could_make(self, path: str) -> bool:
        """Whether the command can make something at a path, and may have."""
        from execpolicy.sandbox.walls import Wall, wall_at

        mounts = self._whole().plan.mounts
        return wall_at(os.path.dirname(path), mounts) is Wall.WRITE and self.is_left(path)

    def is_left(self, path: str) -> bool:
        """Whether the command may have left what stands at a path, once git has done its work."""
        self._patient = self._patient or monotonic() + GIT_AT_WORK
        while not _is_gone(path):
            others, is_certain = self._is_others_now(path)
            if others:
                return False
            if is_certain or monotonic() > self._patient:
                return True
            sleep(TURN)
        return False

    def _is_others_now(self, path: str) -> tuple[bool, bool]:
        """Whether it is certain that the command did not make what stands at a path, and whether
        that is the last word: git changed nothing meanwhile."""
        from execpolicy.sandbox.leftovers.makers import index_at_rest

        before = index_at_rest(self._whole())
        others = self.is_others(path)
        return others, before is not None and before == index_at_rest(self._whole())

    def is_others(self, path: str) -> bool:
        """Whether it is certain that the command did not make what stands at a path."""
        from execpolicy.sandbox.leftovers.makers import is_brought, is_expected, is_put_by_git

        job = self._whole()
        if path in self.stays or is_expected(path, job.incoming.puts) or is_brought(path, job):
            return True
        return is_put_by_git(path, job.around.scene, job.plan.mounts)

    def _take_in(self, seen: "Iterable[Appeared]") -> None:
        new = [one for one in seen if os.path.dirname(one.path) not in self._apart]
        waiting = [(one.path, one.directory) for one in new]
        for _ in range(MAX_NEW):
            if not waiting:
                return
            path, directory = waiting.pop()
            if not self._is_new(path):
                waiting += self._watch_new(path) if directory else ()
            elif self._activity.is_idle:
                self.stays.add(path)
            else:
                self._take(path)

    def _is_new(self, path: str) -> bool:
        """Whether a path has a name that is protected, and had none before."""
        from execpolicy.sandbox.scan.names import protects

        name = path.rpartition("/")[2]
        job = self._whole()
        if path in job.noted or path in self._walls or name == ".git":
            return False
        index = job.around.scene.index
        match = index.match(path, name)
        leads = match is None and index.leads(name) and os.path.islink(path)
        return leads or (match is not None and protects(match) and not index.unpacked(path))

    def _take(self, path: str) -> None:
        """Move it away, unless a checkout put it there, which may not be whole yet."""
        from execpolicy.sandbox.leftovers.quarantine import Quarantine

        if self._whole().incoming.fetches:
            return  # git alone runs, and what it fetched is known when it has ended
        others, is_certain = self._is_others_now(path)
        if others:
            self._waiting.pop(path, None)
            return
        until = self._waiting.setdefault(path, monotonic() + GIT_AT_WORK)
        if not is_certain and monotonic() < until:
            return
        del self._waiting[path]
        if not self.taken:
            self.taken.append(Quarantine(self._name))
        self.taken[0].take(path)

    def _watch_new(self, directory: str) -> "list[tuple[str, bool]]":
        """Watch a new directory; what it held before it was watched."""
        watch = None if directory.endswith("/.git") else self._inotify
        if watch is None or not watch.add(directory):
            return []
        try:
            with os.scandir(directory) as entries:
                return [(e.path, e.is_dir(follow_symlinks=False)) for e in entries]
        except OSError:
            return []

    def close(self, *, ran: bool) -> None:
        """Tell what is not known of a command that `ran`; nothing is watched any more."""
        if ran and self._late:
            self._tell_late()
        self.told |= {_unknown(path): None for path in self._doubted if self._could_make(path)}
        for watched in (self._walls, self._inotify, self._replaced):
            if watched:
                watched.close()

    def _tell_late(self) -> None:
        """What was replaced before a run had ended, and was not covered again by then."""
        from execpolicy.sandbox.walls import Wall

        job = self._whole()
        for mount in job.plan.mounts:
            known = self._late.get(mount.path, Touched.REPLACED)
            if mount.pin or _is_gone(mount.path):
                continue
            if mount.wall is Wall.HIDDEN and job.has_walls and known is not Touched.REPLACED:
                self.told[_read(mount.path)] = None
            elif known is Touched.UNKNOWN:
                self._doubted[mount.path] = None


def _is_gone(path: str) -> bool:
    """Whether nothing is at a path. One that is too long to be looked at may be there."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _unknown(path: str) -> str:
    return (
        f"`{printable(path, 200)}` was made or changed during the run, and it is not known by "
        "whom: look at it before you use it"
    )


def _read(path: str) -> str:
    return (
        f"`{printable(path, 200)}` was replaced by another process while the command ended, which "
        "may have read it"
    )
