"""The hosts of coding agents that a policy can stand in front of, one module a host."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.hosts.payloads.fields import Touch
    from execpolicy.hosts.payloads.protocol import Agent, Payload

AGENTS = {
    "antigravity": "Antigravity",
    "claude": "Claude Code",
    "codex": "Codex",
    "copilot": "GitHub Copilot CLI",
    "cursor": "Cursor",
    "droid": "Factory Droid",
    "gemini": "Gemini CLI",
    "opencode": "opencode",
    "qwen": "Qwen Code",
    "windsurf": "Windsurf",
}
"""Each host's module in this package, and the name that users know."""


UNHEEDED = frozenset(("cursor",))
"""Hosts that may ignore the answer that they should ask, and do then what their own list says."""


DEFERRING = frozenset(("claude",))
"""Hosts that can end a run so that it is taken up again after the answer (PreToolUse's `defer`)."""


BRIEFED = dict.fromkeys(("claude", "codex", "copilot", "gemini"), "SessionStart")
"""Hosts that take a text for the model from a hook at this event, when a session begins."""
BRIEFED_FLAT = frozenset(("copilot",))
"""Those of them that take it at the top of an answer."""


def load(name: str) -> "Agent":
    """The module of a host."""
    agent: Agent = __import__(f"{__name__}.{name}", fromlist=["read"])
    return agent


def touched(tool: str, given: "Payload") -> "tuple[Touch, ...]":
    """The paths that a call of a tool names, each with what the tool does to it.

    `tool` is the name by which any host knows it, `given` its input. A tool that is not known, and
    one whose paths cannot be seen, names none. Raises `PayloadError` where a known tool's input is
    not what it takes.

    >>> touched("MoveFile", {"src": "/a", "dst": "/b"})[0].path
    '/a'
    """
    from execpolicy.hosts.payloads.fields import touched as find

    return find(tool, given)


def recognised(payload: "Payload") -> str:
    """The host that sends such a payload, by fields that no other has; else Claude Code."""
    for name, signs in _SIGNS:
        if all(payload.get(sign) not in (None, "") for sign in signs):
            return name
    event = payload.get("hook_event_name")
    return "gemini" if event == "BeforeTool" else "claude"


_SIGNS = (
    ("cursor", ("cursor_version",)),
    ("cursor", ("conversation_id", "generation_id")),
    ("windsurf", ("agent_action_name",)),
    ("antigravity", ("toolCall", "conversationId")),
    ("copilot", ("toolName", "toolArgs")),
    ("copilot", ("toolName", "toolInput")),
    ("opencode", ("tool", "args")),
    ("codex", ("turn_id",)),
)
