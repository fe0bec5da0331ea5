"""The store: one attribute that holds one frozen snapshot, replaced as a whole.

A reader takes `store.current` once and has a policy that does not change under it. There is no lock
to wait for; only writers queue.
"""

import os
from _collections_abc import Sequence
from _thread import allocate_lock

from execpolicy.model.errors import Diagnostic, Span
from execpolicy.store import loader
from execpolicy.store.compiled import cache
from execpolicy.store.compiled.parts import floor
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.sources.files import MAX_RULES_BYTES, read_rules
from execpolicy.store.sources.layers import Found, find
from execpolicy.store.sources.settings import Settings
from execpolicy.store.sources.settings import load as load_settings
from execpolicy.support import directories


class Store:
    """A policy that can be loaded again.

    `rules` are files that the user named: they replace all layers but the shipped one, and a
    problem in them is an error. `builtin` False leaves the shipped rules out too.
    """

    def __init__(
        self,
        rules: "Sequence[str] | None" = None,
        *,
        builtin: bool = True,
        cwd: str | None = None,
    ) -> None:
        self.settings: Settings = load_settings()
        self.cwd = cwd
        self.problems: tuple[Diagnostic, ...] = ()
        self._rules = None if rules is None else tuple(rules)
        self._builtin = builtin
        self._writing = allocate_lock()
        self._seen: Found | None = None
        self._memory: dict[object, object] = {}
        self.current: Snapshot = self._load(first=True)

    @property
    def made_of(self) -> "tuple[Found | None, Settings]":
        """The files and the settings that the current policy was made of, as `ingredients` says."""
        return self._seen, self.settings

    def found(self) -> Found:
        """The files that are to be loaded, as they are now."""
        if self._rules is None:
            return find(self.cwd, self.settings.codex)
        limit = MAX_RULES_BYTES
        return Found(tuple(read_rules("user", path, limit) for path in self._rules), (), ())

    def reload(self) -> bool:
        """Load the files again if one changed; whether the policy is another one now.

        While a file is broken the policy stays as it was, if that was whole, and `problems` tells
        why. Safe from any thread.
        """
        with self._writing:
            before = self.current
            self.settings = self._settings()
            after = self._load(first=False)
            self.current = after
            return after is not before

    def renew(self) -> Snapshot:
        """Compile all rules again, and forget those that were kept: a piece of them is damaged."""
        with self._writing:
            cache.forget("layers-")
            self._memory = {}
            self._seen = None
            self.current = self._load(first=False)
            return self.current

    def failed(self, error: Exception) -> None:
        """Note that loading went wrong in an unforeseen way."""
        message = f"cannot load the rules: {type(error).__name__}: {error}"
        self.problems = (Diagnostic("internal", message, Span("<rules>")),)

    def _settings(self) -> Settings:
        """The settings as they are now; where they cannot be read, as they were."""
        fresh = load_settings()
        return self.settings.replace(problems=fresh.problems) if _unusable(fresh) else fresh

    def _load(self, first: bool) -> Snapshot:
        found = self.found().replace(skipped=())
        unusable = _unusable(self.settings) if self._rules is None else ()
        mark = _marked(found, unusable)
        if not first and mark == self._seen:
            return self.current
        folders = [directory.path for directory in found.directories]
        snapshot = loader.load(
            found.files, builtin=self._builtin, memory=self._memory, folders=folders
        )
        if self.settings.undo:
            snapshot = snapshot.replace(undo=directories.undo())
        if first and self._rules is not None:
            loader.strict(snapshot, found.files)
        broken = tuple(d for d in snapshot.diagnostics if d.severity == "error")
        self.problems = (*broken, *found.problems)
        if (broken or unusable) and not first and self.current.floor is None:
            return self.current
        self._seen = mark
        if unusable or found.problems:
            told = (*snapshot.diagnostics, *found.problems)
            return snapshot.replace(floor=floor((*told, *unusable)), diagnostics=told)
        return snapshot


def ingredients(cwd: str) -> "tuple[Found, Settings]":
    """All that the policy of a directory is made of beside the shipped rules, as it is now.

    What is equal to `Store.made_of` makes the same policy.
    """
    settings = load_settings()
    found = find(cwd, settings.codex).replace(skipped=())
    return _marked(found, _unusable(settings)), settings


def _marked(found: Found, unusable: tuple[Diagnostic, ...]) -> Found:
    return found.replace(problems=(*found.problems, *unusable))


def _unusable(settings: Settings) -> tuple[Diagnostic, ...]:
    """What keeps the settings from being known: they may name rules that forbid."""
    return tuple(d for d in settings.problems if d.code == "read")


def absolute(path: "str | os.PathLike[str]") -> str:
    """A path that stays the same when the working directory changes."""
    return os.path.abspath(os.fspath(path))
