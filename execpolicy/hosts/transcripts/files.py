"""Transcripts as files: opened without following a link, and read as far as limits allow.

A transcript is hostile: what it holds was written by a model, by what the model read, and perhaps
by who sent the file. Nothing that it names is opened.
"""

import json
import os
import stat
from collections.abc import Iterator
from io import BufferedReader

from execpolicy.model.errors import ExecPolicyError, printable

Record = dict[str, object]

MAX_FILE = 1 << 30
MAX_LINE = 16 << 20
MAX_DOCUMENT = 128 << 20
"""Bytes of a transcript, of one of its lines, and of one that is a single JSON document."""
MAX_DEEP = 6
MAX_FILES = 20_000
"""Directories below which transcripts are looked for, and how many are taken."""


def opened(path: str, follow: bool = False) -> BufferedReader:
    """The file for reading. Raises `ExecPolicyError` for what is not a regular file of that size.

    A link is followed only where the user named it.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        file = open(os.open(path, flags), "rb")  # noqa: SIM115 — its reader closes it
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ExecPolicyError(f"cannot read `{printable(path, 80)}`: {why}") from None
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE:
        file.close()
        raise ExecPolicyError(f"`{printable(path, 80)}` is not a file of at most {MAX_FILE} bytes")
    return file


def records(file: BufferedReader) -> Iterator[Record]:
    """The JSON objects of a file of lines; what is not an object, or too long, is left out."""
    while line := file.readline(MAX_LINE):
        if len(line) == MAX_LINE and line[-1:] != b"\n":
            _skip(file)
        elif (found := parsed(line)) is not None:
            yield found


def _skip(file: BufferedReader) -> None:
    """Go to the end of a line."""
    while (rest := file.readline(MAX_LINE)) and rest[-1:] != b"\n":
        pass


def parsed(data: bytes) -> Record | None:
    """The JSON object in these bytes; None where there is none."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def document(path: str, follow: bool = False) -> Record | None:
    """A file that is one JSON object."""
    with opened(path, follow) as file:
        data = file.read(MAX_DOCUMENT + 1)
    return parsed(data) if len(data) <= MAX_DOCUMENT else None


def first_line(path: str) -> str:
    """The first line of a small file that a host wrote beside a transcript, or nothing."""
    try:
        with opened(path) as file:
            return file.readline(4096).decode().strip()
    except (ExecPolicyError, UnicodeDecodeError):
        return ""


def below(directory: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The regular files below a directory with one of these endings, in order, links left out."""
    left = [(directory, 0)]
    count = 0
    while left and count < MAX_FILES:
        here, depth = left.pop()
        try:
            with os.scandir(here) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            if entry.is_file(follow_symlinks=False) and entry.name.endswith(endings):
                count += 1
                yield entry.path
        folders = [e.path for e in found if e.is_dir(follow_symlinks=False)] * (depth < MAX_DEEP)
        left += [(path, depth + 1) for path in reversed(folders)]
