"""Whether git would run a program that the repository names: a hook, a filter, a line of a todo.

Git looks for hooks in `hooks` of the common directory or where `core.hooksPath` says (githooks(5)),
runs the filters and drivers of its configuration for files that `.gitattributes` names
(gitattributes(5)), and each `exec` of a todo that waits to be continued (git-rebase(1)).
"""

import posixpath
from _collections_abc import Iterable, Iterator

from execpolicy.catalogue.reading.cause import Hooks
from execpolicy.engine.scene import Scene
from execpolicy.places.repository.git_config import GitConfig, of, read
from execpolicy.places.repository.git_syntax import followed
from execpolicy.places.resolver import MAX_HEAD, Resolver
from execpolicy.support.disk.repository import Repository

_TODOS = ("rebase-merge/git-rebase-todo", "sequencer/todo")
_TODO = "pick p reword r edit e squash s fixup f drop d noop revert label l reset t merge m"
_TODO_WORDS = frozenset(_TODO.split())
_GLOBAL = (".gitconfig", ".config/git/config")
_SYSTEM = "/etc/gitconfig"
_CUT = "["


def runs(number: int, scene: Scene, hooks: Hooks) -> bool:
    """Whether a git command of this step would run such a program. Unknown counts as yes."""
    if hooks.begins:
        return _begins_with(hooks, scene)
    directories = scene.where.of(number)
    if directories is None:
        return True
    return any(_in(directory, scene, hooks) for directory in directories)


def _in(directory: str, scene: Scene, hooks: Hooks) -> bool:
    resolver = scene.resolver
    if resolver.kind(directory) == "unknown":
        return True
    own = scene.repository(directory)
    if own is None:
        return False
    said = [*_settings_in((f"{own.common}/config", f"{own.git}/config.worktree"), scene)]
    if any(each.programs for each in said):
        return True
    return (
        _in_directories([*said, *_of_user(scene)], own, scene, hooks)
        or _has_hook(f"{own.common}/hooks", hooks, resolver)
        or any(_is_edited(resolver.head(f"{own.git}/{todo}")) for todo in _TODOS)
    )


def _begins_with(hooks: Hooks, scene: Scene) -> bool:
    """Whether a new repository begins with a hook of the user's configuration, or a copy of one."""
    said = [*_of_user(scene)]
    return any(each.template for each in said) or _in_directories(said, None, scene, hooks)


def _in_directories(
    said: "Iterable[GitConfig]", own: "Repository | None", scene: Scene, hooks: Hooks
) -> bool:
    """Whether one of the hooks lies where a configuration says that hooks are."""
    for path in (each.hooks for each in said if each.hooks != ""):
        home = scene.where.home if path and path[:2] == "~/" else ""
        if path is None or home is None or not (home or own or path[:1] == "/"):
            return True
        at = home + path[1:] if home else posixpath.join(own.top if own else "/", path)
        if _has_hook(at, hooks, scene.resolver):
            return True
    return False


def _of_user(scene: Scene) -> "Iterator[GitConfig]":
    home = scene.where.home
    for path in (_SYSTEM, *(f"{home}/{name}" for name in _GLOBAL if home)):
        for _, found, whole in followed(path, lambda one: config_text(one, scene), home):
            yield of(found, whole)


def config_text(path: str, scene: Scene) -> str:
    """The text of a configuration; of one that is not known to its end, one that git refuses."""
    text = scene.resolver.head(path)
    return _CUT if _is_cut(text) else text


def _settings_in(paths: "Iterable[str]", scene: Scene) -> "Iterator[GitConfig]":
    """What the configurations at these paths say; of more than is known of one, anything."""
    return (read(config_text(path, scene)) for path in paths)


def _is_cut(text: str) -> bool:
    """Whether more may follow what is known of a file."""
    return len(text) * 4 >= MAX_HEAD and len(text.encode("utf-8", "surrogateescape")) >= MAX_HEAD


def _has_hook(directory: str, hooks: Hooks, resolver: "Resolver") -> bool:
    """Whether one of these hooks lies there, or without any anything that is not an example."""
    names = resolver.names(directory)
    if names is None:
        return resolver.kind(directory) != "missing"
    there = [name for name in names if not name.endswith(".sample")]
    return bool(there) and (
        not hooks.names or any(name.partition(".")[0].lower() in hooks.names for name in there)
    )


def _is_edited(text: str) -> bool:
    """Whether a todo may hold what is no more than a choice of commits."""
    if _is_cut(text):
        return True
    first = (line.split()[0] for line in text.splitlines() if line.strip())
    return any(word[:1] != "#" and word not in _TODO_WORDS for word in first)
