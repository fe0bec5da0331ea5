"""What a tool of files is given: paths under whatever name, and patches."""

from execpolicy.agents.base import PayloadError
from execpolicy.agents.payload import hint, optional
from execpolicy.operation import Access, Dynamic, Opaque, Operation, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.agents.base import Payload

_PATHS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "notebookPath",
    "AbsolutePath", "TargetFile", "dir_path", "directory_path", "DirectoryPath", "SearchPath",
    "SearchDirectory", "target_file", "filename", "file", "image_path", "imagePath", "dirPath",
    "directory", "folder", "folder_path", "relative_workspace_path", "target_directory",
)  # fmt: skip
_LISTS = ("paths", "include", "files", "file_paths", "filePaths", "image_paths")
_NESTED = ("operations", "edits", "files", "changes")
_FROM = (
    "source", "source_path", "sourcePath", "src", "from", "old_path", "oldPath", "source_file",
    "old_name", "oldName", *_PATHS,
)  # fmt: skip
_TO = (
    "destination", "destination_path", "destinationPath", "dest", "dst", "to", "target",
    "target_path", "targetPath", "new_path", "newPath", "new_name", "newName", "destination_file",
)  # fmt: skip
_MODES = {"list": "read", "search": "read"}
_EXTENTS = {"list": "names", "search": "tree"}
MAX_DEPTH = 8


def accesses(sort: str, given: "Payload", cwd: str | None) -> "Iterator[Operation]":
    """The files that a tool of this sort touches. Raises `PayloadError` where none is named."""
    if sort in ("move", "copy"):
        yield from _both_ends(sort, given, cwd)
        return
    paths = [*_named(given, 0), *_pattern(sort, given)]
    mode, extent = _MODES.get(sort, sort), _EXTENTS.get(sort, "file")
    if not paths:
        if sort not in ("list", "search"):
            raise PayloadError(f"`{_PATHS[0]}` is missing")
        paths = ["."]
    for path in paths:
        yield Access(absolute(path, cwd), mode, extent=extent)


def _pattern(sort: str, given: "Payload") -> "Iterator[Word]":
    """A pattern of names that leads elsewhere. Where contents are searched it is no path."""
    pattern = hint(given, "pattern", "Pattern")
    if sort != "search" and pattern and (pattern[0] in "/~" or ".." in pattern):
        yield Dynamic(pattern)


def _both_ends(sort: str, given: "Payload", cwd: str | None) -> "Iterator[Operation]":
    source, target = optional(given, *_FROM), optional(given, *_TO)
    if source is None or target is None:
        raise PayloadError(f"`{_FROM[0]}` or `{_TO[0]}` is missing")
    bare = target == optional(given, "new_name", "newName") and "/" not in target
    if bare and "/" in source:
        target = f"{source.rpartition('/')[0]}/{target}"
    yield Access(absolute(_path(source), cwd), "remove" if sort == "move" else "read")
    yield Access(absolute(_path(target), cwd), "write")


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


def _named(given: "Payload", depth: int) -> "Iterator[Word]":
    """Every path in a tool's input, under whatever name: the strictest of them decides."""
    for name in _PATHS:
        path = optional(given, name)
        if path is not None:
            yield _path(path)
    for name in dict.fromkeys((*_LISTS, *_NESTED)):
        found = given.get(name)
        for one in found if isinstance(found, list) else ():
            if isinstance(one, dict) and depth < MAX_DEPTH:
                yield from _named(one, depth + 1)
            elif name in _LISTS:
                yield Dynamic(_path(one))


def _path(path: object) -> str:
    if not isinstance(path, str):
        raise PayloadError("a path is not a text")
    if not path:
        raise PayloadError("the path is empty")
    if "\0" in path:
        raise PayloadError("the path contains a NUL")
    return path


_PATCH = {
    "*** Add File:": "write",
    "*** Update File:": "write",
    "*** Move to:": "write",
    "*** Delete File:": "remove",
}


def patched(patch: str, cwd: str | None = None) -> "Iterator[Operation]":
    """The files that a patch in the form of `apply_patch` names.

    A line of content that looks like a name counts too: it can only make the answer stricter.
    """
    found = False
    for line in patch.splitlines():
        for mark, mode in _PATCH.items():
            if line.strip().startswith(mark):
                found = True
                yield Access(absolute(_path(line.strip()[len(mark) :].strip()), cwd), mode)
    if not found:
        yield Opaque(patch, "a patch that names no file")
