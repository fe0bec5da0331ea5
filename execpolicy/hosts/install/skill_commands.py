"""Files of a project whose commands Claude Code runs without asking a hook, before 2.1.332.

A skill or a slash command holds `` !`cmd` `` or a block that begins with ```` ```! ````, which runs
when it is used, by what the file's own `allowed-tools` lets.
(code.claude.com/docs/en/skills, "Inject dynamic context")
"""

import os
from collections.abc import Iterator

from execpolicy.hosts.convert.shared import markdown
from execpolicy.hosts.install import host_file
from execpolicy.model.errors import ExecPolicyError

HOOKED = (2, 1, 332)
"""The first version that asks the hook PreSkillShellCommand."""
_FOLDERS = ("skills", "commands")
_NOT_THERE = (".git", "node_modules")
_SIGNS = ("!`", "```!")


def is_hooked(version: str) -> bool:
    """Whether the version that `claude --version` tells is one that asks; not where none is told.

    >>> [is_hooked(v) for v in ("2.1.332 (Claude Code)", "2.2.0", "2.1.197 (Claude Code)", "")]
    [True, True, False, False]
    """
    numbers = version.partition(" ")[0].split(".")
    return all(n.isdigit() for n in numbers) and tuple(map(int, numbers)) >= HOOKED


def files(root: str) -> Iterator[str]:
    """The files below a project's root that hold such a command, or cannot be read: the host takes
    those of each directory that it works in (same page, "Automatic discovery")."""
    for at, below, _ in os.walk(root):
        below[:] = sorted(name for name in below if name not in _NOT_THERE)
        if ".claude" in below:
            yield from _unasked(os.path.join(at, ".claude"))


def _unasked(folder: str) -> Iterator[str]:
    for file in markdown(*(os.path.join(folder, name) for name in _FOLDERS)):
        try:
            text = host_file.read(file) or ""
        except ExecPolicyError:
            yield file
            continue
        if any(sign in text for sign in _SIGNS):
            yield file
