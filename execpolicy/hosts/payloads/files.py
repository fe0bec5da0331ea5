"""What a tool of files touches, as operations: paths from the call's directory, and patches."""

from execpolicy.hosts.payloads.fields import PATHS, Touch, named
from execpolicy.hosts.payloads.fields import patched as patched_paths
from execpolicy.hosts.payloads.protocol import PayloadError
from execpolicy.model.operation import Access, Dynamic, Opaque, Operation, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.hosts.payloads.protocol import Payload
    from execpolicy.model.operation import Extent, Mode

_EXTENTS: "dict[str, Extent]" = {"list": "names", "search": "tree"}


def accesses(sort: str, given: "Payload", cwd: str | None) -> "Iterator[Operation]":
    """The files that a tool of this sort touches. Raises `PayloadError` where none is named."""
    found = tuple(named(sort, given))
    if not found:
        if sort not in ("list", "search"):
            raise PayloadError(f"`{PATHS[0]}` is missing")
        found = (Touch(".", "read"),)
    for touch in found:
        mode: Mode = "remove" if touch.moved else touch.mode
        yield Access(absolute(_word(touch), cwd), mode, extent=_EXTENTS.get(sort, "file"))


def _word(touch: Touch) -> Word:
    """One of a list that is read may be a pattern; a file that is written is named."""
    listed = touch.listed and (touch.mode == "read" or not _PATTERN.isdisjoint(touch.path))
    return Dynamic(touch.path) if listed or touch.pattern else touch.path


_PATTERN = frozenset("*?[{$")


def absolute(path: Word, cwd: str | None) -> Word:
    """The path from the directory that the payload names. What is in a home or absolute stays."""
    if isinstance(path, Dynamic):
        source = str(absolute(path.source, cwd))
        return Dynamic(source, _literal(source), path.single)
    if path[:1] in "/~" or not cwd or not cwd.startswith("/"):
        return path
    return cwd if path == "." else f"{cwd.rstrip('/')}/{path}"


def _literal(pattern: str) -> str:
    """What stands before the first sign of a pattern."""
    ends = [at for at in map(pattern.find, "*?[{$`~") if at >= 0]
    return pattern[: min(ends, default=len(pattern))]


def patched(patch: str, cwd: str | None = None) -> "Iterator[Operation]":
    """The files that a patch in the form of `apply_patch` names."""
    found = tuple(patched_paths(patch))
    for touch in found:
        yield Access(absolute(touch.path, cwd), touch.mode)
    if not found:
        yield Opaque(patch, "a patch that names no file")
