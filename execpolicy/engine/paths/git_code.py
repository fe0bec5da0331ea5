"""Whether git would run a program that the repository names: a hook, a filter, a line of a todo.

Git looks for hooks in `hooks` of the common directory or where `core.hooksPath` says (githooks(5)),
runs the filters and drivers of its configuration for files that `.gitattributes` names
(gitattributes(5)), and each `exec` of a todo that waits to be continued (git-rebase(1)).
"""

from execpolicy.engine.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.places.repository.repository import Repository
    from execpolicy.places.resolver import Resolver

_WORDS = (
    *("hookspath", "filter", "fsmonitor", "include", "driver", "program", "editor"),
    *("sshcommand", "process", "clean", "smudge"),
)
"""Sections and keys of a configuration that name programs, or files that do."""
_TODOS = ("rebase-merge/git-rebase-todo", "sequencer/todo")
_TODO = "pick p reword r edit e squash s fixup f drop d noop revert label l reset t merge m"
_TODO_WORDS = frozenset(_TODO.split())
_GLOBAL = (".gitconfig", ".config/git/config")
_WHOLE = 4096
"""A file of which no more than the beginning is known may name anything behind that."""


def runs(number: int, scene: Scene) -> bool:
    """Whether a git command of this step would run such a program. Unknown counts as yes."""
    directories = scene.where.of(number)
    if directories is None:
        return True
    return any(_in(directory, scene) for directory in directories)


def _in(directory: str, scene: Scene) -> bool:
    resolver = scene.resolver
    if resolver.kind(directory) == "unknown":
        return True
    own = scene.repository(directory)
    if own is None:
        return False
    home = scene.where.home
    mine = [f"{home}/{name}" for name in _GLOBAL] if home else []
    configured = any(map(_names_program, _texts(own, resolver)))
    return (
        configured
        or any("hookspath" in resolver.head(path).lower() for path in mine)
        or _has_hook(f"{own.common}/hooks", resolver)
        or any(_is_edited(resolver.head(f"{own.git}/{todo}")) for todo in _TODOS)
    )


def _texts(own: "Repository", resolver: "Resolver") -> list[str]:
    return [resolver.head(f"{own.common}/config"), resolver.head(f"{own.git}/config.worktree")]


def _names_program(text: str) -> bool:
    low = text.lower()
    return len(text) >= _WHOLE or any(word in low for word in _WORDS)


def _has_hook(directory: str, resolver: "Resolver") -> bool:
    """Whether anything lies there that is no example."""
    names = resolver.names(directory)
    if names is None:
        return resolver.kind(directory) != "missing"
    return any(not name.endswith(".sample") for name in names)


def _is_edited(text: str) -> bool:
    """Whether a todo may hold what is no more than a choice of commits."""
    if len(text) >= _WHOLE:
        return True
    first = (line.split()[0] for line in text.splitlines() if line.strip())
    return any(word[:1] != "#" and word not in _TODO_WORDS for word in first)
