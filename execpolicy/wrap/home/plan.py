"""The home of a session: a directory of its own, into which what is allowed is bound.

Beside that directory lies the copy of what was in it at the start, where the agent cannot write.
"""

import os
import stat
from _collections_abc import Callable, Iterator

from execpolicy.hosts.agents.agent import AgentEntry, StateColumn, StateEntry
from execpolicy.store.sources.files import private_directory, replace
from execpolicy.support.record import Value
from execpolicy.wrap.home.files import UnreadableStateError, content

_HOME, _START, _OWN = "home", "start", "own"


class HomeBind(Value):
    """A path outside that is bound to one inside; where it is not `writable`, to be read only."""

    source: str
    target: str
    writable: bool


class SessionHome(Value):
    """A session's home: the agent's entry, the user's home, and the session's directory.

    `elsewhere` is where the agent's state is outside, if a variable says so; inside it is where it
    is without the variable. `binds` are in the order in which they are to be made, the home itself
    first. `skipped` are parts of the state that are not there for the session, with the reason.
    """

    entry: "AgentEntry"
    home: str
    directory: str
    elsewhere: str = ""
    binds: tuple[HomeBind, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()

    def outside(self, path: str) -> str:
        """Where a path of the entry is in the user's home.

        Where a variable moves the directory of the state, a file of settings beside it moves into
        it: with `CLAUDE_CONFIG_DIR=/x`, `.claude/a` is `/x/a` and `.claude.json` `/x/.claude.json`.
        """
        directory = self.entry.directory
        if self.elsewhere and (path == directory or path.startswith(f"{directory}/")):
            return f"{self.elsewhere}{path[len(directory) :]}"
        return os.path.join((self.elsewhere if "/" not in path else "") or self.home, path)

    @property
    def own(self) -> str:
        """The directory that is the home inside."""
        return os.path.join(self.directory, _HOME)

    @property
    def start(self) -> str:
        """The directory with the copy of the start."""
        return os.path.join(self.directory, _START)

    def reading(self) -> "Callable[[str], bytes | None]":
        """What reads a file by the path that it has inside; None where there is none, or a link."""

        def read(path: str) -> bytes | None:
            for bind in reversed(self.binds):
                if path == bind.target or path.startswith(f"{bind.target}/"):
                    outside = bind.source + path[len(bind.target) :]
                    try:
                        return content(outside).data
                    except UnreadableStateError:
                        return None
            return None

        return read


def prepared(entry: "AgentEntry", home: str, directory: str, elsewhere: str = "") -> SessionHome:
    """Make the home of a session in a directory that is this user's alone, and plan its binds.

    `elsewhere` is the value of the entry's `directory_variable`, which the agent is not to get.
    Files of settings are copied. Directories are bound: data to be written, the rest to be read.
    Data that is not there yet is made outside, empty. Raises `OSError`.
    """
    session = SessionHome(entry, home, directory, elsewhere)
    for path in (directory, session.own, session.start, os.path.join(directory, _OWN)):
        private_directory(path)
    skipped: list[tuple[str, str]] = []
    copied = [file.path for file in entry.carried]
    copied += [
        e.path for e in entry.state if e.column is StateColumn.STEERING and not e.is_directory
    ]
    for path in dict.fromkeys((*copied, *entry.key_files)):
        if not _is_within(path, entry.path_of(StateColumn.DATA)):
            skipped += [(path, why) for why in _copy(session, path)]
    binds = [HomeBind(session.own, home, True)]
    for part in entry.state:
        bind = _bind(session, part)
        if isinstance(bind, HomeBind):
            binds.append(bind)
            _make(os.path.join(session.own, part.path), part.is_directory)
        elif bind:
            skipped.append((part.path, bind))
    return session.replace(binds=tuple(binds), skipped=tuple(skipped))


def _copy(session: SessionHome, path: str) -> "Iterator[str]":
    """Copy a file into the home and beside it; gives why, if it cannot be read."""
    try:
        found = content(session.outside(path), follow=True)
    except UnreadableStateError as error:
        yield str(error)
        return
    if found.data is None:
        return
    for top in (session.own, session.start):
        target = os.path.join(top, path)
        os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
        replace(target, found.data, found.mode & 0o700, durable=False)


def _bind(session: SessionHome, part: "StateEntry") -> HomeBind | str | None:
    """How a part of the state is bound; why it is not, or None where that needs no word.

    | column | what the session has |
    |---|---|
    | data | the user's own, to be written |
    | steering | a copy of a file, the user's directory to be read |
    | code | the user's own, to be read |
    | private, or anything in a directory of data | its own: the agent may have put a link there |
    """
    inside = os.path.join(session.home, part.path)
    is_nested = _is_within(part.path, session.entry.path_of(StateColumn.DATA))
    if is_nested or part.column is StateColumn.PRIVATE:
        own = os.path.join(session.directory, _OWN, part.path)
        _make(own, part.is_directory)
        return HomeBind(own, inside, True)
    if part.column is StateColumn.STEERING and not part.is_directory:
        return None
    writable = part.column is StateColumn.DATA
    outside = session.outside(part.path)
    if writable and not os.path.lexists(outside):
        _make(outside, part.is_directory)
    return _outside(outside, inside, part, writable)


def _outside(path: str, inside: str, part: "StateEntry", writable: bool) -> HomeBind | str | None:
    """The bind of what is outside, with no link on the way to it."""
    real = os.path.realpath(path)
    try:
        status = os.lstat(real)
    except OSError:
        return None
    fits = stat.S_ISDIR(status.st_mode) if part.is_directory else stat.S_ISREG(status.st_mode)
    if not fits:
        return f"it is not a {'directory' if part.is_directory else 'file'}"
    if writable and status.st_uid != os.geteuid():
        return "it is another user's"
    return HomeBind(real, inside, writable)


def _make(path: str, is_directory: bool) -> None:
    """Make an empty directory, or an empty file, if nothing is there."""
    os.makedirs(path if is_directory else os.path.dirname(path), 0o700, exist_ok=True)
    if not is_directory and not os.path.lexists(path):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _is_within(path: str, directories: tuple[str, ...]) -> bool:
    return any(path.startswith(f"{directory}/") for directory in directories)
