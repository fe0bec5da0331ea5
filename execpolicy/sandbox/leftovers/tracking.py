"""What git wrote into the configuration of a repository, where a run left that open to it.

Git replaces the file by rename, which no mount lets through. So it is open to a command of git that
may write down what a branch follows, and to nothing beside it; where more changed than that, the
file is put back.
"""

import os
import stat

from execpolicy.model.errors import printable
from execpolicy.places.repository.git_syntax import Setting, settings
from execpolicy.store.sources.files import read_regular, replace

MAX_BYTES = 1 << 20
_FOLLOWS = frozenset(("branch.remote", "branch.merge", "branch.rebase"))


class FollowedBranches:
    """The configuration at `path`, as it is before a run."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._state = os.lstat(path)
        self._data = read_regular(path, MAX_BYTES)

    def problem(self) -> str:
        """Put it back where more changed than what branches follow; what is told then."""
        try:
            state = os.lstat(self.path)
            now = read_regular(self.path, MAX_BYTES) if stat.S_ISREG(state.st_mode) else b""
        except (OSError, ValueError):
            now = b""
        if now == self._data or is_followed(self._data, now):
            return ""
        replace(self.path, self._data, stat.S_IMODE(self._state.st_mode))
        return f"`{printable(self.path, 200)}` was changed by the command, and put back as it was"


def may_open(path: str) -> bool:
    """Whether a configuration is a file with one name that git takes whole."""
    try:
        state = os.lstat(path)
        whole = stat.S_ISREG(state.st_mode) and state.st_nlink == 1 and state.st_size < MAX_BYTES
        return whole and settings(read_regular(path, MAX_BYTES).decode())[1]
    except (OSError, ValueError):
        return False


def is_followed(before: bytes, after: bytes) -> bool:
    """Whether two configurations differ in what branches follow alone."""
    try:
        (old, _), (new, is_whole) = settings(before.decode()), settings(after.decode())
    except ValueError:
        return False
    if not (is_whole and new):
        return False
    added = [one for one in new if one not in old]
    kept = [[one for one in each if not one.name.startswith("branch.")] for each in (old, new)]
    return kept[0] == kept[1] and all(map(_names_a_branch, added))


def _names_a_branch(setting: Setting) -> bool:
    """Whether it says what a branch follows, and no address that starts a program or leads away."""
    value = setting.value or ""
    return setting.word in _FOLLOWS and not {":", "\n"} & {*value} and not value.startswith(".")
