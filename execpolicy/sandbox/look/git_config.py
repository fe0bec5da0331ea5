"""Files that the configuration of git names: includes, attributes, programs.

Git reads or runs them whenever it is used in the repository (git-config(1)), so that one which lies
in a project runs as a hook does.
"""

import os

from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.sandbox.plan import GitDirectories

MAX_BYTES, MAX_DEPTH = 1 << 20, 5
_GLOBAL = (".gitconfig", ".config/git/config")
_SETTINGS = words_of("git")
_RUN = _SETTINGS["changing"] | _SETTINGS["others"]
"""Settings whose value is a command."""


def named(git: "GitDirectories", root: str, home: str) -> tuple[str, ...]:
    """Absolute paths that the repository's and the user's configuration name.

    Of commands only what is no directory: files, and paths that are not there yet.

    Relative ones count from the top of the working tree, as git runs commands, and from the file
    that names them.
    """
    own = (f"{git.common}/config", f"{git.own}/config.worktree")
    files = (*own, *(f"{home}/{name}" for name in _GLOBAL))
    found: dict[str, None] = {}
    for path in files:
        for one in _of(path, root, home, MAX_DEPTH):
            found[one] = None
    return tuple(found)


def _of(file: str, root: str, home: str, depth: int) -> "Iterator[str]":
    for key, value in _settings(file):
        if key in _SETTINGS["includes"]:
            path = _placed(value, os.path.dirname(file), home)
            yield path
            if depth:
                yield from _of(path, root, home, depth - 1)
        elif key in _SETTINGS["files"]:
            yield _placed(value, root, home)
        elif key in _RUN:
            yield from _run(value, root, home)


def _run(command: str, root: str, home: str) -> "Iterator[str]":
    """The files that the words of a command may be; a name without a slash only if it is there."""
    for word in command.split():
        word = word.strip("\"';&|()!")
        path = _placed(word, root, home)
        if word[:1] in ("", "-", "%", "$") or os.path.isdir(path):
            continue
        if "/" in word or os.path.lexists(path):
            yield path


def _placed(path: str, base: str, home: str) -> str:
    if path[:2] == "~/":
        path = home + path[1:]
    return os.path.normpath(os.path.join(base, path))


def _settings(file: str) -> "Iterator[tuple[str, str]]":
    """Each setting as `section.key` in lower case, without the name in quotes, and its value."""
    section = ""
    for line in map(str.strip, _text(file).replace("\\\n", " ").splitlines()):
        if line[:1] == "[":
            head, _, line = line[1:].partition("]")
            section = head.partition('"')[0].strip().lower()
        key, _, value = line.partition("=")
        if key.strip():
            yield f"{section}.{key.strip().lower()}", value.strip().replace('"', "")


def _text(file: str) -> str:
    """The text of a file; empty where it is none, or cannot be read."""
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        return os.read(fd, MAX_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
    finally:
        os.close(fd)
