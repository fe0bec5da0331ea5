"""Where PATH finds a program, and whether an agent may have put it there."""

import os
from _collections_abc import Iterator

from execpolicy.support.path_match import below

MAX_LINKS = 40


def planted(name: str, path: tuple[str, ...], directories: tuple[str, ...]) -> str | None:
    """The first place of the program, or a link on the way to it, that agents may write to.

    `directories` are real paths. A relative directory of PATH counts as one of them.
    """
    for found in _found(name, path):
        if found[:1] != "/" or any(below(found, directory) for directory in directories):
            return found
    return None


def is_open(path: tuple[str, ...], directories: tuple[str, ...]) -> bool:
    """Whether PATH has a directory where agents may put programs."""
    every = [form for at in path for form in (at or ".", os.path.realpath(at or "."))]
    return any(
        at[:1] != "/" or any(below(at, directory) for directory in directories) for at in every
    )


def found(name: str, path: tuple[str, ...]) -> str | None:
    """The program that PATH finds, where no relative directory comes before it."""
    first = next(_found(name, path), None)
    return first if first is not None and first[:1] == "/" else None


def directories(path: tuple[str, ...]) -> tuple[str, ...]:
    """The absolute directories of PATH, each as it is called and as it really lies."""
    called = [os.path.normpath(at) for at in path if at[:1] == "/"]
    return tuple(dict.fromkeys(form for at in called for form in (at, os.path.realpath(at))))


def finds(path: str, looked_in: tuple[str, ...]) -> bool:
    """Whether the first program of this name that PATH finds is this very file."""
    name = os.path.basename(path)
    real = [each for each in _found(name, looked_in) if each[:1] == "/"]
    return path in real or any(os.path.realpath(each) == path for each in real[:1])


def _found(name: str, path: tuple[str, ...]) -> "Iterator[str]":
    """The program's path and each link on the way, as far as they can be read."""
    if not name.isascii() and any("\ud800" <= char <= "\udfff" for char in name):
        return  # no file has such a name
    for directory in path:
        found = directory + name if directory[-1:] in ("", "/") else f"{directory}/{name}"
        if directory[:1] != "/":  # it moves with every `cd`
            yield found
        elif os.access(found, os.X_OK) and os.path.isfile(found):
            yield from _way(found)
            return


def _way(program: str) -> "Iterator[str]":
    """A path, each link on the way from it, and the file that it leads to."""
    real = os.path.realpath(program)
    for _ in range(MAX_LINKS):
        yield program
        if program == real:
            return
        try:
            program = os.path.join(os.path.dirname(program), os.readlink(program))
        except OSError:
            break
    yield real
