"""Whether a project has a file that names what a program runs, reaches or writes."""

import os
import stat
from _collections_abc import Iterator

from execpolicy.model.place import SettingsFile
from execpolicy.support.disk.bounded import read

MAX_PARENTS = 64
MAX_SIZE = 1 << 20
ADDRESS = "://@"
"""In the place of a word: an address with a key in it."""
MIN_KEY = 20
"""Characters of a name of a user that may be a key."""
_BEFORE_PATH = bytes(32 if char in b"/?#\"' \t\r\n" else char for char in range(256))
_ESCAPES = (b"\\u", b"\\x", b"\0")
"""A file with one of these may spell a word in another way, or is in another encoding."""
MAX_EXTENDED = 8
"""So many files of which one extends the next are followed."""
_EXTENDING = (b"extends", b"extend")
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


def _has(path: str, words: tuple[str, ...], left: int = MAX_EXTENDED) -> bool:
    """Whether the file is there and may hold one of the words, if there are any, itself or in what
    it extends. No directory does."""
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
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_SIZE or not left:
        return True
    data = read(path, MAX_SIZE)
    if data is None:
        return True
    text = data.lower()
    if any(sign in text for sign in _ESCAPES):
        return True
    there = set(text.translate(_APART).split())
    if not there.isdisjoint(word.lower().encode() for word in words) or (
        ADDRESS in words and has_key(text)
    ):
        return True
    extended = () if there.isdisjoint(_EXTENDING) else _extended(path, data)
    return any(_taken(each, words, left - 1) for each in extended)


def has_key(text: bytes) -> bool:
    """Whether an address in a text holds a password, or a name as long as a key.

    >>> has_key(b"https://a:b@c/"), has_key(b"https://me@c/"), has_key(b"ssh://git@c:22/a@b:c")
    (True, False, False)
    """
    for rest in text.split(b"://")[1:]:
        authority = rest.translate(_BEFORE_PATH).split(b" ", 1)[0]
        user, at, _ = authority.rpartition(b"@")
        if at and (b":" in user or len(user) >= MIN_KEY):
            return True
    return False


def _taken(candidates: list[str], words: tuple[str, ...], left: int) -> bool:
    """Whether one of the words may be taken from the first of these files, which is there."""
    there = [path for path in candidates if os.path.isfile(path)]
    return not there or any(_has(path, words, left) for path in there)


def _extended(path: str, data: bytes) -> Iterator[list[str]]:
    """The files that the settings of one may be taken from, in JSON or TOML: by a path from its
    directory, or as a package (tsconfig reference, `extends`; ruff, `extend`)."""
    for value in data.replace(b"'", b'"').split(b"extend")[1:]:
        if value[:1] in (b"-", b"_"):  # `extend-select`
            continue
        begin = value.find(b"[") + 1
        listed = begin > 0 and not value[: begin - 1].strip(b's"\r\n\t =:')
        texts = value[begin : value.find(b"]")] if listed else value.lstrip(b's"')
        names = texts.split(b'"')[1::2]
        for name in map(os.fsdecode, names if listed else names[:1]):
            yield [*_standing(os.path.dirname(path), name)]


def _standing(directory: str, name: str) -> Iterator[str]:
    """Where a name of what is extended may lead from a directory."""
    above = [directory]
    if name[:1] not in "./":
        while len(above) < MAX_PARENTS and above[-1] != "/":
            above.append(os.path.dirname(above[-1]))
        above = [directory, *(os.path.join(each, "node_modules") for each in above)]
    for each in above:
        path = os.path.join(each, name)
        yield from (path, path + ".json", os.path.join(path, "tsconfig.json"))
