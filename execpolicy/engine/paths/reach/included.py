"""What files include of others, as far as their own text says so.

The languages differ in the word (`#include`, `.so`, `source`, `path =` under `[include]`) and agree
in this: the line with the word names the file. Such a line is searched for all names of files that
are there; a line that defines something counts as one, for the name may be given there.
"""

import posixpath
from _collections_abc import Iterator, Sequence

from execpolicy.engine.paths.computed_paths import words
from execpolicy.engine.paths.literal_paths import LiteralPaths
from execpolicy.engine.paths.touched import Touched
from execpolicy.places.resolver import MAX_HEAD

MAX_FILES = 64
"""Files that are looked into. A program that reads more of them may read anything."""
_MARKS = (
    *("include", "import", "embed", "incbin", "source", "extends", "define", "inherit", "input"),
    *(".so ", ".mso", ".ds ", ".als", "path", "file", "load", ". "),
)
_AROUND = "<>[]#!%@"


def included(path: str, directories: "Sequence[str]", literal: LiteralPaths) -> "Iterator[Touched]":
    """The classes of the files that one includes, and that these include.

    A name is looked for beside the file that has it and in `directories`.
    """
    resolver = literal.where.resolver
    waiting, seen = [path], {path}
    while waiting:
        here = waiting.pop()
        text = resolver.head(here)
        if len(seen) > MAX_FILES or len(text) >= MAX_HEAD:
            yield Touched((), tuple(literal.everything(here)))
            return
        around = dict.fromkeys((posixpath.dirname(here), *directories))
        for name in _names(text):
            for other in literal.where.absolute(name, 0) if name[:1] in "/~" else _in(around, name):
                if other not in seen and resolver.kind(other) != "missing":
                    seen.add(other)
                    yield literal.place(other)
                    if resolver.kind(other) == "file":
                        waiting.append(other)


def _in(directories: "dict[str, None]", name: str) -> "list[str]":
    return [posixpath.join(directory, name) for directory in directories]


def _names(text: str) -> "Iterator[str]":
    """The words of the lines in which something may be included."""
    for line in text.splitlines():
        low = line.lower()
        if any(mark in low for mark in _MARKS):
            for word in words(line.translate(_BARE)):
                if "." in word or "/" in word:
                    yield word


_BARE = str.maketrans(dict.fromkeys(_AROUND, " "))
