"""Whether the configuration of a repository is data alone, so that a key is safe beside it."""

import os
import stat

from execpolicy.model.errors import printable
from execpolicy.places.disk import Disk
from execpolicy.places.repository.git_syntax import settings
from execpolicy.sandbox.keys.opening import NoKeyError
from execpolicy.sandbox.walls import Mount, Wall, wall_at
from execpolicy.support.disk.repository import Repository, find
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_LISTS = words_of("git")
_DATA = _LISTS["plain"] | _LISTS["data"]
MAX_BYTES = 1 << 20


class JudgedSettings(Value):
    """A repository, and its configuration as it was judged."""

    repository: Repository
    config: str
    text: bytes

    @property
    def variables(self) -> tuple[tuple[str, str], ...]:
        """What keeps git in this repository, whatever is made beside it meanwhile (git(1))."""
        found = (("GIT_DIR", self.repository.git), ("GIT_COMMON_DIR", self.repository.common))
        if self.repository.top == self.repository.git:
            return found
        return (*found, ("GIT_WORK_TREE", self.repository.top))


NO_REPOSITORY = (("GIT_DIR", "/dev/null"),)
"""What keeps git from a repository that is made meanwhile."""


def judged(cwd: str, mounts: tuple[Mount, ...]) -> JudgedSettings | None:
    """The configuration that git obeys in a directory; None outside of repositories.

    Raises `NoKeyError` for settings that are more than data, and for a file that a run may write.
    """
    found = find(os.path.realpath(cwd), Disk())
    if found is None:
        return None
    path = os.path.realpath(f"{found.common}/config")
    if wall_at(path, mounts) < Wall.READ:
        raise NoKeyError(f"`{printable(path, 200)}` can be written by what runs in the sandbox")
    text = content(path)
    given, whole = settings(text.decode("utf-8", "surrogateescape"))
    if not whole:
        raise NoKeyError(f"`{printable(path, 200)}` is not valid")
    for one in given:
        if one.word not in _DATA:
            name = printable(one.name, 80)
            raise NoKeyError(
                f"the repository sets `{name}`, by which git may hand a key to others: set it in "
                "your own configuration (`git config --global`) and remove it here"
            )
    return JudgedSettings(found, path, text)


def content(path: str) -> bytes:
    """A small file, which nothing is waited for. Raises `NoKeyError`."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise NoKeyError(f"`{printable(path, 200)}` is not a file")
            text = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise NoKeyError(f"`{printable(path, 200)}` cannot be read: {error.strerror}") from None
    if len(text) > MAX_BYTES:
        raise NoKeyError(f"`{printable(path, 200)}` is too large")
    return text
