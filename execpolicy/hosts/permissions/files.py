"""Reading a host's settings in the middle of a call: bounded, and no file that waits or leads away.

A file that is not there says nothing. One that is there and cannot be read, is a link out of its
place, too long or not what it should be, makes the whole unknown.
"""

import os
import stat

from execpolicy.model.errors import ExecPolicyError
from execpolicy.support.disk.repository import top
from execpolicy.support.path_match import below

MAX_BYTES = 1024 * 1024


class UnreadableError(ExecPolicyError):
    """A host's file that is there, and of which nothing is known."""


def home(*parts: str) -> str:
    """A path below the home directory."""
    return os.path.join(os.path.expanduser("~"), *parts)


def moved(variable: str, default: str, root: str | None) -> str:
    """The directory that a variable names, or the default one.

    A project's settings may set variables of their host, so a directory inside the project is not
    believed. Raises `UnreadableError`.
    """
    given = os.environ.get(variable, "")
    if not given:
        return home(default)
    real = os.path.realpath(given)
    if real == os.path.realpath(home(default)):
        return given
    if not given.startswith("/") or (root and below(real, os.path.realpath(root))):
        raise UnreadableError(f"`{variable}` names no directory of yours")
    return given


def text(path: str, within: str | None = None) -> str | None:
    """The text of a regular file, None where there is none.

    A link counts where it leads to below `within`, by default the home directory; a system's file
    has to be root's. Raises `UnreadableError`.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror}") from None
    try:
        _check(path, os.fstat(descriptor), within)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise UnreadableError(f"{path}: longer than {MAX_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableError(f"{path}: not UTF-8") from None


def _check(path: str, found: os.stat_result, within: str | None) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableError(f"{path}: not a regular file")
    if found.st_uid not in (0, os.getuid()) or found.st_mode & stat.S_IWOTH:
        raise UnreadableError(f"{path}: not yours alone to write")
    real = os.path.realpath(path)
    place = os.path.realpath(within or os.path.expanduser("~"))
    systems = found.st_uid == 0 != os.getuid()
    if real != os.path.normpath(path) and not systems and not below(real, place):
        raise UnreadableError(f"{path}: a link that leads out of its place")


def json(path: str, within: str | None = None) -> "dict[str, object]":
    """The object in a file of JSON, with comments or without. Raises `UnreadableError`."""
    return parsed_json(path, text(path, within))


def parsed_json(path: str, found: str | None) -> "dict[str, object]":
    """The object in the text of a file; empty where there is none. Raises `UnreadableError`."""
    if found is None or not found.strip():
        return {}
    from execpolicy.hosts.install import jsonc

    try:
        value = jsonc.parse(found).value
    except (ExecPolicyError, RecursionError) as error:
        raise UnreadableError(f"{path}:{error}") from None
    if not isinstance(value, dict):
        raise UnreadableError(f"{path}: it is not a JSON object")
    return value


def toml(path: str, within: str | None = None) -> "dict[str, object]":
    """The table in a file of TOML. Raises `UnreadableError`."""
    return parsed_toml(path, text(path, within))


def parsed_toml(path: str, found: str | None) -> "dict[str, object]":
    """The table in the text of a file; empty where there is none. Raises `UnreadableError`."""
    if found is None:
        return {}
    import tomllib

    try:
        return tomllib.loads(found)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableError(f"{path}: {error}") from None


def names(folder: str, suffix: str) -> list[str]:
    """The files of a directory with this suffix, in order. Raises `UnreadableError`."""
    try:
        found = sorted(entry for entry in os.listdir(folder) if entry.endswith(suffix))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UnreadableError(f"{folder}: {error.strerror}") from None
    if len(found) > MAX_FILES:
        raise UnreadableError(f"{folder}: more than {MAX_FILES} files")
    return [os.path.join(folder, name) for name in found]


MAX_FILES = 64


def table(value: object) -> "dict[str, object]":
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def many(value: object) -> list[str]:
    """A text, or the texts of a list."""
    return [value] if isinstance(value, str) else texts(value)


def texts(value: object) -> list[str]:
    """The texts of a list; none where it is not a list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def tracked(path: str) -> bool:
    """Whether git may have brought this file of a project: it stands in the index of its
    repository, or that cannot be read. Where there is no repository nothing was brought."""
    root = top(os.path.dirname(os.path.realpath(path)))
    if root is None:
        return False
    try:
        descriptor = os.open(os.path.join(root, ".git/index"), os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return True
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_INDEX + 1)
    finally:
        os.close(descriptor)
    plain = data[:4] == b"DIRC" and data[4:8] in (b"\0\0\0\2", b"\0\0\0\3")
    name = os.path.relpath(os.path.realpath(path), root).encode(errors="surrogateescape")
    return not plain or len(data) > MAX_INDEX or name + b"\0" in data


MAX_INDEX = 64 * 1024 * 1024
