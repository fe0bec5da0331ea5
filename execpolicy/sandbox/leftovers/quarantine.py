"""Moves out of a project what a confined run made there under a protected name.

Where no file stands no mount can hold one off, so what appears is moved away: when it is seen, at
the end of the run, and for a run that was killed by the next process of this program.
"""

import os
from _collections_abc import Container, Iterable, Mapping

from execpolicy.model.errors import printable
from execpolicy.places.repository.unfinished import is_state, starts_nothing
from execpolicy.sandbox.scan.opened import Openings, opened
from execpolicy.sandbox.scan.protected_path import ProtectedPath
from execpolicy.sandbox.scan.repositories import is_linked, is_plain
from execpolicy.sandbox.walls import Mount, Wall, parents, wall_at
from execpolicy.store import runs
from execpolicy.store.sources.files import private_directory
from execpolicy.support.disk.repository import COMMON, LAYOUT, is_laid_out
from execpolicy.support.record import Value


class Moved(Value):
    """What was moved: where it stood, and where it lies now."""

    path: str
    to: str


def appeared(
    before: "Mapping[str, ProtectedPath]",
    now: "Mapping[str, ProtectedPath]",
    mounts: "Iterable[Mount]",
) -> "list[str]":
    """The protected paths that the run made or replaced, none below another.

    Only a link can be replaced: all else that was there is held by a mount, so where it stands
    under another path now, another process moved it. A path where nothing inside could write was
    made by another process, too. What git keeps of a rebase that stopped may stay where it starts
    nothing, and so may a work tree that it added.
    """
    mounted = tuple(mounts)
    held = {(one.device, one.inode) for one in before.values() if one.inode and _is_held(one)}
    found: dict[str, None] = {}
    for path in sorted(now):
        known = before.get(path)
        if is_state(path):
            if wall_at(path, mounted) is Wall.WRITE and not starts_nothing(path):
                found[path] = None
            continue
        if known is not None and (not known.target or known == now[path]):
            continue
        if wall_at(os.path.dirname(path), mounted) is not Wall.WRITE:
            continue
        if (now[path].device, now[path].inode) in held:
            continue
        if (now[path].repository and is_plain(path)) or is_linked(path, before):
            continue
        if now[path].part and not _makes_one(path, now, found):
            continue
        if not any(parent in found for parent in parents(path)):
            found[path] = None
    return [*found]


def _is_held(one: ProtectedPath) -> bool:
    """Whether a mount held it, so that nothing inside could give it another name."""
    return not (one.target or one.part)


def _makes_one(path: str, now: "Mapping[str, ProtectedPath]", found: "Container[str]") -> bool:
    """Whether a part makes a git directory of its own: not one without a `HEAD`."""
    directory = os.path.dirname(path)
    names = [name for name in (*LAYOUT, COMMON) if f"{directory}/{name}" in now]
    return (
        is_laid_out(names) and f"{directory}/{LAYOUT[0]}" not in found and not is_plain(directory)
    )


def stays(path: str) -> str:
    """What is told of a path that cannot be moved away."""
    return f"`{printable(path, 200)}` is protected and cannot be moved away: remove it"


class Quarantine:
    """The place of one run for what it may not leave."""

    def __init__(self, name: str, openings: Openings | None = None) -> None:
        self.directory = os.path.join(runs.quarantine(), name)
        self.moved: list[Moved] = []
        self.openings = openings or Openings()

    def take(self, path: str) -> bool:
        """Move a path here; whether that was done. No link on the way to it is followed."""
        try:
            parent = opened(os.path.dirname(path))
        except OSError:
            return False
        try:
            to = self._place(path, parent)
        except FileNotFoundError:
            return False
        except PermissionError:  # its directory was closed to everybody
            return self.openings.open(os.path.dirname(path)) and self.take(path)
        except OSError:
            return False
        finally:
            os.close(parent)
        self.moved.append(Moved(path, to))
        return True

    def take_all(self, paths: "Iterable[str]") -> tuple[str, ...]:
        """Move each of the paths here; sentences about those that stand where they stood."""
        left = [path for path in paths if not self.take(path) and os.path.lexists(path)]
        return tuple(map(stays, left))

    def _place(self, path: str, parent: int) -> str:
        name = os.path.basename(path)
        inert = f".execpolicy-quarantine-{os.urandom(8).hex()}"
        try:
            private_directory(runs.quarantine())
            private_directory(self.directory)
            to = os.path.join(self.directory, f"{len(self.moved)}-{name}")
            os.rename(name, to, src_dir_fd=parent)
        except FileNotFoundError:
            raise
        except OSError:  # another file system, or none that can be written: a name that is inert
            os.rename(name, inert, src_dir_fd=parent, dst_dir_fd=parent)
            to = os.path.join(os.path.dirname(path), inert)
        return to

    def restore(self, links: "Iterable[ProtectedPath]") -> None:
        """Put links back that were replaced or removed."""
        for link in links:
            if not link.target or os.path.lexists(link.path):
                continue
            try:
                parent = opened(os.path.dirname(link.path))
            except OSError:
                continue
            try:
                os.symlink(link.target, os.path.basename(link.path), dir_fd=parent)
            except OSError:
                continue
            finally:
                os.close(parent)
