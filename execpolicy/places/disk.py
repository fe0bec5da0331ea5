"""The real file system, asked with bounds: no question reads much, waits or follows for ever."""

import os
import stat

from execpolicy.model.place import Below, Place, Root, SettingsFile
from execpolicy.places import root, search
from execpolicy.places.resolver import MAX_HEAD
from execpolicy.support.disk.repository import MARKS, find, marked
from execpolicy.support.disk.repository import search as search_repository
from execpolicy.support.path_match import below, normal

MAX_NAMES = 10_000
MAX_BELOW = 20_000
MAX_NEARBY = 1000
MAX_ROOTS = 256
MAX_PROGRAMS = 4096
MAX_ASKED = 8
"""Questions about programs that are answered sooner than whether PATH can change at all."""
_MAX_CONTENT = 1 << 22
_FLAGS = getattr(os, "O_PATH", 0) | os.O_CLOEXEC


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from execpolicy.places.repository.history import Kept
    from execpolicy.places.steering import Steering
    from execpolicy.support.disk.repository import Files, Repository
    from execpolicy.support.path_match import NameKey


class Disk:
    """The answers of this machine. It keeps those that the user's own directories give.

    `files` are those that know where a repository is: they may have found it before. `kept` gives
    what keeps lists of paths from one process to the next.
    """

    def __init__(self, path: str | None = None, kept: "Callable[[], Kept] | None" = None) -> None:
        self._kept = kept
        given = os.environ.get("PATH", "") if path is None else path
        self._path = tuple(dict.fromkeys(given.split(":")))
        self._steering: dict[str, tuple[Steering, ...]] = {}
        self._planted: dict[tuple[str, str | None], str | None] = {}
        self._open: dict[str | None, bool] = {}
        self._asked: dict[str | None, int] = {}
        self._roots: dict[tuple[str | None, str | None], Root | None] = {}
        self._temporary: tuple[str, ...] = ()
        self._home: str | None = None
        self._programs: tuple[str, ...] | None = None

    def locate(self, path: str, follow: bool = True) -> Place:
        """Where a path leads. Nothing is opened for reading, so no device notices."""
        lexical = normal(path)
        if lexical[:2] == "//":
            lexical = lexical[1:]
        if follow and _leads_to_itself(path, lexical):
            return Place(path, lexical, lexical)
        from execpolicy.places.walk import walk  # most paths have no link in them

        found = walk(path, os.readlink, follow)
        return Place(path, lexical, found.real, found.problem)

    def kind(self, path: str) -> str:
        """What stands at a path, links followed."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            return "missing"
        if stat.S_ISREG(mode):
            return "file"
        return "directory" if stat.S_ISDIR(mode) else "other"

    def names(self, directory: str) -> tuple[str, ...] | None:
        """What a directory holds, sorted."""
        try:
            with os.scandir(directory) as entries:
                found = [entry.name for entry, _ in zip(entries, range(MAX_NAMES), strict=False)]
        except (OSError, ValueError):
            return None
        return tuple(sorted(found)) if len(found) < MAX_NAMES else None

    def head(self, path: str) -> str:
        """The beginning of a text file."""
        from execpolicy.support.disk.bounded import read

        return (read(path, MAX_HEAD) or b"").decode("utf-8", "surrogateescape")

    def text(self, path: str) -> str | None:
        """A small text file as a whole."""
        from execpolicy.support.disk.bounded import read

        found = read(path, MAX_HEAD, links=1)
        if found is None or len(found) == MAX_HEAD:
            return None
        try:
            return found.decode()
        except UnicodeDecodeError:
            return None

    def below(
        self, directory: str, visible: bool, few: bool = False, files: "Files | None" = None
    ) -> Below | None:
        """Every file and link below a directory, by a walk of bounded length."""
        from execpolicy.places.repository.trees import walk

        def is_more() -> bool:
            from execpolicy.places.repository.index_names import has_more

            own = find(directory, files or self)
            return own is not None and has_more(own, directory, MAX_BELOW)

        limit, asked = (MAX_NEARBY, None) if few else (MAX_BELOW, is_more)
        found, whole = walk(directory, visible, limit, asked)
        return found if whole else None

    def nearby(self, directory: str) -> Below:
        """The files of a directory, and of those below it as far as a short walk comes."""
        from execpolicy.places.repository.trees import walk

        return walk(directory, visible=False, limit=MAX_NEARBY)[0]

    def tracked(
        self,
        directory: str,
        keys: "tuple[NameKey, ...] | None" = None,
        files: "Files | None" = None,
    ) -> tuple[str, ...] | None:
        """The paths that the index names below a directory (gitformat-index(5))."""
        from execpolicy.places.repository.index_file import index_of, matching

        real = self.locate(directory).real or normal(directory)
        own = find(real, files or self)
        known = None
        if own is not None:
            index = index_of(own.git, files)
            known = index.names if keys is None else matching(own, index, keys, self._lists)
        if own is None or known is None:  # another system keeps its own list
            found = self.below(real, visible=False)
            return None if found is None else found.files
        top = own.top.rstrip("/")
        if not below(real, own.top):
            return ()
        within = real[len(top) + 1 :]
        if within:
            inside = f"{within}/"
            known = tuple([n for n in known if n == within or n.startswith(inside)])
        return tuple([f"{top}/{name}" for name in known])

    def repository(self, directory: str, bare: bool) -> "Repository | None":
        """The repository of a directory, as `repository.find` says."""
        return search_repository(directory, self, bare, {}, marked(directory, MARKS))

    def marked(self, directory: str, names: tuple[str, ...]) -> frozenset[str] | None:
        """The directories from a deep one on up that have an entry of one of some names."""
        return marked(directory, names)

    def _lists(self) -> "Kept | None":
        """Where lists of large repositories are kept from one process to the next."""
        return self._kept() if self._kept else None

    def committed(
        self,
        directory: str,
        keys: "tuple[NameKey, ...]",
        every: bool = False,
        files: "Files | None" = None,
    ) -> tuple[str, ...] | None:
        """The paths of any commit, as git lists them once for each state of the refs."""
        from execpolicy.places.repository import history

        kept = self._lists()
        return self._listed(
            directory,
            files,
            lambda own, program: history.committed(own, keys, program, kept, every=every),
        )

    def of_revisions(
        self, directory: str, words: tuple[str, ...], files: "Files | None" = None
    ) -> tuple[str, ...] | None:
        """The paths of the revisions among some words, as git lists them."""
        from execpolicy.places.repository import history

        return self._listed(
            directory, files, lambda own, program: history.of_revisions(own, words, program)
        )

    def _listed(
        self,
        directory: str,
        files: "Files | None",
        names: "Callable[[Repository, str], Iterable[str] | None]",
    ) -> tuple[str, ...] | None:
        """The paths that git names of a repository; None where it says nothing."""
        own = find(self.locate(directory).real or directory, files or self)
        if own is None:
            return ()
        program = self.git(own.top)
        found = None if program is None else names(own, program)
        return None if found is None else tuple([f"{own.top.rstrip('/')}/{name}" for name in found])

    def git(self, top: str) -> str | None:
        """The program itself, where no agent may have put another one in its place."""
        found = search.found("git", self._path)
        return None if found is None or self.planted("git", top) else found

    def gitlinks(self, directory: str, files: "Files | None" = None) -> tuple[str, ...] | None:
        """The paths of entries that are repositories (gitformat-index(5), object type 1110)."""
        from execpolicy.places.repository.index_file import gitlinks, index_of

        own = find(directory, files or self)
        found = None if own is None else gitlinks(own, index_of(own.git, files), self._lists)
        if own is None or found is None:
            return () if own is None else None
        return tuple(f"{own.top}/{name}" for name in found)

    def tracks(self, path: str, listed: bool = False, files: "Files | None" = None) -> bool:
        """Whether the index of the path's repository may name it, or something below it."""
        from execpolicy.places.repository.index_file import index_of
        from execpolicy.places.repository.index_names import tracks

        own = find(path, files or self)
        return own is not None and tracks(own, path, index_of(own.git, files), listed)

    def unchanged(self, path: str, files: "Files | None" = None) -> bool:
        """Whether the content of a file is what the index has (gitformat-index(5))."""
        if not _is_file(path):
            return False
        from execpolicy.places.repository.index_file import index_of
        from execpolicy.places.repository.index_names import content

        own = find(os.path.dirname(path), files or self)
        known = own and content(own, path, index_of(own.git, files))
        from execpolicy.support.disk.bounded import read

        data = read(path, _MAX_CONTENT) if known else None
        if data is None or len(data) == _MAX_CONTENT:
            return False
        from hashlib import sha1

        return sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).digest() == known

    def holds(self, directory: str, *settings: SettingsFile, real: str | None = None) -> bool:
        """Whether the project of a directory has the file of one of the settings.

        `real` is where the directory really lies, if that is known.
        """
        from execpolicy.places.repository.settings import holds

        return holds(real or os.path.realpath(directory), settings, self._own_home())

    def planted(self, name: str, project: str | None) -> str | None:
        """Where an agent may have put the program that PATH finds.

        While PATH has no directory where agents write, an answer does not change.
        """
        key = name, project
        if key in self._planted:
            return self._planted[key]
        directories = (*self.temporary(), *((project,) if project else ()))
        found = search.planted(name, self._path, directories)
        if project not in self._open:
            self._asked[project] = self._asked.get(project, 0) + 1
            if self._asked[project] <= MAX_ASKED:
                return found  # most processes ask about few programs and end
            self._open[project] = search.is_open(self._path, directories)
        if not self._open[project]:
            if len(self._planted) >= MAX_PROGRAMS:
                self._planted.clear()
            self._planted[key] = found
        return found

    def programs(self) -> tuple[str, ...]:
        """The directories of PATH. They stay what they were for the first question.

        What another variable of the table, or direnv, leads to in a session's root counts as they
        do, but not the root itself: `PYTHONPATH=.` makes no project one that may not be written.
        """
        if self._programs is None:
            roots = [one.path for one in self._roots.values() if one and one.project]
            led = [one.path for one in self.steering("/") if one.programs] if roots else []
            led += [path for root in roots for path in self._direnv(root)]
            inside = (at for at in led if any(below(at, r) and at != r for r in roots))
            self._programs = tuple(dict.fromkeys((*search.directories(self._path), *inside)))
        return self._programs

    def steering(self, directory: str) -> "tuple[Steering, ...]":
        """What the variables of this process's start lead programs to, in a directory or below."""
        if not self._steering:
            from execpolicy.places.steering import found

            self._steering["/"] = tuple(found(os.environ, self._here()))
        if directory not in self._steering:
            every = self._steering["/"]
            if len(self._steering) > MAX_ROOTS:
                self._steering = {"/": every}
            self._steering[directory] = tuple(s for s in every if below(s.path, directory))
        return self._steering[directory]

    def _direnv(self, root: str) -> "Iterable[str]":
        if not os.path.lexists(f"{root}/.envrc"):
            return ()
        from execpolicy.places.steering import by_direnv

        return by_direnv(root, self.head(f"{root}/.envrc"))

    def _here(self) -> str:
        try:
            return os.getcwd()
        except OSError:
            return "/"

    def is_program(self, path: str) -> bool:
        """Whether PATH finds this very file by its name, be it through a link."""
        return os.access(path, os.X_OK) and search.finds(path, self._path)

    def variables(self) -> frozenset[str]:
        """The names of this process's variables."""
        return frozenset(os.environ)

    def temporary(self) -> tuple[str, ...]:
        """The usual ones, and TMPDIR of this process's start if it is not a home."""
        if not self._temporary:
            named = ["/tmp", "/var/tmp", os.environ.get("TMPDIR", "")]  # noqa: S108
            real = [os.path.realpath(path) for path in named if path[:1] == "/"]
            home = self._own_home()
            found = (path for path in real if path != "/" and not below(home, path))
            self._temporary = tuple(dict.fromkeys(found))
        return self._temporary

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        """The session's root. Once found it is kept, as a session keeps its own."""
        key = given, cwd
        if key not in self._roots:
            if len(self._roots) >= MAX_ROOTS:
                self._roots.clear()
            self._roots[key] = root.of(given, cwd, _real)
        return self._roots[key]

    def _own_home(self) -> str:
        if self._home is None:
            self._home = os.path.realpath(os.path.expanduser("~"))
        return self._home


def _real(path: str) -> str:
    """As `os.path.realpath`, by one look where no link is on the way."""
    return path if path == normal(path) and _leads_to_itself(path, path) else os.path.realpath(path)


def _is_file(path: str) -> bool:
    """Whether a regular file stands at a path itself."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def _leads_to_itself(path: str, lexical: str) -> bool:
    """Whether the kernel finds at once that no link is on the way: so for most paths.

    Only what belongs to a process would be found here where it is not for others.
    """
    if ".." in path or not _FLAGS & ~os.O_CLOEXEC or lexical.startswith(("/proc/", "/dev/")):
        return False
    try:
        return _opens_itself(path, lexical)
    except FileNotFoundError:
        return _is_new(lexical)
    except (OSError, ValueError):
        return False


def _opens_itself(path: str, lexical: str) -> bool:
    descriptor = os.open(path, _FLAGS)
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}") == lexical
    finally:
        os.close(descriptor)


def _is_new(lexical: str) -> bool:
    """Whether a path that leads nowhere is a name to be made in a directory without links."""
    directory = os.path.dirname(lexical)
    try:
        if not _opens_itself(directory, directory):
            return False
    except OSError:
        return False
    try:
        os.lstat(lexical)  # a link to what is not there is no new name
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
