"""What the hosts publish about their hooks, where, and which fields it names.

Read on 2026-11-21 in the versions of `hosts/package.json`. `test_published.py` compares it with
what is installed; a field that comes or goes there is to be looked at, and then written here.

- claude: types in `@anthropic-ai/claude-agent-sdk`, `sdk.d.ts` and `sdk-tools.d.ts`
- codex: JSON schemas inside the program, those of `codex-rs/hooks/schema/generated`
- copilot: types in `@github/copilot-sdk`, of hooks inside a process; a command's answers are the
  same, its payloads are not
- gemini: types in `@google/gemini-cli-core`, `hooks/types.d.ts`
- opencode: types in `@opencode-ai/plugin`; its second generation has nothing about permissions
- qwen: prose alone; `@qwen-code/qwen-code-core` stopped before there were hooks, and
  `@qwen-code/sdk` has none of their forms
- antigravity, cursor, droid, windsurf: prose alone
"""

# A name with `?` may be left out.
FIELDS: dict[str, dict[str, str]] = {
    "claude": {
        "PreToolUseHookInput": "session_id transcript_path cwd prompt_id? permission_mode?"
        " agent_id? agent_type? effort? hook_event_name tool_name tool_input tool_use_id"
        " mcp_server?",
        "PermissionRequestHookInput": "session_id transcript_path cwd prompt_id? permission_mode?"
        " agent_id? agent_type? effort? hook_event_name tool_name tool_input"
        " permission_suggestions? mcp_server?",
        "SyncHookJSONOutput": "continue? suppressOutput? stopReason? decision? systemMessage?"
        " terminalSequence? reason? hookSpecificOutput?",
        "PreToolUseHookSpecificOutput": "hookEventName permissionDecision?"
        " permissionDecisionReason? updatedInput? additionalContext?",
        "PermissionRequestHookSpecificOutput": "hookEventName decision",
    },
    "codex": {
        "pre-tool-use.command.input": "session_id turn_id agent_id? agent_type? transcript_path"
        " cwd hook_event_name model permission_mode tool_name tool_input tool_use_id",
        "pre-tool-use.command.output": "continue? stopReason? suppressOutput? systemMessage?"
        " decision? reason? hookSpecificOutput?",
        "PreToolUseHookSpecificOutputWire": "hookEventName permissionDecision?"
        " permissionDecisionReason? updatedInput? additionalContext?",
        "permission-request.command.input": "session_id turn_id agent_id? agent_type?"
        " transcript_path cwd hook_event_name model permission_mode tool_name tool_input",
        "permission-request.command.output": "continue? stopReason? suppressOutput?"
        " systemMessage? hookSpecificOutput?",
        "PermissionRequestHookSpecificOutputWire": "hookEventName decision?",
        "PermissionRequestDecisionWire": "behavior updatedInput? updatedPermissions? message?"
        " interrupt?",
    },
    "copilot": {
        "PreToolUseHookInput": "sessionId timestamp workingDirectory toolName toolArgs",
        "PreToolUseHookOutput": "permissionDecision? permissionDecisionReason? modifiedArgs?"
        " additionalContext? suppressOutput?",
    },
    "gemini": {
        "BeforeToolInput": "session_id transcript_path cwd hook_event_name timestamp tool_name"
        " tool_input mcp_context? original_request_name?",
        "BeforeToolOutput": "continue? stopReason? suppressOutput? systemMessage? decision?"
        " reason? hookSpecificOutput?",
    },
    "opencode": {
        "PluginContext": "options agent aisdk catalog command integration plugin reference skill",
    },
}

# Types that a package does not export by their names, made of those that it does.
MADE = {
    "opencode": """\
import type { PluginContext } from "@opencode-ai/plugin/v2/promise";
import type { Hooks, PluginInput } from "@opencode-ai/plugin";
import plugin from "./execpolicy.js";
type Ours = Awaited<ReturnType<typeof plugin>>;
""",
    "copilot": """\
import type { SessionHooks } from "@github/copilot-sdk";
type Handler = NonNullable<SessionHooks["onPreToolUse"]>;
type PreToolUseHookInput = Parameters<Handler>[0];
type PreToolUseHookOutput = Exclude<Awaited<ReturnType<Handler>>, void>;
""",
}

PACKAGES = {
    "claude": "@anthropic-ai/claude-agent-sdk",
    "copilot": "@github/copilot-sdk",
    "gemini": "@google/gemini-cli-core",
}

# The type of an answer and of a payload, by the adapter's event. Droid and Qwen took the form of
# Claude Code's, so their answers are held against its types.
ANSWERS = {
    ("claude", "PreToolUse"): "SyncHookJSONOutput",
    ("claude", "PermissionRequest"): "SyncHookJSONOutput",
    ("copilot", "preToolUse"): "PreToolUseHookOutput",
    ("gemini", "BeforeTool"): "BeforeToolOutput",
}
SAME_FORM = {"claude": ("claude", "droid", "qwen"), "copilot": ("copilot",), "gemini": ("gemini",)}
PAYLOADS = {
    ("claude", "PreToolUse"): "PreToolUseHookInput",
    ("claude", "PermissionRequest"): "PermissionRequestHookInput",
    ("gemini", "BeforeTool"): "BeforeToolInput",
}

# The types of what Claude Code's tools are given.
TOOLS = {
    "Bash": "BashInput",
    "Edit": "FileEditInput",
    "Glob": "GlobInput",
    "NotebookEdit": "NotebookEditInput",
    "Read": "FileReadInput",
    "WebFetch": "WebFetchInput",
    "Write": "FileWriteInput",
}
