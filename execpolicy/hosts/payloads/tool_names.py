"""The names of tools: what sort each is, and which are tools of servers (MCP)."""

from execpolicy.hosts.payloads.payload import hint
from execpolicy.hosts.payloads.protocol import Payload
from execpolicy.model.operation import MCP

# Tool names of all hosts, in lower case and without `_` and `-`. Hosts copy each other's names.
_KINDS = {
    "shell": (
        "bash", "shell", "execute", "runshellcommand", "runcommand", "runterminalcmd",
        "runterminalcommand", "execcommand", "localshell", "runinterminal", "terminal",
        "executecommand", "executebash", "executeshell", "shellcommand", "monitor",
    ),
    "typed": (
        "writebash", "writestdin", "writeshell", "sendcommandinput", "sendkeys",
    ),
    "unread": ("powershell", "pwsh", "cmd", "executecmd", "executepwsh", "writepowershell"),
    "read": (
        "read", "readfile", "view", "viewfile", "notebookread", "readnotebook", "readimage",
        "readmanyfiles", "viewimage", "zoomimage", "displayimage",
        "fsread", "viewfileoutline", "viewcodeitem",
    ),
    "list": (
        "glob", "ls", "listdir", "listdirectory", "listfiles", "findbyname", "findfiles",
        "readfolder", "list", "filesearch",
    ),
    "search": (
        "grep", "searchfilecontent", "grepsearch", "rg", "searchfiles",
    ),
    "write": (
        "write", "writefile", "writetofile", "create", "createfile", "edit", "editfile",
        "multiedit", "replace", "notebookedit", "strreplaceeditor", "strreplace", "insert",
        "replacefilecontent", "multireplacefilecontent", "searchreplace", "editnotebook",
        "replaceinfile", "fswrite", "fsappend", "createdirectory", "createfolder", "mkdir",
        "insertcontent", "inserteditintofile", "strreplacebasededittool", "appendfile",
        "createnewfile", "editexistingfile", "applyedit", "savefile", "editfiles",
        "editnotebookfile", "replacestringinfile", "multireplacestringinfile",
    ),
    "remove": (
        "delete", "deletefile", "removefile", "deletedirectory", "removedirectory", "rmdir",
    ),
    "move": ("movefile", "renamefile", "move", "rename", "movedirectory"),
    "copy": ("copyfile", "copydirectory", "copy"),
    "patch": ("applypatch", "patch", "applydiff"),
    "fetch": (
        "webfetch", "fetch", "readurlcontent", "browsepage", "fetchurl", "readurl", "fetchwebpage",
    ),
    "mcp": ("callmcptool", "usemcptool", "mcptool", "runmcptool"),
    "other": ("skill", "slashcommand", "task", "agent", "workflow"),
}  # fmt: skip
KINDS = {name: kind for kind, names in _KINDS.items() for name in names}

# Tools that these two hosts have besides: any other name is one of a server.
_OPENCODE_WORDS = (
    "batch codesearch doom_loop external_directory invalid lsp plan_enter plan_exit question skill"
    " task todoread todowrite websearch multiedit list_mcp_resources read_mcp_resource"
)
_OPENCODE = frozenset(_OPENCODE_WORDS.split())
UNKNOWN_SHELL = "command"
"""The sort of a tool that no table knows and that is given a command."""
OWN_RULES = frozenset((("qwen", "monitor"),))
"""Tools that run a shell, and that their host has entries of their own for."""
UNSURE = frozenset(("typed", UNKNOWN_SHELL))
"""Sorts of tools of which it is not known what reads their text, nor where: what is typed goes to
the program that runs there. The host's lists for its shell are not about them."""


def kind(tool: str) -> str | None:
    """What sort of tool has this name: a key of `_KINDS`, or None.

    `other` is a tool that does nothing by itself, whatever its input looks like. One that is not
    known types where its name says so: `write_to_shell`.
    """
    known = KINDS.get(tool.replace("_", "").replace("-", "").lower())
    if known is not None:
        return known
    return "typed" if is_shell(tool) and not _words(tool).isdisjoint(_TYPING) else None


def is_shell(tool: str) -> bool:
    """Whether a word of the name of a tool says that it is about a shell."""
    return not _words(tool).isdisjoint(_TYPED_INTO)


def _words(tool: str) -> frozenset[str]:
    spaced = "".join(f"_{char}" if char.isupper() else char for char in tool.replace("-", "_"))
    return frozenset(spaced.lower().split("_"))


_TYPING = frozenset(("write", "send", "type", "input", "enter", "interact", "feed"))
_TYPED_INTO = frozenset(("shell", "terminal", "stdin", "process", "bash", "console", "pty", "tmux"))


# Tools of the server of files that the protocol's authors ship, by names that others took over
# (modelcontextprotocol/servers, src/filesystem).
_SERVED = {
    "read": ("read_file", "read_text_file", "read_media_file", "read_multiple_files"),
    "list": (
        "list_directory", "list_directory_with_sizes", "directory_tree", "search_files",
        "get_file_info",
    ),
    "write": ("write_file", "edit_file", "create_directory"),
    "move": ("move_file",),
    "remove": ("delete_file", "delete_directory"),
    "copy": ("copy_file",),
}  # fmt: skip


def served_kind(tool: str) -> str | None:
    """What sort of tool of files a server has under this name, whatever the server is called."""
    if not tool.startswith(MCP):
        return None
    name = tool.rpartition("__")[2]
    return next((sort for sort, names in _SERVED.items() if name in names), None)


def served(agent: str, tool: str, payload: "Payload") -> str | None:
    """The name by which rules know a tool of a server, `mcp__SERVER__TOOL`; None for another."""
    if tool.startswith(MCP):
        return tool
    if agent == "gemini" and tool.startswith("mcp_"):
        return _of_context(payload.get("mcp_context")) or _joined(tool[4:], "_")
    if agent == "cursor" and tool.startswith("MCP:"):
        return f"{MCP}{hint(payload, 'server', 'server_name') or UNNAMED}__{tool[4:].strip()}"
    if agent == "droid" and "___" in tool:
        return _joined(tool, "___")
    if kind(tool) is not None:
        return None
    if agent == "copilot" and "-" in tool:
        server, _, name = tool.rpartition("-")
        return f"{MCP}{server}__{name}"
    if agent == "opencode" and "_" in tool and tool not in _OPENCODE:
        return _joined(tool, "_")
    return None


UNNAMED = "unknown"
"""Stands for the server where a host does not tell it."""


def _of_context(context: object) -> str | None:
    if not isinstance(context, dict):
        return None
    server, tool = hint(context, "server_name"), hint(context, "tool_name")
    return f"{MCP}{server}__{tool}" if server and tool else None


def _joined(name: str, gap: str) -> str:
    """A name of server and tool in one, taken apart at the first gap."""
    server, found, tool = name.partition(gap)
    return f"{MCP}{server}__{tool}" if found else f"{MCP}{UNNAMED}__{server}"
