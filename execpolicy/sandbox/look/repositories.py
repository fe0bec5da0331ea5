"""Whether a repository that a confined run made can do nothing but hold history."""

import os

_HARMLESS = """
    core.repositoryformatversion core.filemode core.bare core.logallrefupdates
    core.ignorecase core.precomposeunicode core.symlinks user.name user.email
    init.defaultbranch extensions.objectformat extensions.refstorage remote.url remote.fetch
    remote.tagopt branch.remote branch.merge branch.rebase
"""
HARMLESS = frozenset(_HARMLESS.split())
"""Settings of git that name no program and no other file (git-config(1)); of a section with a
name in quotes, without that name."""

CONTROL_NAMES = (
    "config.worktree",
    "commondir",
    "modules",
    "worktrees",
    "info/attributes",
    "gitdir",
)
MAX_BYTES = 1 << 16


def is_plain(git: str) -> bool:
    """Whether a git directory has no hook, and a configuration of harmless settings alone."""
    if os.path.islink(git) or not os.path.isdir(git):
        return False
    if not all(os.path.lexists(f"{git}/{name}") for name in ("HEAD", "objects", "refs")):
        return False
    if any(os.path.lexists(f"{git}/{name}") for name in CONTROL_NAMES):
        return False
    return _has_no_hook(f"{git}/hooks") and _is_harmless(f"{git}/config")


def _has_no_hook(directory: str) -> bool:
    if os.path.islink(directory):
        return False
    try:
        return all(name.endswith(".sample") for name in os.listdir(directory))
    except FileNotFoundError:
        return True
    except OSError:
        return False


def _is_harmless(path: str) -> bool:
    """Whether each line of a configuration is understood and harmless."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        text = os.read(fd, MAX_BYTES + 1).decode("utf-8", "replace")
    finally:
        os.close(fd)
    return len(text) <= MAX_BYTES and all(_settings_are_harmless(text))


def _settings_are_harmless(text: str) -> "list[bool]":
    section, judged = "", []
    for line in map(str.strip, text.splitlines()):
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section = line[1:].partition("]")[0].partition('"')[0].strip().lower()
            judged.append(line.endswith("]"))
            continue
        name, _, value = (part.strip() for part in line.partition("="))
        known = f"{section}.{name.lower()}" in HARMLESS
        judged.append(known and not value.endswith("\\") and "::" not in value)
    return judged
