"""Whether a project has a file that names what a program runs, reaches or writes."""

import os
import stat

from execpolicy.model.place import SettingsFile
from execpolicy.support.disk.bounded import read

MAX_PARENTS = 64
MAX_SIZE = 1 << 20
_ESCAPES = (b"\\u", b"\\x", b"\0")
"""A file with one of these may spell a word in another way, or is in another encoding."""
_INSIDE = b"-_" + bytes(range(48, 58)) + bytes(range(65, 91)) + bytes(range(97, 123))
_APART = bytes(char if char in _INSIDE else 32 for char in range(256))
"""Words are letters of either case, digits, `-` and `_`: `extend` is not in `extend-select`."""


def holds(directory: str, settings: tuple[SettingsFile, ...], home: str) -> bool:
    """Whether a file is in a real directory or above it, and has one of the words if any.

    Files in the home and above belong to the user.
    """
    at = directory.rstrip("/")
    for _ in range(MAX_PARENTS):
        if (at or "/") == home:
            return False
        for setting in settings:
            if _has(os.path.join(at or "/", setting.name), setting.words):
                return True
        if not at:
            return False
        at = at[: at.rfind("/")]
    return True


def _has(path: str, words: tuple[str, ...]) -> bool:
    """Whether the file is there and may hold one of the words, if there are any. No directory
    does."""
    found = None
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return found is not None  # a link to what is not there
    except OSError:
        return True
    if not words:
        return True
    if stat.S_ISDIR(found.st_mode):
        return False
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_SIZE:
        return True
    data = read(path, MAX_SIZE)
    if data is None:
        return True
    text = data.lower()
    if any(sign in text for sign in _ESCAPES):
        return True
    there = set(text.translate(_APART).split())
    return not there.isdisjoint(word.lower().encode() for word in words)
