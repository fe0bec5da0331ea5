"""Claude Code: PreToolUse and PermissionRequest (code.claude.com/docs/en/hooks).

PreToolUse may allow, deny and ask; the host's own deny and ask rules still hold then.
PermissionRequest comes when the host is about to ask: it may allow or deny, and silence lets the
question be asked. `defer` ends a headless run, which `claude -p --resume` takes up again at the
same call. Exit code 2 is never used: it would make the host read stderr in the place of the reason.

SessionStart comes when a session begins, is resumed or compacted; what a hook says then is told to
the model.

PreSkillShellCommand comes for `` !`cmd` `` in a skill or a slash command (since 2.1.332): each
answer but silence and `allow` stops the command, and `allow` adds nothing. It does not ask.
"""

from _collections_abc import Mapping

from execpolicy.hosts.payloads import tools
from execpolicy.hosts.payloads.payload import hint, text
from execpolicy.hosts.payloads.protocol import (
    ASKS,
    EDITS,
    PLAN,
    UNATTENDED,
    UNSURE,
    WORDS,
    Payload,
    Reply,
    ToolCall,
    meaning,
)
from execpolicy.model.decision import Decision
from execpolicy.support.json_encode import encode

SKILL = "PreSkillShellCommand"
COMMON = ("PreToolUse", "PermissionRequest")
"""The events that other hosts took over."""
EVENTS = (*COMMON, SKILL)
_OF_USER = frozenset(("userSettings", "policySettings", "bundled"))
"""Where a skill lies that the user, the administrator or the host wrote."""
HEADLESS: tuple[str, ...] = ("-p", "--print")
MODES = {
    "default": ASKS,
    "acceptEdits": EDITS,
    "plan": PLAN,
    "dontAsk": UNATTENDED,
    "bypassPermissions": UNATTENDED,
    "auto": UNSURE,
}


def read(payload: "Payload") -> ToolCall:
    """The call of an event; an event of another kind does not apply."""
    return read_as("claude", payload, MODES)


def read_as(agent: str, payload: "Payload", modes: "Mapping[str, str]") -> ToolCall:
    """The call in a payload of this form, which other hosts use too."""
    event = text(payload, "hook_event_name")
    if event not in EVENTS:
        return ToolCall()
    mode = meaning(modes, hint(payload, "permission_mode"))
    used = tools.of(payload, agent, ("tool_name", "tool_input"))
    call = ToolCall(used.request, event, hint(payload, "cwd"), mode, used.tool, used.kind)
    if event != SKILL:
        return call
    mine = hint(payload, "command_source") in _OF_USER
    return call.replace(author="user" if mine else "project")


def asks(call: ToolCall) -> bool:
    """PreToolUse can force the question, PermissionRequest is part of one; a skill waits not."""
    return call.event != SKILL


def reply(call: ToolCall, decision: Decision | None, reason: str) -> Reply:
    """The decision for the event. Where the event is not known it is PreToolUse.

    The reason of a question is shown to the user, that of a refusal to the model.
    """
    if decision is None:
        return Reply()
    if call.event == "PermissionRequest":
        return permission(Decision.FORBIDDEN if call.deferred else decision, reason)
    if call.event == SKILL and decision is not Decision.FORBIDDEN:
        return Reply()
    word = "defer" if call.deferred else WORDS[decision]
    said = {
        "hookEventName": SKILL if call.event == SKILL else "PreToolUse",
        "permissionDecision": word,
        "permissionDecisionReason": call.question or reason,
    }
    return Reply(encode({"hookSpecificOutput": said}) + "\n")


def permission(decision: Decision, reason: str) -> Reply:
    """The answer to PermissionRequest, the same for each host that has it."""
    if decision is Decision.PROMPT:
        return Reply()
    said = {"behavior": "allow"}
    if decision is Decision.FORBIDDEN:
        said = {"behavior": "deny", "message": reason}
    output = {"hookEventName": "PermissionRequest", "decision": said}
    return Reply(encode({"hookSpecificOutput": output}) + "\n")
