"""Tools of agents as requests: what they run, which files they touch, which host they reach."""

from execpolicy.agents.base import PayloadError
from execpolicy.agents.payload import hint, optional, table, text
from execpolicy.operation import Access, Connect, Dynamic, Opaque, Operation, Request, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from execpolicy.agents.base import Payload

# Tool names of all hosts, in lower case and without `_`. Hosts copy each other's names.
_KINDS = {
    "shell": (
        "bash", "shell", "execute", "runshellcommand", "runcommand", "runterminalcmd",
        "runterminalcommand", "execcommand", "localshell", "runinterminal", "terminal",
    ),
    "unread": ("powershell", "pwsh", "cmd"),
    "read": (
        "read", "readfile", "view", "viewfile", "notebookread", "readnotebook", "readimage",
        "glob", "grep", "ls", "listdir", "listdirectory", "searchfilecontent", "grepsearch",
        "findbyname", "rg", "findfiles", "readfolder", "list", "readmanyfiles",
    ),
    "write": (
        "write", "writefile", "writetofile", "create", "createfile", "edit", "editfile",
        "multiedit", "replace", "notebookedit", "strreplaceeditor", "strreplace", "insert",
        "replacefilecontent", "multireplacefilecontent", "searchreplace", "editnotebook",
    ),
    "remove": ("delete", "deletefile", "removefile"),
    "patch": ("applypatch", "patch"),
    "fetch": ("webfetch", "fetch", "readurlcontent", "browsepage", "fetchurl", "readurl"),
}  # fmt: skip
KINDS = {name: kind for kind, names in _KINDS.items() for name in names}

_PATHS = (
    "file_path", "filePath", "path", "absolute_path", "notebook_path", "notebookPath",
    "AbsolutePath", "TargetFile", "dir_path", "directory_path", "DirectoryPath", "SearchPath",
    "SearchDirectory", "target_file", "filename", "file",
)  # fmt: skip
_LISTS = ("paths", "include", "files")
_COMMANDS = ("command", "cmd", "CommandLine", "command_line", "script")
_FOLDERS = ("workdir", "working_directory", "dir_path", "directory", "Cwd", "cwd")
_URLS = ("url", "Url", "URL", "uri")


def kind(tool: str) -> str | None:
    """What sort of tool has this name: a key of `_KINDS`, or None."""
    return KINDS.get(tool.replace("_", "").replace("-", "").lower())


def request(tool: str, given: "Payload", agent: str, where: "Payload") -> Request | None:
    """The request that a tool call is; None for a tool that the engine has no say in.

    `given` is the tool's input, `where` the payload around it. Raises `PayloadError`.
    """
    sort = kind(tool)
    if sort is None:
        return None
    cwd = hint(where, "cwd")
    session = hint(where, "session_id", "sessionId", "sessionID", "conversation_id")
    whole = Request(cwd=cwd, agent=agent, session=session)
    if sort in ("shell", "unread"):
        return _command(whole, sort, given)
    return whole.replace(operations=tuple(_operations(sort, given)))


def _command(whole: Request, sort: str, given: "Payload") -> Request:
    named = [n for n in _COMMANDS if given.get(n) is not None]
    if len(named) > 1:
        raise PayloadError(f"`{named[0]}` and `{named[1]}` are both given")
    words = given[named[0]] if named else None
    if isinstance(words, list):
        if not words or not all(isinstance(word, str) for word in words):
            raise PayloadError("`command` is not a list of texts")
        return in_folder(whole.replace(argv=tuple(words)), given)
    command = text(given, *_COMMANDS)
    if sort == "unread":
        why = "this shell's language is not read"
        return whole.replace(operations=(Opaque(command, why),))
    return in_folder(whole.replace(text=command), given)


def in_folder(whole: Request, given: "Payload") -> Request:
    """The request with the folder that the tool is told to run in."""
    folder = hint(given, *_FOLDERS)
    if folder is None:
        return whole
    if not folder.startswith("/"):
        folder = f"{whole.cwd}/{folder}" if whole.cwd else ""
    return whole.replace(cwd=folder or None)


def _operations(sort: str, given: "Payload") -> "Iterator[Operation]":
    if sort == "fetch":
        url = optional(given, *_URLS) or text(given, "prompt")
        yield from connections(url)
    elif sort == "patch":
        yield from patched(text(given, "command", "patchText", "patch", "input", "diff"))
    else:
        paths = list(_named(given))
        if not paths and sort != "read":
            raise PayloadError(f"`{_PATHS[0]}` is missing")
        yield from (Access(path, sort) for path in paths or ["."])


def _named(given: "Payload") -> "Iterator[Word]":
    """Every path in a tool's input, under whatever name: the strictest of them decides."""
    for name in _PATHS:
        path = optional(given, name)
        if path is not None:
            yield _path(path)
    for name in _LISTS:
        paths = given.get(name)
        if isinstance(paths, list):
            yield from (Dynamic(text({name: path}, name)) for path in paths)
    pattern = hint(given, "pattern")
    if pattern and pattern[0] in "/~":
        yield Dynamic(pattern)


def _path(path: str) -> str:
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


def patched(patch: str) -> "Iterator[Operation]":
    """The files that a patch in the form of `apply_patch` names.

    A line of content that looks like a name counts too: it can only make the answer stricter.
    """
    found = False
    for line in patch.splitlines():
        for mark, mode in _PATCH.items():
            if line.strip().startswith(mark):
                found = True
                yield Access(_path(line.strip()[len(mark) :].strip()), mode)
    if not found:
        yield Opaque(patch, "a patch that names no file")


def connections(where: str) -> "Iterator[Operation]":
    """The hosts of the URLs in a text. One that is not plainly written is a computed word."""
    urls = [word.strip(_MARKS) for word in where.split() if "://" in word] or [where]
    for url in urls:
        scheme, gap, rest = url.partition("://")
        if not gap:
            scheme, rest = "https", url
        # A browser takes `\` for `/`: what stands behind it is no part of the host.
        for end in "/\\?#":
            rest = rest.partition(end)[0]
        host = _without_port(rest.rpartition("@")[2]).lower()
        plain = host and all((c.isalnum() and c.isascii()) or c in ".-_:[]" for c in host)
        protocol = "".join(c for c in scheme.lower() if c.isalnum())[-16:]
        yield Connect(host if plain else Dynamic(url), protocol or "https")


_MARKS = "\"'`<>(),;!"


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]


def of(payload: "Payload", agent: str, names: tuple[str, str]) -> Request | None:
    """The request in a payload that has the tool's name and its input under these `names`."""
    tool = text(payload, names[0])
    if kind(tool) is None:
        return None
    return request(tool, table(payload, names[1]), agent, payload)
