"""The place of a path that a tool was given: text of a JSON payload, from the call's directory.

No shell reads such a path, so `~`, `$HOME`, `%2e` and `*` are names like others. Some hosts expand
a home all the same, so a path that begins with one is two places, of which the stricter counts.
"""

import posixpath

from execpolicy.model.place import Place
from execpolicy.places.process import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Locates(Protocol):
        """What can tell where an absolute path leads."""

        def locate(self, path: str, follow: bool = True) -> Place:
            """Where it leads; without `follow` a link at the end is the place itself."""


NOT_A_PATH, OTHER_HOME = "not a path", "other home"
_VARIABLES = ("$HOME", "${HOME}")


def locate(path: str, cwd: str, mode: str, resolver: "Locates") -> Place:
    """The place of a path as its text is, read from `cwd`, the absolute directory of the call.

    What is removed or moved is the name itself: a link is not followed. A text that is empty or no
    UTF-8 names nothing that is the same for every host.
    """
    start = spelled(path)
    whole = start if start[:1] == "/" else f"{cwd.rstrip('/')}/{start}"
    lexical = "/" + posixpath.normpath(whole).lstrip("/")
    if not path or not (path.isascii() or not any("\ud800" <= char <= "\udfff" for char in path)):
        return Place(path, lexical, None, NOT_A_PATH)
    found = resolver.locate(whole, mode != "remove")
    return Place(path, lexical, found.real, found.problem)


def candidates(
    path: str, cwd: str, mode: str, resolver: "Locates", home: str | None = None
) -> tuple[Place, ...]:
    """Every place that a tool may take the path for: the home that it begins with, and the name.

    `home` is the absolute home directory of the tool's user; without one it is another user's.
    """
    name = locate(path, cwd, mode, resolver)
    rest = _in_home(path)
    if rest is None:
        return (name,)
    if rest[:1] == "~" or home is None:
        return Place(path, path, None, OTHER_HOME), name
    there = locate(home.rstrip("/") + rest, cwd, mode, resolver)
    return Place(path, there.lexical, there.real, there.problem), name


def _in_home(path: str) -> str | None:
    """What follows the home that a path begins with; None where it begins with none.

    >>> _in_home("~/a"), _in_home("${HOME}"), _in_home("~root/a"), _in_home("a/~")
    ('/a', '', '~root/a', None)
    """
    first, slash, rest = path.partition("/")
    if first in ("~", *_VARIABLES):
        return slash + rest
    return path if first[:1] == "~" else None
