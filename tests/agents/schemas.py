"""What each host accepts as an answer; nothing else may be sent.

Claude Code's from the types of its SDK (`SyncHookJSONOutput`), Codex's from its generated schemas
with the runtime's own refusals added (no `ask`, no bare `allow`, no empty reason).
"""


def _object(required: dict[str, object], **optional: object) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


_TEXT = {"type": "string", "minLength": 1}


def _one_of(*words: str) -> dict[str, object]:
    return {"enum": list(words)}


_ALLOW = _object({"behavior": {"const": "allow"}})
_DENY = _object({"behavior": {"const": "deny"}, "message": _TEXT})


def _permission() -> dict[str, object]:
    event: dict[str, object] = {"const": "PermissionRequest"}
    return _object({"hookEventName": event, "decision": {"anyOf": [_ALLOW, _DENY]}})


def _before(*words: str, event: str = "PreToolUse") -> dict[str, object]:
    return _object(
        {
            "hookEventName": {"const": event},
            "permissionDecision": _one_of(*words),
            "permissionDecisionReason": _TEXT,
        }
    )


_SKILL = _before("deny", event="PreSkillShellCommand")
_CLAUDE = _object(
    {"hookSpecificOutput": {"anyOf": [_before("allow", "ask", "deny"), _permission(), _SKILL]}}
)
_CURSOR = _object(
    {"permission": _one_of("allow", "ask", "deny")},
    user_message=_TEXT,
    agent_message=_TEXT,
    userMessage=_TEXT,
    agentMessage=_TEXT,
)
_COPILOT = _object(
    {"permissionDecision": _one_of("allow", "ask", "deny"), "permissionDecisionReason": _TEXT}
)

SCHEMAS: dict[str, dict[str, object]] = {
    "antigravity": _object(
        {"decision": _one_of("allow", "ask", "force_ask", "deny")}, reason=_TEXT
    ),
    "claude": _CLAUDE,
    "codex": _object({"hookSpecificOutput": {"anyOf": [_before("deny"), _permission()]}}),
    "copilot": {"anyOf": [_COPILOT, _ALLOW, _DENY]},
    "cursor": _CURSOR,
    "droid": _CLAUDE,
    "gemini": _object(
        {"decision": _one_of("allow", "ask", "deny")}, reason=_TEXT, systemMessage=_TEXT
    ),
    "opencode": _object({"decision": _one_of("allow", "prompt", "forbidden"), "reason": _TEXT}),
    "qwen": _CLAUDE,
}
