"""What a decision may ask about files, and a record of what it asked."""

import os.path

from execpolicy.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    Fact = tuple[str, tuple[object, ...], object]
else:
    Protocol = object


class Place(Value):
    """Where a path leads.

    `lexical` is the absolute path as its text says, without `.` and `..`. `real` is the path that
    the kernel would open: every link followed, a missing file below its real directory. It is None
    where there is none, and `problem` says why: `loop`, `too long`, `not a path`, `unreadable`.
    """

    lexical: str
    real: str | None
    problem: str | None = None


class Root(Value):
    """The session's root: the real directory where its work begins.

    `project` says whether what lies below is the project. A home or a mount point never is.
    """

    path: str
    project: bool


class Resolver(Protocol):
    """Questions about the machine of one moment. Paths are absolute."""

    def locate(self, path: str) -> Place:
        """Where a path leads, as the kernel walks it."""

    def kind(self, path: str) -> str:
        """`file`, `directory`, `other` or `missing`, links followed; else `unknown`."""

    def names(self, directory: str) -> tuple[str, ...] | None:
        """What a directory holds; None where it cannot be read or holds too much."""

    def head(self, path: str) -> str:
        """The first 4 KiB of a small text file; empty where there is none."""

    def below(self, directory: str, visible: bool) -> tuple[str, ...] | None:
        """Every file and link below a directory; None where there are too many to look at.

        `visible` leaves out what is hidden or certainly ignored by git.
        """

    def nearby(self, directory: str) -> tuple[str, ...]:
        """Files of a directory, and some below it, those near the top first."""

    def search_path(self) -> tuple[Place, ...]:
        """The directories of PATH. A relative one has no real place: it moves with every `cd`."""

    def program(self, name: str, fresh: bool) -> tuple[str, ...]:
        """Where PATH finds a program: that path and each link on the way to the file it is.

        Unless `fresh` is asked for, the answer may be an earlier one.
        """

    def variables(self) -> frozenset[str]:
        """The names of the variables that commands inherit."""

    def temporary(self) -> tuple[str, ...]:
        """The system's directories for temporary files, as they really lie."""

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        """The session's root, from the directory that the host names or the first one."""


class Blind:
    """Knows no machine: the text of a path is all there is to judge by."""

    __slots__ = ()

    def locate(self, path: str) -> Place:
        """The path as its text says."""
        lexical = os.path.normpath(path)
        return Place(lexical, lexical)

    def kind(self, path: str) -> str:
        """Not known."""
        return "unknown"

    def names(self, directory: str) -> tuple[str, ...] | None:
        """Not known."""
        return None

    def head(self, path: str) -> str:
        """Nothing."""
        return ""

    def below(self, directory: str, visible: bool) -> tuple[str, ...] | None:
        """Not known."""
        return None

    def nearby(self, directory: str) -> tuple[str, ...]:
        """Not known."""
        return ()

    def search_path(self) -> tuple[Place, ...]:
        """Nothing."""
        return ()

    def program(self, name: str, fresh: bool) -> tuple[str, ...]:
        """Nothing: the name is taken for the program."""
        return ()

    def variables(self) -> frozenset[str]:
        """Nothing."""
        return frozenset()

    def temporary(self) -> tuple[str, ...]:
        """What every system has (hier(7))."""
        return ("/tmp", "/var/tmp")  # noqa: S108

    def root(self, given: str | None, cwd: str | None) -> Root | None:
        """The directory that is named, else the one where the command runs."""
        path = given or cwd
        return Root(os.path.normpath(path), True) if path else None


class Recorded:
    """A resolver that remembers what it was asked, so that an answer kept can be proved again."""

    __slots__ = ("_answers", "_resolver")

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._answers: dict[tuple[str, tuple[object, ...]], object] = {}

    def __getattr__(self, question: str) -> "Any":
        ask = getattr(self._resolver, question)

        def asked(*arguments: object) -> object:
            key = (question, arguments)
            if key not in self._answers:
                self._answers[key] = ask(*arguments)
            return self._answers[key]

        return asked

    def facts(self) -> "tuple[Fact, ...] | None":
        """Each question with its arguments and its answer; None where a tree was walked."""
        if any(name in ("below", "nearby") for name, _ in self._answers):
            return None
        return tuple((name, given, found) for (name, given), found in self._answers.items())


def still_true(facts: "tuple[Fact, ...]", resolver: Resolver) -> bool:
    """Whether the machine would answer the same now."""
    return all(getattr(resolver, name)(*given) == found for name, given, found in facts)
