"""The tools of each host, as the host lists them, and what each of them is here.

`SOURCES` says where a list was read. A name stands under the sort that `hosts.payloads.tool_names`
gives it; under `other` stands what neither runs a command nor names a file or a host.
"""

SOURCES = {
    "antigravity": "tools of Antigravity as its system prompt lists them, 2026; agy 1.1.25",
    "claude": "@anthropic-ai/claude-agent-sdk 0.3.330, sdk-tools.d.ts; claude-code 2.1.332",
    "codex": "openai/codex 0.171.0, codex-rs/core/src/tools; names in the program of 0.169.0",
    "copilot": "docs.github.com, Copilot CLI command reference, tool names; Copilot CLI 1.0.102",
    "gemini": "@google/gemini-cli-core 0.61.0, dist/src/tools/definitions",
    "opencode": "opencode 1.18.33, packages/opencode/src/tool",
    "qwen": "@qwen-code/qwen-code 0.24.4, ToolNames in its program; LSP and others of 0.15.10",
}

TOOLS: dict[str, dict[str, str]] = {
    "antigravity": {
        "shell": "run_command",
        "typed": "send_command_input",
        "read": "view_file view_file_outline view_code_item",
        "list": "list_dir find_by_name",
        "search": "grep_search",
        "write": "write_to_file replace_file_content multi_replace_file_content",
        "fetch": "read_url_content",
        "other": (
            "command_status codebase_search search_web browser_subagent generate_image"
            " read_terminal notify_user task_boundary list_resources read_resource"
            " view_content_chunk"
        ),
    },
    "claude": {
        "shell": "Bash Monitor",
        "unread": "PowerShell",
        "read": "Read",
        "list": "Glob LS",
        "search": "Grep",
        "write": "Write Edit MultiEdit NotebookEdit",
        "fetch": "WebFetch",
        "other": (
            "Agent Task TaskStop TaskCreate TaskGet TaskUpdate TaskList TaskOutput TodoWrite"
            " ExitPlanMode EnterPlanMode ListMcpResourcesTool RefreshMcpTools ReadMcpResourceTool"
            " ReportFindings WebSearch AskUserQuestion SendFeedback ClaudeDesign Projects Workflow"
            " CronCreate CronDelete CronList ScheduleWakeup RemoteTrigger Skill SlashCommand"
            " PushNotification ReadNotifications EnterWorktree ExitWorktree Artifact LSP Config"
            " ProposeSkills ProposeGoal ShowOnboardingRolePicker SendUserFile"
        ),
    },
    "codex": {
        "shell": "shell exec_command local_shell shell_command",
        "typed": "write_stdin",
        "read": "view_image",
        "patch": "apply_patch",
        "other": (
            "update_plan request_user_input request_permissions spawn_agent send_input send_message"
            " followup_task wait_agent close_agent tool_search list_mcp_resources read_mcp_resource"
        ),
    },
    "copilot": {
        "shell": "bash",
        "typed": "write_bash",
        "unread": "powershell write_powershell",
        "read": "view",
        "list": "glob",
        "search": "grep rg",
        "write": "create edit str_replace_editor",
        "patch": "apply_patch",
        "fetch": "web_fetch",
        "other": (
            "read_bash stop_bash list_bash read_powershell stop_powershell list_powershell task"
            " read_agent list_agents write_agent skill ask_user report_intent update_todo"
            " exit_plan_mode store_memory sql"
        ),
    },
    "gemini": {
        "shell": "run_shell_command",
        "read": "read_file read_many_files",
        "list": "glob list_directory",
        "search": "grep_search search_file_content",
        "write": "write_file replace",
        "fetch": "web_fetch",
        "other": (
            "activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs"
            " google_web_search list_mcp_resources read_mcp_resource update_topic write_todos"
        ),
    },
    "opencode": {
        "shell": "bash",
        "read": "read",
        "list": "glob list",
        "search": "grep",
        "write": "write edit",
        "patch": "apply_patch patch",
        "fetch": "webfetch",
        "other": "batch codesearch lsp plan_exit question skill task todowrite websearch invalid",
    },
    "qwen": {
        "shell": "run_shell_command",
        "command": "monitor",
        "read": "read_file zoom_image display_image",
        "list": "glob list_directory",
        "search": "grep_search",
        "write": "write_file edit notebook_edit",
        "fetch": "web_fetch",
        "other": (
            "todo_write save_memory agent skill exit_plan_mode lsp ask_user_question cron_create"
            " cron_list cron_delete task_stop send_message tool_search structured_output exec"
            " enter_plan_mode web_search image_gen loop_wakeup create_sub_session list_agents"
            " task_create task_update task_list team_create team_delete team_plan_approval"
            " request_shutdown tool_call read_mcp_resource enter_worktree exit_worktree workflow"
            " artifact record_artifact record_source report_findings get_goal update_goal"
            " propose_goal"
        ),
    },
}

INPUTS: dict[str, dict[str, object]] = {
    "typed": {"input": "rm -rf /", "chars": "rm -rf /", "session_id": 1},
    "patch": {"command": "*** Begin Patch\n*** Add File: a\n*** End Patch"},
    "fetch": {"url": "https://a.example/"},
}
"""What a tool of a sort is given; all others get a command, or a path."""
