"""The host that git's configuration names where a command names a remote, or none (git-remote(1)).

Known is only what every reading of the configuration agrees on: one host for all that may be meant.
"""

from execpolicy.catalogue.hosts import of_remote
from execpolicy.catalogue.kinds.kind import all_names
from execpolicy.engine.paths.git_code import config_text
from execpolicy.engine.scene import RequestCommand
from execpolicy.model.operation import Word
from execpolicy.model.rule import EVERY_REMOTE
from execpolicy.places.repository.git_syntax import INCLUDES, Setting, settings

ORIGIN = "origin"
"""The remote that is used where nothing names another (git-push(1), git-fetch(1))."""
_URLS = frozenset(("remote.url", "remote.pushurl"))
_CHOOSING = frozenset(("branch.remote", "branch.pushremote", "remote.pushdefault"))
_TURNING = INCLUDES | {"url.insteadof", "url.pushinsteadof", "remote.vcs"}
"""Settings by which a remote's own address is not the whole answer (git-config(1))."""


def configured_host(command: RequestCommand) -> str | None:
    """The host of the remote that a command of git reaches; None where that is not certain."""
    reading, scene = command.reading, command.scene
    if reading.path[0] != "git" or not _takes_remote(command):
        return None
    directories = scene.where.of(command.number) or ()
    names = reading.remotes
    hosts = {_host(directory, names, command) for directory in directories}
    found = hosts.pop() if len(hosts) == 1 else None
    return found or None


def is_usual(names: frozenset[str], command: RequestCommand) -> bool:
    """Whether git would use each of these remotes where none is written, wherever it runs; of all
    remotes at once (`--all`), whether they are at one host."""
    scene = command.scene
    repositories = [scene.repository(at) for at in scene.where.of(command.number) or ()]
    configs = [own and settings(config_text(f"{own.common}/config", scene)) for own in repositories]
    every = [found[0] if found else [] for found in configs] or [[]]
    usual = [(found, _usual(found, command)) for found in every]
    return all(names.issubset(each) and len(_hosts(found, each)) < _MANY for found, each in usual)


_MANY = 2


def _takes_remote(command: RequestCommand) -> bool:
    """Whether the entry has a place for a remote, so that one is meant where none is written."""
    entry = command.scene.snapshot.catalogue.entry(" ".join(command.reading.path))
    kinds = [p.kind for form in entry.forms for p in form.operands.places] if entry else []
    return "repo" in all_names(kinds)


def _host(directory: str, names: tuple[str, ...], command: RequestCommand) -> str | None:
    scene = command.scene
    own = scene.repository(directory)
    if own is None:
        return None
    found, taken = settings(config_text(f"{own.common}/config", scene))
    if not taken or any(one.word in _TURNING for one in found):
        return None
    names = names or _usual(found, command)
    hosts = _hosts(found, names)
    host = hosts.pop() if len(hosts) == 1 else ""
    return host.rstrip(".").lower() if isinstance(host, str) else None


def _hosts(found: list[Setting], names: tuple[str, ...]) -> set[Word]:
    """The hosts of these remotes, empty for one that is a path."""
    urls = [one.value or "" for one in found if one.word in _URLS and _remote(one) in names]
    return {connect.host if (connect := of_remote(url)) else "" for url in urls}


def _usual(found: list[Setting], command: RequestCommand) -> tuple[str, ...]:
    """The remotes that may be meant where none is written: those of branches, and `origin`."""
    if EVERY_REMOTE.intersection(w for w in command.operation.argv if isinstance(w, str)):
        return tuple(_remote(one) for one in found if one.word in _URLS)
    return (ORIGIN, *(one.value or "" for one in found if one.word in _CHOOSING))


def _remote(setting: Setting) -> str:
    return setting.name.partition(".")[2].rpartition(".")[0]
