"""Compiled rules on disk, for processes that are started anew for each command.

A file holds a header, the stamp of all it was made from, and one `marshal` value: plain data, nothing
that runs when it is read. It lies in a directory of mode 0700 and counts only if this user owns both
and nobody else can write to them. Anything odd means that it is compiled again.
"""

import binascii
import marshal
import os
import sys

from execpolicy import version
from execpolicy.store import dirs
from execpolicy.store.files import is_mine, private_directory, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEADER = (
    f"execpolicy {version.PACKAGE} {version.LANGUAGE} {version.COMPILED} "
    f"{sys.implementation.cache_tag} {marshal.version}\n"
).encode()


def read(name: str, stamp: str) -> "Any | None":
    """What was written under this name with this very stamp, or None."""
    path = os.path.join(dirs.cache(), name)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        if not is_mine(os.fstat(descriptor)) or not is_mine(os.stat(dirs.cache())):
            return None
        data = file.read()
    return _parse(data, stamp)


def _parse(data: bytes, stamp: str) -> "Any | None":
    expected = _HEADER + stamp.encode() + b"\n"
    if not data.startswith(expected):
        return None
    body = data[len(expected) + 8 :]
    if data[len(expected) : len(expected) + 8] != b"%08x" % binascii.crc32(body):
        return None
    try:
        return marshal.loads(body)  # noqa: S302 — data, of a file that only this user can write
    except (EOFError, ValueError, TypeError):
        return None


def write(name: str, stamp: str, value: "Any") -> None:
    """Keep a value of plain data. A disk that refuses is no reason to fail: it is a cache."""
    body = marshal.dumps(value)
    data = b"%b%b\n%08x%b" % (_HEADER, stamp.encode(), binascii.crc32(body), body)
    try:
        private_directory(dirs.cache())
        if is_mine(os.stat(dirs.cache())):
            replace(os.path.join(dirs.cache(), name), data, 0o600)
    except OSError:
        return
