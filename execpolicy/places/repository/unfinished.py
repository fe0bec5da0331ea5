"""What git keeps of a rebase, an `am` or a cherry-pick that stopped, to go on with it later.

Such a directory may name programs that git starts when it goes on: lines `exec` of its list, and a
merge strategy, which is a program `git-merge-NAME` (git-rebase(1), git-cherry-pick(1), and the
sources of git 2.47: sequencer.c, builtin/am.c). One that names none holds commits alone.
"""

import os
import stat
from _collections_abc import Callable

from execpolicy.places.repository.git_syntax import settings
from execpolicy.support.disk.bounded import read

NAMES = ("rebase-merge", "rebase-apply", "sequencer")
MAX_BYTES, MAX_FILES = 1 << 20, 10_000
_STEPS = """
    pick p revert reword r edit e squash s fixup f drop d noop break b label l reset t merge m
    update-ref u
"""
_HARMLESS_STEPS = frozenset(_STEPS.split())
_STRATEGIES = frozenset(("ort", "recursive", "resolve", "octopus", "ours", "subtree"))


def is_state(path: str) -> bool:
    """Whether a path has the name of one."""
    return path.rpartition("/")[2] in NAMES


def starts_nothing(directory: str) -> bool:
    """Whether git can go on with one and starts no program that it names.

    Links in it, and files with other names elsewhere, would be written through.
    """
    try:
        if not stat.S_ISDIR(os.lstat(directory).st_mode):
            return False
        names = os.listdir(directory)
        return len(names) <= MAX_FILES and all(_is_plain(directory, name) for name in names)
    except (OSError, ValueError):
        return False


def _is_plain(directory: str, name: str) -> bool:
    path = f"{directory}/{name}"
    state = os.lstat(path)
    if not stat.S_ISREG(state.st_mode) or state.st_nlink > 1:
        return False
    holds = _STEERING.get(name)
    text = b"" if holds is None else read(path, MAX_BYTES + 1)
    if text is None or len(text) > MAX_BYTES:
        return False
    return holds is None or holds(text.decode("utf-8", "replace"))


def _runs_no_step(text: str) -> bool:
    words = (line.split(None, 1) for line in text.split("\n"))
    return all(not word or word[0][0] == "#" or word[0] in _HARMLESS_STEPS for word in words)


def _has_own_strategy(text: str) -> bool:
    return text.strip() in _STRATEGIES


def _has_plain_options(text: str) -> bool:
    found, is_whole = settings(text)
    return is_whole and all(
        one.word != "options.strategy" or one.value in _STRATEGIES for one in found
    )


def _is_contained(text: str) -> bool:
    return "unsafe" not in text


_STEERING: "dict[str, Callable[[str], bool]]" = {
    "git-rebase-todo": _runs_no_step,
    "git-rebase-todo.backup": _runs_no_step,
    "todo": _runs_no_step,
    "strategy": _has_own_strategy,
    "opts": _has_plain_options,
    "apply-opt": _is_contained,
}
