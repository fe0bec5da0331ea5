"""Which files of a project name what a program runs, reaches or writes.

The catalogue says what a program would do if its project had such a file. Whether it has one is
asked of whoever is passed to `decide`; where nobody is passed, every file is there.
"""

import os
import stat

from execpolicy.catalogue.reading import Cause, Reading
from execpolicy.engine.expand import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Protocol

    class Files(Protocol):
        """What knows the files of a project."""

        def holds(self, directory: str, setting: str) -> bool:
            """Whether `directory`, or one above it, has the file of a setting."""


MAX_PARENTS = 64
MAX_SIZE = 1 << 20
MAX_DIRECTORIES = 16
_ESCAPES = (b"\\u", b"\\x", b"\0")
"""A file with one of these may spell a word in another way, or is in another encoding."""
_COMPUTED = frozenset("$`{*?[…")
_INSIDE = b"-_" + bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123))
_APART = bytes(char if char in _INSIDE else 32 for char in range(256))
"""Words are letters of either case, digits, `-` and `_`: `extend` is not in `extend-select`."""


class ProjectFiles:
    """Looks at the file system. `asked`: it did, so that the answer may be another one next time.

    Files in the home directory and above it belong to the user, not to a project.
    """

    __slots__ = ("asked", "home")

    def __init__(self, home: str | None = None) -> None:
        self.home = home
        self.asked = False

    def holds(self, directory: str, setting: str) -> bool:
        """Whether a file is there, and holds one of the setting's words if it has any."""
        self.asked = True
        name, _, words = setting.partition("=")
        at = os.path.realpath(directory or ".")
        home = os.path.realpath(self.home) if self.home else ""
        for _ in range(MAX_PARENTS):
            if at == home:
                return False
            if _has(os.path.join(at, name), words.split("|") if words else []):
                return True
            at, below = os.path.dirname(at), at
            if at == below:
                return False
        return True


def _has(path: str, words: list[str]) -> bool:
    """Whether the file is there and may hold one of the words."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return os.path.islink(path)
    except OSError:
        return True
    if not words:
        return True
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_SIZE:
        return True
    try:
        with open(path, "rb") as file:
            text = file.read(MAX_SIZE).lower()
    except OSError:
        return True
    if any(sign in text for sign in _ESCAPES):
        return True
    there = set(text.translate(_APART).split())
    return not there.isdisjoint(word.lower().encode() for word in words)


def settled(
    steps: tuple[Step, ...], directories: "Iterable[str]", home: str | None, files: "Files | None"
) -> tuple[Step, ...]:
    """The steps without what would happen only if the project had a file that it has not.

    `directories` are those that the request may run in; each is looked at.
    """
    if files is None:
        return steps
    for step in steps:
        for cause in step.reading.effects if step.reading is not None else ():
            if cause.where:
                return _settled(steps, directories, home, files)
    return steps


def _settled(
    steps: tuple[Step, ...], directories: "Iterable[str]", home: str | None, files: "Files"
) -> tuple[Step, ...]:
    places = [_expanded(directory, home) for directory in directories] or [""]
    if None in places or len(places) > MAX_DIRECTORIES:
        return steps
    known = [place for place in places if place is not None]
    return tuple(_settle(step, known, files) for step in steps)


def _depends(reading: Reading) -> bool:
    return any(cause.where for cause in reading.effects)


def _expanded(directory: str, home: str | None) -> str | None:
    """The directory as the kernel knows it, or None where it cannot be known."""
    if directory == "-" or not _COMPUTED.isdisjoint(directory):
        return None
    if directory[:1] == "~":
        rest = directory[1:]
        return home + rest if home and rest[:1] in ("", "/") else None
    return directory


def _settle(step: Step, places: list[str], files: "Files") -> Step:
    reading = step.reading
    if reading is None or not _depends(reading):
        return step
    kept = tuple(
        cause
        for cause in reading.effects
        if not cause.where
        or any(files.holds(place, setting) for setting in cause.where for place in places)
    )
    return step.replace(reading=_with(reading, kept))


def _with(reading: Reading, causes: tuple[Cause, ...]) -> Reading:
    if causes == reading.effects:
        return reading
    return reading.replace(effects=causes or (Cause("read", "only reads"),))
