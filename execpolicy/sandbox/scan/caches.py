"""Where known tools keep what they fetched and built, below the home (rules/words/caches.words)."""

import os
from _collections_abc import Iterable, Iterator

from execpolicy.support.resources import words_of

CACHES = {path: program for program, paths in words_of("caches").items() for path in sorted(paths)}
"""Each with the program that keeps it."""

TOOLCHAINS = (
    ".cache/uv/environments-v2",
    ".cache/pnpm/dlx",
    "go/pkg/mod/golang.org",
)
"""What lies in them and holds programs: environments of `uvx`, packages of `pnpm dlx`, the Go that
a module asked for."""

COPIED = (".cache",)
"""What may be copied beside them: what is written there is gone after the run, programs too."""


def there(home: str, names: "Iterable[str]") -> "Iterator[str]":
    """Those of these directories that are there, and not somewhere else by a link."""
    for name in names:
        path = os.path.join(home, name)
        if os.path.isdir(path) and os.path.realpath(path) == path:
            yield path


def to_be_made(home: str, programs: "Iterable[str]") -> "Iterator[str]":
    """The caches that are not there yet, of tools that one of these directories has."""
    directories = tuple(programs)
    for name, program in CACHES.items():
        path = os.path.join(home, name)
        if os.path.lexists(path) or os.path.realpath(path) != path:
            continue
        if any(os.path.exists(os.path.join(d, program)) for d in directories):
            yield path
