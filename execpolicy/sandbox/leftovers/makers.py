"""Who made what appeared under a protected name during a run, as far as that is certain."""

import os
from _collections_abc import Collection, Iterable
from itertools import islice

from execpolicy.places.disk import Disk
from execpolicy.places.repository.index_file import Index
from execpolicy.places.repository.index_names import content
from execpolicy.sandbox.job import Job
from execpolicy.sandbox.prepare import SurveyInput
from execpolicy.sandbox.scan.repositories import is_plain
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support.disk.bounded import read
from execpolicy.support.disk.repository import Repository, find
from execpolicy.support.path_match import below

MAX_BYTES = 1 << 24
MAX_ENTRIES = 200


def is_put_by_git(path: str, scene: "SurveyInput", mounts: "Iterable[Mount]") -> bool:
    """Whether a path holds nothing but what the index of its repository says, which the run could
    not write: then a checkout put it there."""
    if scene.git is None or scene.root is None or _writes(mounts, scene.git.own):
        return False
    own = scene.git.own
    top = own.removesuffix("/.git") if own.endswith("/.git") else scene.root
    repository = Repository(top, own, scene.git.common)
    return _is_as_in_index(path, repository)


def is_brought(path: str, job: "Job") -> bool:
    """Whether git, which ran alone, fetched a path: it is as the index of its repository has it,
    which is one that the run pulled into, or a new one where it clones."""
    own = find(os.path.dirname(path), Disk()) if job.incoming.fetches else None
    if own is None:
        return False
    is_known = os.path.realpath(own.git) in job.incoming.pulls
    if not (is_known or (job.incoming.clones and _is_of_its_own(path, own.top, job))):
        return False
    return _is_as_in_index(path, own)


def _is_of_its_own(path: str, top: str, job: "Job") -> bool:
    """Whether a path lies in a new repository below the project's root that can do nothing but hold
    history, and is protected by its names there: they steer nothing at the root."""
    scene = job.around.scene
    if f"{top}/.git" in job.noted or not is_plain(f"{top}/.git"):
        return False
    if top == job.root or not below(top, job.root):
        return False
    run = any(below(path, one) or below(one, path) for one in scene.named_by_git)
    return not run and scene.index.is_named_below(path, top)


def is_expected(path: str, puts: "Collection[str]") -> bool:
    """Whether a path holds nothing but what git was to put there, which may not be whole yet."""
    if not any(below(one, path) for one in puts):
        return False
    found = _files(path)
    return found is not None and all(one in puts for one in found)


def _files(path: str) -> "list[str] | None":
    """A path that is not a directory, or all that are below it; None where more is below it than
    is looked at."""
    found, waiting, left = [], [path], MAX_ENTRIES
    while waiting and left >= 0:
        each = waiting.pop()
        inside = _entries(each, left + 1)
        if inside is None:
            found.append(each)
        else:
            waiting += inside
            left -= len(inside)
    return found if left >= 0 else None


def _entries(path: str, most: int) -> "list[str] | None":
    """What a directory holds, so many at most; None where it is none, or cannot be read."""
    if os.path.islink(path):
        return None
    try:
        with os.scandir(path) as entries:
            return [entry.path for entry in islice(entries, most)]
    except OSError:
        return None


def index_at_rest(job: "Job") -> tuple[int, int] | None:
    """Which index the repository has; None while git holds its lock. Where the run can write the
    index, a lock proves nothing: then always the same, as without git."""
    git = job.around.scene.git
    if git is None or _writes(job.plan.mounts, git.own):
        return (0, 0)
    if os.path.lexists(os.path.join(git.own, "index.lock")):
        return None
    try:
        found = os.lstat(os.path.join(git.own, "index"))
    except OSError:
        return (0, 0)
    return found.st_ino, found.st_mtime_ns


def _writes(mounts: "Iterable[Mount]", directory: str) -> bool:
    return wall_at(os.path.join(directory, "index"), mounts) is Wall.WRITE


def _is_as_in_index(path: str, repository: "Repository") -> bool:
    """Whether a path holds files, and nothing but what the index of the repository has there."""
    found = _files(path)
    return bool(found) and all(_is_staged(each, repository) for each in found or ())


def _is_staged(path: str, repository: "Repository") -> bool:
    from hashlib import sha1

    data = read(path, MAX_BYTES, follow=False)
    if data is None:
        return False
    named = sha1(b"blob %d\0%s" % (len(data), data), usedforsecurity=False).digest()
    return content(repository, path, Index(repository.git)) == named
