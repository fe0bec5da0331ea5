"""Tools of agents as requests: what they run, which files they touch, which host they reach."""

from _collections_abc import Callable, Iterator

from execpolicy.hosts.payloads.fields import COMMANDS, PATCHES
from execpolicy.hosts.payloads.files import accesses, patched
from execpolicy.hosts.payloads.payload import hint, optional, table, text
from execpolicy.hosts.payloads.protocol import Payload, PayloadError
from execpolicy.hosts.payloads.tool_names import (
    OWN_RULES,
    UNKNOWN_SHELL,
    UNNAMED,
    is_shell,
    kind,
    served,
)
from execpolicy.model.errors import has_surrogates
from execpolicy.model.operation import (
    MCP,
    SHELLS,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Request,
)
from execpolicy.support.record import Value

_TYPED = ("chars", "input", "Input", "text", "keys", "data", "content", "line", "value")
_BESIDE = ("env", "environment", "interpreter", "args", "arguments", "commands")
"""Fields of no tool that is known, which would change what a command does."""
_FOLDERS = ("workdir", "working_directory", "dir_path", "directory", "Cwd", "cwd")
_URLS = ("url", "Url", "URL", "uri")
_SERVERS = ("server_name", "ServerName", "serverName", "server", "mcp_server_name")
_SERVED = ("tool_name", "ToolName", "toolName", "tool", "mcp_tool_name")


class Used(Value):
    """A tool in use: its request, None where no policy applies to it, its name and its sort."""

    request: Request | None = None
    tool: str = ""
    kind: str = ""


def of(payload: "Payload", agent: str, names: tuple[str, str]) -> Used:
    """The tool in a payload that has its name and its input under these `names`."""
    tool = text(payload, names[0])
    name = served(agent, tool, payload)
    if name is not None:
        return Used(_whole(agent, payload).replace(operations=(Exec((name,)),)), tool, "mcp")
    given = payload.get(names[1])
    if kind(tool) is None and not isinstance(given, (dict, str)):
        return Used(None, tool)
    return request(tool, _input(tool, payload, names[1]), agent, payload)


def _input(tool: str, payload: "Payload", name: str) -> "Payload":
    """The input of a tool. That of one that is not known may be anything."""
    try:
        return table(payload, name)
    except PayloadError:
        if kind(tool) is None:
            return {}
        raise


def request(tool: str, given: "Payload", agent: str, where: "Payload") -> Used:
    """A tool with `given` as its input and `where` as the payload around it.

    One whose name is not known is a shell if it is given a command, and runs code if it is given
    some. Raises `PayloadError`.
    """
    sort = kind(tool) or _unknown(tool, given)
    if sort == "other":
        return Used(None, tool)
    if (agent, tool) in OWN_RULES:
        sort = UNKNOWN_SHELL
    whole = _whole(agent, where)
    if sort == "typed":
        from execpolicy.hosts.payloads.typed import typed

        keys = typed(optional(given, *_TYPED) or "")
        return Used(None if keys is None else whole.replace(**keys), tool, sort)
    if sort in ("shell", "unread", UNKNOWN_SHELL):
        return Used(_command(whole, sort, given), tool, sort)
    return Used(whole.replace(operations=tuple(_operations(sort, given, whole.cwd))), tool, sort)


def _unknown(tool: str, given: "Payload") -> str:
    """The sort of a tool whose name is not known: what runs a command, or code, or neither."""
    if any(True for _ in _found(given, _runs)):
        return UNKNOWN_SHELL
    if any(True for _ in _found(given, _is_code)):
        return "unread"
    return "typed" if is_shell(tool) and optional(given, *_TYPED) else "other"


def _found(
    given: object, takes: "Callable[[str, object, Payload], bool]", depth: int = 0
) -> "Iterator[tuple[str, object, Payload]]":
    """The fields of a kind, at any depth: each with its value and the object that it stands in."""
    if isinstance(given, dict):
        for name, value in given.items():
            if takes(name, value, given):
                yield name, value, given
            elif depth < _DEPTH:
                yield from _found(value, takes, depth + 1)
    elif isinstance(given, list):
        for value in given:
            yield from _found(value, takes, depth)


def _runs(name: str, value: object, beside: "Payload") -> bool:
    """Whether a field is one for a command, in any spelling. A number of commands is none."""
    if value is None or isinstance(value, (bool, int, float)):
        return False
    return _is_command(name) or _is_program(name, beside)


def _is_code(name: str, value: object, _beside: "Payload") -> bool:
    """Whether a field holds code, in a language that is not read: no mere name (`"code": "US"`)."""
    held = name.lower().replace("_", "") in _CODE and isinstance(value, str)
    return held and not str(value).replace("-", "_").isidentifier()


_CODE = frozenset(
    ("code", "sourcecode", "codesnippet", "pythoncode", "javascriptcode", "jscode", "python")
)
_DEPTH = 4


def _is_command(name: str) -> bool:
    """Whether a field is one for a command: `cmd`, `terminal_command`, `shellScript`."""
    name = name.lower() if name.isupper() else name
    joined = name.replace("_", "").replace("-", "")
    ends = "_" + "".join(f"_{c.lower()}" if c.isupper() else c for c in name.replace("-", "_"))
    return joined.lower() in _NAMED or ends.endswith(_ENDS)


_NAMED = frozenset(
    ("commandline", "shellcommand", "bashcommand", "argv", "bash", "sh", "run", "exec", "execute")
)
_ENDS = tuple(
    f"_{word}{more}"
    for word in ("command", "cmd", "script")
    for more in ("", "s", "_line", "_text", "_string", "_content", "_to_run", "_to_execute", "line")
)


def _is_program(name: str, beside: "Payload") -> bool:
    return name in _PROGRAMS and any(words in beside for words in ("args", "arguments"))


_PROGRAMS = frozenset(("program", "executable", "process", "binary", "bin"))


def _named(given: "Payload") -> "Payload":
    """The input of a tool that is not known, its command by the first of the names.

    Several commands, of a list or of calls in one, are the lines of a text.
    """
    found = list(_found(given, _runs))
    texts = [t for _, value, _ in found for t in (value if isinstance(value, list) else [value])]
    name, value, beside = found[0]
    if len(found) > 1 or name.lower().endswith("s"):
        if not all(isinstance(text, str) for text in texts) or len({n for n, _, _ in found}) > 1:
            raise PayloadError(f"`{name}` and `{found[-1][0]}` are not one command")
        value = "\n".join(map(str, texts))
    rest = {n: v for each in (given, beside) for n, v in each.items() if not _is_command(n)}
    return {**rest, COMMANDS[0]: value}


def _whole(agent: str, where: "Payload") -> Request:
    """The request without what it is about."""
    session = hint(where, "session_id", "sessionId", "sessionID", "conversation_id")
    return Request(cwd=hint(where, "cwd"), agent=agent, session=session)


def _command(whole: Request, sort: str, given: "Payload") -> Request:
    socket = given.get("ws")
    if isinstance(socket, dict):  # `Monitor` of Claude Code, in the place of a command
        if "command" in given:
            raise PayloadError("`ws` and `command` are both given")
        return whole.replace(operations=tuple(connections(text(socket, "url"))))
    code = [*_found(given, _is_code)] if sort in (UNKNOWN_SHELL, "unread") else []
    if sort == UNKNOWN_SHELL:
        if code:
            raise PayloadError(f"`{code[0][0]}` beside a command is not known")
        given = _named(given)
    elif sort == "unread":
        given = {COMMANDS[0]: code[0][1] if code else optional(given, *_TYPED), **given}
    named = [n for n in given if _is_command(n) and given.get(n) is not None]
    _only(named, given)
    words = given[named[0]] if named else None
    if isinstance(words, list):
        if not words or not all(isinstance(word, str) for word in words):
            raise PayloadError("`command` is not a list of texts")
        if any(map(has_surrogates, words)):
            raise PayloadError("`command` is not valid UTF-8")
        return in_folder(whole.replace(argv=tuple(words)), given)
    command = text(given, *(named or COMMANDS))
    if sort == "unread" or not _is_read(given.get("shell")):
        why = "this shell's language is not read"
        return whole.replace(operations=(Opaque(command, why),))
    return in_folder(whole.replace(text=command), given)


def _is_read(shell: object) -> bool:
    """Whether the language of a shell that is named beside a command is read."""
    folder, _, name = str(shell).rpartition("/")
    return not isinstance(shell, str) or (name in _SHELLS and folder in _FOLDERS_OF_SHELLS)


_SHELLS = frozenset((*SHELLS, "dash"))
_FOLDERS_OF_SHELLS = ("", "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")


def _only(named: list[str], given: "Payload") -> None:
    """Raise `PayloadError` where more than one field says what runs."""
    if len(named) > 1:
        raise PayloadError(f"`{named[0]}` and `{named[1]}` are both given")
    for beside in _BESIDE:
        if given.get(beside):
            raise PayloadError(f"`{beside}` beside a command is not known")


def in_folder(whole: Request, given: "Payload") -> Request:
    """The request with the folder that the tool is told to run in."""
    folder = hint(given, *_FOLDERS)
    if folder is None:
        return whole
    if not folder.startswith("/") and whole.cwd:
        folder = f"{whole.cwd}/{folder}"
    return whole.replace(cwd=folder)


def _operations(sort: str, given: "Payload", cwd: str | None) -> "Iterator[Operation]":
    if sort == "fetch":
        listed = given.get("urls")  # VS Code
        url = optional(given, *_URLS) or " ".join(
            map(str, listed if isinstance(listed, list) else ())
        )
        yield from connections(url or text(given, "prompt"))
    elif sort == "patch":
        yield from patched(text(given, *PATCHES), cwd)
    elif sort == "mcp":
        server, tool = hint(given, *_SERVERS) or UNNAMED, text(given, *_SERVED)
        yield Exec((f"{MCP}{server}__{tool}",))
    else:
        yield from accesses(sort, given, cwd)


def connections(where: str) -> "Iterator[Operation]":
    """The hosts of the URLs in a text. One that is not plainly written is a computed word."""
    urls = [word.strip(_MARKS) for word in where.split() if "://" in word] or [where]
    for url in urls:
        scheme, gap, rest = url.partition("://")
        if not gap:
            scheme, rest = "https", url
        # A browser takes `\` for `/`: what follows it is not part of the host.
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
