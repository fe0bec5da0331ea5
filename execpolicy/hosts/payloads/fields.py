"""Which paths the input of a tool names, by one table of fields for the tools of all hosts.

Hosts copy each other's tools, so a tool is known by its name whatever host it is of, and a path by
the name of its field. What a tool finds out by itself (a search without a directory, a command)
names no path: that is met where files are opened.
"""

from execpolicy.hosts.payloads.payload import hint, optional
from execpolicy.hosts.payloads.protocol import PayloadError
from execpolicy.hosts.payloads.tool_names import kind, served_kind
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.hosts.payloads.protocol import Payload
    from execpolicy.model.operation import Mode

PATHS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "notebookPath",
    "AbsolutePath", "TargetFile", "dir_path", "directory_path", "DirectoryPath", "SearchPath",
    "SearchDirectory", "target_file", "filename", "file", "image_path", "imagePath", "dirPath",
    "directory", "folder", "folder_path", "relative_workspace_path", "target_directory",
    "target_notebook", "File",
)  # fmt: skip
_LISTS = ("paths", "include", "files", "file_paths", "filePaths", "image_paths")
_NESTED = ("operations", "edits", "files", "changes", "replacements")
FROM = (
    "source", "source_path", "sourcePath", "src", "from", "old_path", "oldPath", "source_file",
    "old_name", "oldName", *PATHS,
)  # fmt: skip
TO = (
    "destination", "destination_path", "destinationPath", "dest", "dst", "to", "target",
    "target_path", "targetPath", "new_path", "newPath", "new_name", "newName", "destination_file",
)  # fmt: skip
PATCHES = ("command", "patchText", "patch", "input", "diff")
COMMANDS = ("command", "cmd", "CommandLine", "command_line", "script")
_PATCHERS = ("apply_patch", "applypatch")
"""The program of Codex that applies a patch, by both of its names."""
_MODES: "dict[str, Mode]" = {
    "read": "read",
    "list": "read",
    "search": "read",
    "write": "write",
    "copy": "write",
    "move": "write",
    "remove": "remove",
}
_NO_FILES = frozenset(("fetch", "mcp", "unread", "typed", "other"))
_READING = frozenset(("view", "read", "list", "undo"))
"""What a tool that is an editor only shows (its field `command`)."""
MAX_DEPTH = 8


class Touch(Value):
    """One path in a tool's input, as it is written there, and what the tool does to it.

    `mode` is `read`, `write` or `remove`. `listed` is a path of a list, which may be a glob,
    `pattern` one that is certainly one. `moved` is the old name of what gets another: the name
    itself changes, and not what a link there leads to.
    """

    path: str
    mode: "Mode"
    listed: bool = False
    pattern: bool = False
    moved: bool = False


def touched(tool: str, given: "Payload") -> tuple[Touch, ...]:
    """The paths that a call of this tool names.

    Raises `PayloadError` where a known tool's input is not what it takes.
    """
    sort = kind(tool) or served_kind(tool)
    if sort == "shell":
        return _in_command(given)
    if sort in ("list", "search"):
        return tuple(named(sort, given))
    if sort is None or sort in _NO_FILES:
        return ()
    if sort == "patch":
        text = optional(given, *PATCHES)
        if text is None:
            raise PayloadError(f"`{PATCHES[0]}` is missing")
        return tuple(patched(text))
    found = tuple(named(sort, given))
    if not found:
        raise PayloadError(f"`{PATHS[0]}` is missing")
    return found


def named(sort: str, given: "Payload") -> "Iterator[Touch]":
    """The paths in the input of a tool of this sort, under whatever name."""
    if sort in ("move", "copy"):
        yield from _both_ends(sort, given)
        return
    mode = _MODES.get(sort, "write")
    if mode == "write" and given.get("command") in _READING:
        mode = "read"
    for path, listed in _fields(given, 0):
        yield Touch(path, mode, listed)
    pattern = hint(given, "pattern", "Pattern")
    if sort == "list" and pattern and (pattern[0] in "/~" or ".." in pattern):
        yield Touch(pattern, mode, pattern=True)


def patched(patch: str) -> "Iterator[Touch]":
    """The files that a patch in the form of `apply_patch` names."""
    from execpolicy.support.path_match import named_in_patch

    for path, removed in named_in_patch(patch):
        yield Touch(checked(path), "remove" if removed else "write")


def checked(path: object) -> str:
    """The path, if it is one that a file can have. Raises `PayloadError`."""
    if not isinstance(path, str):
        raise PayloadError("a path is not a text")
    if not path:
        raise PayloadError("the path is empty")
    if "\0" in path:
        raise PayloadError("the path contains a NUL")
    if path != path.strip():
        raise PayloadError("there are blanks around the path")
    return path


def _in_command(given: "Payload") -> tuple[Touch, ...]:
    """The files of a patch that a command hands to `apply_patch`."""
    words = next((given[name] for name in COMMANDS if given.get(name) is not None), "")
    text = "\n".join(map(str, words)) if isinstance(words, list) else str(words)
    _, found, rest = text.partition("*** Begin Patch")
    if not found or not any(name in text for name in _PATCHERS):
        return ()
    return tuple(patched(rest))


def _both_ends(sort: str, given: "Payload") -> "Iterator[Touch]":
    source, target = optional(given, *FROM), optional(given, *TO)
    if source is None or target is None:
        raise PayloadError(f"`{FROM[0]}` or `{TO[0]}` is missing")
    bare = target == optional(given, "new_name", "newName") and "/" not in target
    if bare and "/" in source:
        target = f"{source.rpartition('/')[0]}/{target}"
    if sort == "move":
        yield Touch(checked(source), "write", moved=True)
    else:
        yield Touch(checked(source), "read")
    yield Touch(checked(target), "write")


def _fields(given: "Payload", depth: int) -> "Iterator[tuple[str, bool]]":
    """Every path in a tool's input, and whether it is one of a list: the strictest decides."""
    for name in PATHS:
        path = optional(given, name)
        if path is not None:
            yield checked(path), False
    for name in dict.fromkeys((*_LISTS, *_NESTED)):
        found = given.get(name)
        for one in found if isinstance(found, list) else ():
            if isinstance(one, dict) and depth < MAX_DEPTH:
                yield from _fields(one, depth + 1)
            elif name in _LISTS:
                yield checked(one), True
