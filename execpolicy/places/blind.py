"""What a decision may ask about the machine it is made for; resolvers that know none.

There the text of a path is all to judge by, or it is a machine of which only some paths are known.
"""

import os.path
from _collections_abc import Mapping

from execpolicy.model.place import Below, Place, Root, SettingsFile
from execpolicy.support.path_match import and_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from execpolicy.places.steering import Steering
    from execpolicy.support.path_match import NameKey
else:
    Protocol = object

_GITS = ("/HEAD", "/objects", "/refs")
"""How paths end by which git knows a repository (gitrepository-layout(5))."""


class Resolver(Protocol):
    """Questions about the machine of one moment. Paths are absolute.

    Each has the answer of who knows no machine: what only a look could tell counts as the stricter.
    """

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads, as the kernel walks it; here as its text says."""
        lexical = os.path.normpath(path)
        return Place(path, lexical, lexical)

    def kind(self, path: str) -> str:
        """`file`, `directory`, `other` or `missing`, links followed; else `unknown`."""
        return "unknown"

    def names(self, directory: str) -> tuple[str, ...] | None:
        """What a directory holds; None where it cannot be read or holds too much."""
        return None

    def head(self, path: str) -> str:
        """The first `MAX_HEAD` bytes of a text file; empty where there is none."""
        return ""

    def text(self, path: str) -> str | None:
        """The whole text of a file smaller than that, which has no other name on the disk; None
        where there is none."""
        return None

    def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
        """Every file and link below a directory; None where there are too many to look at, for
        which some hundreds are enough if `few` are asked for.

        `visible` leaves out what is hidden or certainly ignored by git.
        """
        return None

    def nearby(self, directory: str) -> Below:
        """Files of a directory, and some below it, those near the top first."""
        return Below()

    def tracked(
        self, directory: str, keys: "tuple[NameKey, ...] | None" = None
    ) -> tuple[str, ...] | None:
        """The paths below a directory that the index of its repository may hold, those alone that
        are like one of the keys, if there are any; None where there is no bound.
        """
        return ()

    def committed(
        self, directory: str, keys: "tuple[NameKey, ...]", every: bool = False
    ) -> tuple[str, ...] | None:
        """The paths like one of the keys that any commit of a directory's repository has, all from
        its top on; None where that is not known. Of one content one path is enough, unless `every`
        is asked for.
        """
        return None

    def of_revisions(self, directory: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
        """The paths that the revisions among some words have in a directory's repository, from its
        top on; None where that is not known. What git does not track is taken to be away.
        """
        return ()

    def gitlinks(self, directory: str) -> tuple[str, ...] | None:
        """The paths that the index of a directory's repository has as repositories of their own;
        None where that is not certain. A repository is taken to be as git makes it.
        """
        return ()

    def tracks(self, path: str, listed: bool = False) -> bool:
        """Whether git may track a path or something below it, or would list it, whatever the order
        of its index is; a repository is tracked."""
        return True

    def unchanged(self, path: str) -> bool:
        """Whether git certainly has the very content of a file, and can bring it back."""
        return False

    def holds(self, directory: str, *settings: SettingsFile) -> bool:
        """Whether a directory, or one above it, has the file of one of the settings.

        Files in the home and above are the user's own.
        """
        return True

    def planted(self, name: str, project: str | None) -> str | None:
        """Where an agent may have put the program that PATH finds; None where none may.

        Agents write in the project, and in directories for temporary files. A link from
        elsewhere to there counts, and a relative directory of PATH, which each `cd` moves.
        """
        return None

    def programs(self) -> tuple[str, ...]:
        """The absolute directories of PATH, as they are called and as they really lie."""
        return ()

    def steering(self, directory: str) -> "tuple[Steering, ...]":
        """What variables that commands inherit lead programs to in a directory, or below it: code,
        and settings. What is above it leads nowhere in it."""
        return ()

    def is_program(self, path: str) -> bool:
        """Whether PATH finds this very file by its name; the path is a real one."""
        return False

    def variables(self) -> frozenset[str]:
        """The names of the variables that commands inherit."""
        return frozenset()

    def temporary(self) -> tuple[str, ...]:
        """The system's directories for temporary files, as they really lie (hier(7))."""
        return ("/tmp", "/var/tmp")  # noqa: S108

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        """The session's root, from the directory that the host names or the first one."""
        path = given or cwd
        return Root(os.path.normpath(path), project=True) if path else None


class Blind(Resolver):
    """Knows no machine."""


class Empty(Blind):
    """Empty projects, as a proof and a log of another machine need them.

    `there` has the kind of each path that is there.
    """

    def __init__(self, there: "Mapping[str, str]") -> None:
        self._there = there

    def kind(self, path: str) -> str:
        """Nothing is there but what is known to be."""
        return self._there.get(path, "missing")

    def names(self, directory: str) -> tuple[str, ...] | None:
        """None."""
        return ()

    def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
        """Nothing."""
        return Below()

    def tracks(self, path: str, listed: bool = False) -> bool:
        """Git tracks nothing."""
        return False

    def holds(self, directory: str, *settings: "SettingsFile") -> bool:
        """No file of the project changes what a program does."""
        return False


class Filled(Empty):
    """The same, where each other path is a file that git does not have: to remove it, or to write
    it anew, loses what it holds. Hidden names are not there, nor what makes a repository of a
    directory: they would say that each path is a project."""

    def __init__(self, there: "Mapping[str, str]") -> None:
        super().__init__(there)
        self._above = frozenset(each for path in there for each in and_above(path))

    def kind(self, path: str) -> str:
        """A file, or a directory where something is known to be below it."""
        known = self._there.get(path)
        if known is None and not ("/." in path or path.endswith(_GITS)):
            return "directory" if path in self._above else "file"
        return known or "missing"

    def head(self, path: str) -> str:
        """Something that says nothing."""
        return "-" if self.kind(path) == "file" else ""


def repository(path: str) -> "dict[str, str]":
    """What is there where a directory is a repository that git accepts."""
    from execpolicy.support.disk.repository import LAYOUT

    git = f"{path}/.git"
    directories = (path, git, f"{git}/objects", f"{git}/refs")
    return {**dict.fromkeys(directories, "directory"), f"{git}/{LAYOUT[0]}": "file"}
