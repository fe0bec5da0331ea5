"""Looks after a run: covers again what was replaced, and moves protected names away, as soon as
either is seen."""

import os
from time import monotonic, sleep

from execpolicy.model.errors import printable
from execpolicy.sandbox.leftovers.activity import Activity
from execpolicy.sandbox.leftovers.held import Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.sandbox.backends.inotify import Appeared, Inotify
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.leftovers.quarantine import Quarantine
    from execpolicy.sandbox.leftovers.unread import Unread

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
        self._walls = Held(held)
        self._inotify: Inotify | None = None
        self._blind = self._follows = False
        self._watched: set[str] = set()
        self._apart: frozenset[str] = frozenset()
        self._waiting: dict[str, float] = {}
        self._activity = Activity()
        self._late: list[str] = []
        self._unread: Unread | None = None
        self._doubted: dict[str, None] = {}
        self._patient = 0.0
        self.taken: list[Quarantine] = []
        self.stays: set[str] = set()
        self.lost: list[str] = []
        self.told: dict[str, None] = {}

    def begin(self) -> None:
        """Watch the directories of the walls; look in turns where the kernel refuses."""
        if self._inotify or self._blind:  # it is tried once more, and covers what stands there now
            for path in self._walls.changed():
                self._walls.settle(path)
            return
        from execpolicy.sandbox.backends.inotify import Inotify

        try:
            self._inotify = Inotify()
        except OSError:
            self._blind, self.due = True, monotonic()
            return
        self.fd = self._inotify.fd
        self._watch_walls()
        self.due = self._next()

    def _watch_walls(self) -> None:
        from execpolicy.sandbox.backends.inotify import DELETED, MOVED_AWAY

        for directory in self._walls.directories:
            watched = self._inotify and self._inotify.add(directory, DELETED | MOVED_AWAY)
            self._blind |= not watched and os.path.isdir(directory)
        self._watched.update(self._walls.directories)

    def follow(self) -> None:
        """Watch the directories where something may be made, too; take what was made by now.

        Repositories may not be whole yet.
        """
        job, self._follows = self._whole(), True
        self._note_opened()
        self._apart = frozenset(self._walls.directories).difference(job.directories)
        self._follow_all(job.directories)
        walked = job.around.changed(None)
        if walked is not None:
            from execpolicy.sandbox.leftovers.quarantine import appeared

            self._follow_all(walked.directories)
            for path in appeared(job.noted, walked.noted, job.plan.mounts):
                if not (walked.noted[path].repository or walked.noted[path].part):
                    self._take(path)

    def _note_opened(self) -> None:
        from execpolicy.sandbox.leftovers.unread import Unread

        try:
            self._unread = Unread(self._walls.directories)
        except OSError:
            return

    def _follow_all(self, directories: "Iterable[str]") -> None:
        for directory in directories:
            if self._inotify and directory not in self._watched:
                self._watched.add(directory)
                self._inotify.add(directory)

    def poll(self, init: int) -> bool:
        """See what happened; whether the run with this first process may go on."""
        self._activity.begin(init)
        if self._unread:
            self._unread.note()
        seen = self._seen()
        changed = self._changed(seen)
        stands = bool(changed and init) and _has_begun(init)
        if stands:
            self._mend(init, _made(seen))
        if self._follows:
            self._take_in(seen or ())
            for path in [*self._waiting]:
                self._take(path)
        self._activity.end()
        self.due = self._next(soon=bool(changed) and not stands)
        return not self.lost

    def over(self) -> None:
        """The run has ended: what is replaced later was never open to it, and what was not opened
        was not read."""
        late, unread = dict.fromkeys((*self._late, *self._walls.changed())), self._unread
        self._late = [path for path in late if not (unread and unread.holds(path))]

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

    def _mend(self, init: int, made: "frozenset[str]") -> None:
        """Cover what stands there now. `made` was made there, not put there by one call."""
        from execpolicy.sandbox.backends.halted import Halted

        idle = bool(made) and self._activity.is_idle  # asked before they are stopped
        with Halted(init) as still:  # first of all: what stands there is open to them
            from execpolicy.sandbox.backends.mounts import has_mounts
            from execpolicy.sandbox.leftovers.mending import mended

            changed = self._walls.changed()
            if not idle:
                self._doubt_made(changed, made)
            for path in changed:  # before, so that what comes meanwhile is seen as another change
                self._walls.settle(path)
            self._watch_walls()
            done = mended(self._whole(), init, changed, still)
        if (done.lost or done.told) and not has_mounts(init):  # it ended before it was covered
            self._late += changed
            return
        self.lost += done.lost
        self.told |= dict.fromkeys(done.told)

    def _doubt_made(self, changed: "list[str]", made: "frozenset[str]") -> None:
        """Note what the command may have made where a wall has fallen."""
        for path in changed:
            again = (path in self._walls.gone or path in made) and os.path.lexists(path)
            if again and not self._activity.is_idle:
                self._doubted[path] = None

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
        """Look at what happened last, to a command that `ran`; nothing is watched any more."""
        if ran and self._late:
            from execpolicy.sandbox.leftovers.mending import too_late

            done = too_late(self._whole(), [one for one in self._late if not self._is_put(one)])
            self.lost += done.lost
            self.told |= dict.fromkeys(done.told)
        seen = self._seen()
        self._doubt_made(self._changed(seen), _made(seen))
        self.told |= {_unknown(path): None for path in self._doubted if self._could_make(path)}
        self._walls.close()
        for watched in (self._inotify, self._unread):
            if watched:
                watched.close()

    def _is_put(self, path: str) -> bool:
        """Whether git put what stands at a path that may be read, and it is unchanged."""
        from execpolicy.sandbox.walls import Wall

        walls = [one.wall for one in self._whole().plan.mounts if one.path == path]
        return walls == [Wall.READ] and not self.is_left(path)


def _has_begun(init: int) -> bool:
    """Whether anything runs inside: before, its mounts are not where they will be."""
    from execpolicy.sandbox.backends.halted import members

    return bool(members(init))


def _made(seen: "list[Appeared] | None") -> frozenset[str]:
    return frozenset(one.path for one in seen or () if not one.moved)


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
        f"`{printable(path, 200)}` was removed and made again during the run, and it is not known "
        "by whom: look at it before you use it"
    )
