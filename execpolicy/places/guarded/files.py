"""Files for agents written in Python: a call is judged when it is made, and opens what was judged.

>>> import tempfile
>>> from execpolicy.places import Files, Scope
>>> folder = tempfile.mkdtemp()
>>> files = Files(None, Scope(folder))
>>> files.write("a/b.txt", "hello").ok, files.read("a/b.txt").text
(True, 'hello')
>>> print(files.write("../x", "hello"))  # doctest: +ELLIPSIS
denied: `../x` → ... leads out of what may be written; name the place itself

A refusal is a result with a sentence for the model, and not an exception. What the operating system
does not do is `Failed`. Two limits: a file that is a hard link is written wherever else it has a
name, and a process that may rename directories at the same time decides what a name means.
"""

import os
from errno import EINVAL

from execpolicy.model.operation import Access, Request
from execpolicy.model.path_decision import Deny, RequiresApproval, strictest
from execpolicy.model.place import Place
from execpolicy.model.scope import OutOfScope, Scope
from execpolicy.places.approved import Approved
from execpolicy.places.decide import GUARDS, decide_path
from execpolicy.places.disk import Disk
from execpolicy.places.guarded.beneath import EXCHANGED, Beneath, place_of
from execpolicy.places.guarded.file_work import below_it, read_text, remove, write_text
from execpolicy.places.guards import Guards
from execpolicy.places.resolve import locate
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, Self, TypeVar

    from execpolicy.model.operation import Mode
    from execpolicy.model.path_decision import PathDecision
    from execpolicy.model.verdict import Verdict

    T = TypeVar("T")

    class Decides(Protocol):
        """An engine, or what decides like one."""

        def decide(self, request: Request) -> Verdict:
            """The verdict about a request."""


MAX_FOUND = 10_000
MAX_TRIES = 8
"""How often a path is judged again that is another one when it is opened."""


class Done(Value):
    """It was done. `text` is what was read, `paths` what was found, `left_out` what asks first."""

    path: str
    text: str = ""
    paths: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def ok(self) -> bool:
        """True: it was done."""
        return True


class Failed(Value):
    """It was allowed, and the operating system did not do it, or the text does not fit."""

    reason: str

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False

    def __str__(self) -> str:
        return f"failed: {self.reason}"


Refusal = OutOfScope | Deny | RequiresApproval
Result = Done | Failed | Refusal


class Files:
    """The files of one agent.

    `engine` decides by the rules, beside the scope and the guards; None is for those two alone.
    Relative paths start at the scope's display root. `approved` gives the paths that the user
    allowed, and is asked at each call. A scope with a parent refuses what lies elsewhere; of one
    without, the user is asked.
    """

    def __init__(
        self,
        engine: "Decides | None",
        scope: Scope,
        *,
        guards: Guards = GUARDS,
        approved: "Callable[[], Approved]" = Approved,
        kernel: bool = True,
    ) -> None:
        self.scope = scope
        self._engine, self._guards, self._approved = engine, guards, approved
        self._cwd = scope.display or scope.root
        self._disk = Disk()
        held = dict.fromkeys((*scope.writable, scope.root, "/"))
        self._held = [Beneath(path, kernel) for path in held if os.path.isdir(path)]

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptors back. Also done at the end of `with Files(…) as files:`."""
        for one in self._held:
            one.close()
        self._held = []

    # --- one file ---------------------------------------------------------------------------------

    def read(self, path: str) -> Result:
        """The text of a file."""
        return self._one(path, "read", lambda fd, name: Done(path, read_text(fd, name)))

    def write(self, path: str, text: str) -> Result:
        """Make a file have this text, and be there; directories above it are made."""
        return self._one(
            path, "write", lambda fd, name: _written(path, fd, name, text), create=True
        )

    def edit(self, path: str, old: str, new: str) -> Result:
        """Replace a text that occurs once."""

        def change(fd: int, name: str) -> Done | Failed:
            text = read_text(fd, name)
            if not old or text.count(old) != 1:
                return Failed(f"the text to replace occurs {text.count(old) if old else 0} times")
            return _written(path, fd, name, text.replace(old, new))

        found = self._judge(path, "read")
        return self._one(path, "write", change) if isinstance(found, Place) else found

    def delete(self, path: str) -> Result:
        """Remove a file, a link or an empty directory."""

        def gone(fd: int, name: str) -> Done:
            remove(fd, name)
            return Done(path)

        return self._one(path, "remove", gone)

    def move(self, source: str, target: str) -> Result:
        """Give a file or a directory another name; a file of that name is replaced."""

        def from_here(here: int, old: str) -> Result:
            def to_there(there: int, new: str) -> Done:
                os.rename(old, new, src_dir_fd=here, dst_dir_fd=there)
                return Done(target)

            return self._one(target, "write", to_there, create=True, follow=False)

        found = self._judge(target, "write", follow=False)
        return self._one(source, "remove", from_here) if isinstance(found, Place) else found

    def copy(self, source: str, target: str) -> Result:
        """Write the text of one file to another."""
        found = self.read(source)
        return self.write(target, found.text) if isinstance(found, Done) else found

    # --- many files -------------------------------------------------------------------------------

    def glob(self, pattern: str, path: str = ".") -> Result:
        """The files below a directory whose path from there fits, `**` for any directories.

        A pattern without a slash is about the names of files, however deep.
        """
        from execpolicy.support.path_match import PathPattern

        place = self._judge(path, "read")
        if not isinstance(place, Place):
            return place
        assert place.real is not None  # noqa: S101 — what leads nowhere is refused
        top = place.real
        whole = f"/{pattern}" if "/" in pattern else f"/**/{pattern}"
        if whole.endswith("/*"):
            whole = whole[:-1] + "?*"  # in a rule `/*` is everything below, here one name
        fits = PathPattern(whole)
        names = (each[len(top.rstrip("/")) :] for each in below_it(top))
        found = [name[1:] for name in names if fits.matches(name, None, None)]
        return Done(path, paths=tuple(sorted(found[:MAX_FOUND])))

    def grep(self, pattern: str, path: str = ".") -> Result:
        """The lines that a regular expression finds, as `path:number:line`.

        Files that may not be read without a question are left out, and counted.
        """
        import re

        place = self._judge(path, "read")
        if not isinstance(place, Place):
            return place
        assert place.real is not None  # noqa: S101 — what leads nowhere is refused
        try:
            expression = re.compile(pattern)
        except re.error as error:
            return Failed(f"`{pattern}` is not a regular expression: {error}")
        found: list[str] = []
        left_out = 0
        for each in below_it(place.real):
            one = self.read(each)
            left_out += isinstance(one, Refusal)
            if isinstance(one, Done):
                lines = enumerate(one.text.splitlines(), 1)
                shown = self.scope.shown(each)
                found += [f"{shown}:{n}:{line}" for n, line in lines if expression.search(line)]
        return Done(path, paths=tuple(found[:MAX_FOUND]), left_out=left_out)

    # --- the judge --------------------------------------------------------------------------------

    def _judge(self, path: str, mode: "Mode", *, follow: bool = True) -> Place | Refusal:
        """Where a path leads now, or what stands in the way of using it so."""
        place = locate(path, self._cwd, mode if follow else "remove", self._disk)
        if self.scope.parent is not None:
            refused = self.scope.refuse(place, mode)
            if refused is not None:
                return refused
        approved = self._approved()
        decision = decide_path(place, mode, self.scope, self._guards, approved)
        decision = strictest((decision, self._by_rules(place, mode, approved)))
        return place if decision.ok else decision  # type: ignore[return-value]

    def _by_rules(self, place: Place, mode: "Mode", approved: Approved) -> "PathDecision":
        from execpolicy.model.decision import Decision
        from execpolicy.model.path_decision import Allow

        if self._engine is None or place.real is None:
            return Allow()
        access = Access(place.real, mode)
        request = Request(operations=(access,), cwd=self._cwd, root=self._root())
        verdict = self._engine.decide(request)
        if verdict.decision is Decision.FORBIDDEN:
            return Deny(verdict.reason)
        if verdict.decision is Decision.PROMPT and not approved.covers(place, mode):
            return RequiresApproval(verdict.reason, None, (place.real,))
        return Allow()

    def _root(self) -> str:
        scope = self.scope
        while scope.parent is not None:
            scope = scope.parent
        return scope.root

    def _one(
        self,
        path: str,
        mode: "Mode",
        work: "Callable[[int, str], T]",
        *,
        create: bool = False,
        follow: bool = True,
    ) -> "T | Failed | Refusal":
        """Judge a path, open the directory that it is in, and do the work there.

        Where a name is another one by then, it is judged again.
        """
        for _ in range(MAX_TRIES):
            place = self._judge(path, mode, follow=follow)
            if not isinstance(place, Place):
                return place
            try:
                return self._at(place.real or "", work, create)
            except _ExchangedError:
                continue
            except UnicodeError:
                return Failed(f"{path}: it is not text")
            except OSError as error:
                if error.errno not in EXCHANGED:
                    return Failed(f"{path}: {error.strerror or error}")
        return Deny(f"`{path}` becomes another file while it is used")

    def _at(self, real: str, work: "Callable[[int, str], T]", create: bool) -> "T":
        above, _, name = real.rpartition("/")
        above = above or "/"
        if not name:
            raise OSError(EINVAL, "it is the root directory")
        held = next(one for one in self._held if below(above, one.path))
        names = [part for part in above[len(held.path) :].split("/") if part]
        directory = held.directory(names, create)
        try:
            if place_of(directory) not in (None, above):
                raise _ExchangedError
            return work(directory, name)
        finally:
            os.close(directory)


def _written(path: str, directory: int, name: str, text: str) -> Done:
    write_text(directory, name, text)
    return Done(path)


class _ExchangedError(Exception):
    """What was opened is not what was judged."""
