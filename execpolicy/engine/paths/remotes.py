"""The host that git's configuration names where a command names a remote, or none (git-remote(1)).

Known is only what every reading of the configuration agrees on: one host for all that may be meant.
"""

from execpolicy.catalogue.hosts import of_remote
from execpolicy.catalogue.kinds.kind import all_names
from execpolicy.engine.paths.git_code import config_text
from execpolicy.engine.scene import Command
from execpolicy.places.repository.git_syntax import INCLUDES, Setting, settings

_URLS = frozenset(("remote.url", "remote.pushurl"))
_TURNING = INCLUDES | {"url.insteadof", "url.pushinsteadof", "remote.vcs"}
"""Settings by which a remote's own address is not the whole answer (git-config(1))."""


def configured_host(command: Command) -> str | None:
    """The host of the remote that a command of git reaches; None where that is not certain."""
    reading, scene = command.reading, command.scene
    if reading.path[0] != "git" or not _takes_remote(command):
        return None
    directories = scene.where.of(command.number) or ()
    names = reading.remotes
    hosts = {_host(directory, names, command) for directory in directories}
    found = hosts.pop() if len(hosts) == 1 else None
    return found or None


def _takes_remote(command: Command) -> bool:
    """Whether the entry has a place for a remote, so that one is meant where none is written."""
    entry = command.scene.snapshot.catalogue.entry(" ".join(command.reading.path))
    kinds = [p.kind for form in entry.forms for p in form.operands.places] if entry else []
    return "repo" in all_names(kinds)


def _host(directory: str, names: tuple[str, ...], command: Command) -> str | None:
    scene = command.scene
    own = scene.repository(directory)
    if own is None:
        return None
    found, taken = settings(config_text(f"{own.common}/config", scene))
    if not taken or any(one.word in _TURNING for one in found):
        return None
    urls = [one.value or "" for one in found if one.word in _URLS and _is_one(one, names)]
    hosts = {connect.host if (connect := of_remote(url)) else "" for url in urls}
    host = hosts.pop() if len(hosts) == 1 else ""
    return host.rstrip(".").lower() if isinstance(host, str) else None


def _is_one(setting: Setting, names: tuple[str, ...]) -> bool:
    """Whether a setting is about one of these remotes; any where none is named."""
    return not names or setting.name.partition(".")[2].rpartition(".")[0] in names
