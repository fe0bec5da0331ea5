"""Qwen Code and Factory Droid: lists of their settings.

Qwen Code has those of Claude Code with its own names for tools, and older ones of prefixes. Droid
has commands that run without a question, and commands that it always asks about.
(Qwen Code 0.24; docs.factory.ai, settings)
"""

import os
from collections.abc import Iterator

from execpolicy.hosts.convert.convert import Native
from execpolicy.hosts.convert.convert_places import NativePlace
from execpolicy.hosts.convert.lists_claude import entry
from execpolicy.hosts.convert.shared import json_of, lists
from execpolicy.hosts.permissions.files import home, many
from execpolicy.hosts.permissions.qwen import renamed
from execpolicy.model.decision import Decision


def qwen(scope: str, root: str) -> Iterator[Native | NativePlace | str]:
    """`permissions`, then `tools.allowed` and `tools.exclude`, whose words are prefixes."""
    project = scope == "project"
    own = os.path.join(root, ".qwen") if project else home(".qwen")
    files = [os.path.join(own, "settings.json")]
    for file in files if project else [*files, "/etc/qwen-code/settings.json"]:
        table = json_of(file)
        for text, decision, source in lists(file, table.get("permissions")):
            yield entry(renamed(text), decision, source, project)
        tools = table.get("tools")
        for name, decision in (("allowed", Decision.ALLOW), ("exclude", Decision.FORBIDDEN)):
            for text in many(tools.get(name, [])) if isinstance(tools, dict) else ():
                found = entry(renamed(text), decision, f"{file}: tools.{name} `{text}`", project)
                if isinstance(found, Native) and not found.pattern.endswith("*"):
                    found = found.replace(pattern=f"{found.pattern} *")
                yield found


def droid(scope: str, root: str) -> Iterator[Native]:
    """`commandAllowlist` and `commandDenylist`: beginnings of commands."""
    folder = os.path.join(root, ".factory") if scope == "project" else home(".factory")
    file = os.path.join(folder, "settings.json")
    table = json_of(file)
    for name, decision in (("Allow", Decision.ALLOW), ("Deny", Decision.PROMPT)):
        for text in many(table.get(f"command{name}list", [])):
            if text.strip(" *"):
                pattern = text if text.endswith("*") else f"{text} *"
                yield Native(pattern, decision, f"{file}: command{name}list `{text}`")
