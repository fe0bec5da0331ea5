"""Resolvers that know no machine: the text of a path is all there is to judge by, or it is one of
which only some directories are known."""

import os.path
from _collections_abc import Iterator, Mapping

from execpolicy.model.place import Below, Place, Root, SettingsFile
from execpolicy.places.steering import Steering
from execpolicy.support.path_match import NameKey

_GITS = ("/HEAD", "/objects", "/refs")
"""How paths end by which git knows a repository (gitrepository-layout(5))."""


class Blind:
    """What only a look could tell is not known, and counts as the stricter."""

    def locate(self, path: str, follow: bool = True) -> Place:
        """The path as its text says."""
        lexical = os.path.normpath(path)
        return Place(path, lexical, lexical)

    def kind(self, path: str) -> str:
        """Not known."""
        return "unknown"

    def names(self, directory: str) -> tuple[str, ...] | None:
        """Not known."""
        return None

    def head(self, path: str) -> str:
        """Nothing."""
        return ""

    def text(self, path: str) -> str | None:
        """Not known."""
        return None

    def below(self, directory: str, visible: bool, few: bool = False) -> Below | None:
        """Not known."""
        return None

    def nearby(self, directory: str) -> Below:
        """Not known."""
        return Below()

    def tracked(self, directory: str, keys: "tuple[NameKey, ...] | None" = None) -> tuple[str, ...]:
        """Not known."""
        return ()

    def committed(
        self, directory: str, keys: "tuple[NameKey, ...]", every: bool = False
    ) -> tuple[str, ...] | None:
        """Not known."""
        return None

    def of_revisions(self, directory: str, words: tuple[str, ...]) -> tuple[str, ...]:
        """None: what git does not track is taken to be away."""
        return ()

    def gitlinks(self, directory: str) -> tuple[str, ...]:
        """None: a repository is taken to be as git makes it."""
        return ()

    def tracks(self, path: str) -> bool:
        """Not known, so git may."""
        return True

    def unchanged(self, path: str) -> bool:
        """Not known."""
        return False

    def holds(self, directory: str, *settings: SettingsFile) -> bool:
        """A project has every file that could matter."""
        return True

    def planted(self, name: str, project: str | None) -> str | None:
        """Nowhere: the name is taken for the program."""
        return None

    def programs(self) -> tuple[str, ...]:
        """Not known."""
        return ()

    def steering(self, directory: str) -> "tuple[Steering, ...]":
        """Nothing."""
        return ()

    def is_program(self, path: str) -> bool:
        """Not known."""
        return False

    def variables(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def temporary(self) -> tuple[str, ...]:
        """What every system has (hier(7))."""
        return ("/tmp", "/var/tmp")  # noqa: S108

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        """The directory that is named, else the one where the command runs."""
        path = given or cwd
        return Root(os.path.normpath(path), project=True) if path else None


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

    def tracks(self, path: str) -> bool:
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
        self._above = frozenset(each for path in there for each in _and_above(path))

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


def _and_above(path: str) -> "Iterator[str]":
    """A path, and each directory above it."""
    while path != "/":
        yield path
        path = os.path.dirname(path)
    yield path
