"""Which programs a configuration of git may name (git-config(1)), without running git."""

from execpolicy.places.repository.git_syntax import INCLUDES, Setting, settings
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

_LISTS = words_of("git")
FILES = _LISTS["files"]
"""Settings whose value is a file or a directory that git obeys, as `section.key`."""
CHANGING, PROGRAMS = _LISTS["changing"], _LISTS["changing"] | _LISTS["others"]
"""Settings whose value is a command: of those that change the repository, and all."""
ANY_KEY = frozenset(word.removesuffix("*") for word in PROGRAMS if word.endswith("*"))
"""Sections of which every key is one."""
_HOOKS, _TEMPLATE, _MONITOR = "core.hookspath", "init.templatedir", "core.fsmonitor"
_BUILT_IN = frozenset((None, "", "true", "false", "yes", "no", "on", "off", "0", "1"))
"""What git does by itself, or not at all (git-fsmonitor--daemon(1))."""


class GitConfig(Value):
    """What a configuration says about programs.

    `programs`: it may name one. `hooks` is the directory where it says that hooks are, as it is
    written; empty where it says nothing, None where that is not certain. `template`: it names the
    directory that new repositories are begun with.
    """

    programs: bool
    hooks: str | None
    template: bool = False


def read(text: str) -> GitConfig:
    """What a configuration says, of which this is all."""
    return of(*settings(text))


def of(found: list[Setting], whole: bool) -> GitConfig:
    """What these settings say; anything where git does not take all of them."""
    if not whole:
        return GitConfig(programs=True, hooks=None, template=True)
    programs = any(map(_names_program, found))
    template = any(one.word == _TEMPLATE for one in found)
    named = [one.value for one in found if one.word == _HOOKS]
    return GitConfig(programs, _directory(named[-1]) if named else "", template)


def runs(setting: Setting) -> bool:
    """Whether the value of a setting is a command."""
    return setting.word in PROGRAMS or setting.name.partition(".")[0] + "." in ANY_KEY


def _names_program(setting: Setting) -> bool:
    if setting.word == _MONITOR and (setting.value or "").lower() in _BUILT_IN:
        return False
    return setting.word in CHANGING or setting.word in INCLUDES


def _directory(value: str | None) -> str | None:
    """The directory of hooks, if it does not depend on where git or another user lives."""
    is_plain = value and (value[0] not in "~%" or value[:2] == "~/")
    return value if is_plain else None
