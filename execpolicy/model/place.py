"""Where a path leads, and where a session has its root."""

from _collections_abc import Sequence

from execpolicy.support.record import Value


class Place(Value):
    """Where a path leads.

    `written` is the path as it was given. `lexical` is the absolute path as its text says, without
    `.` and `..`. `real` is the path that the kernel would open, create or remove: every link
    followed, a missing file below its real directory. It is None where there is none, and `problem`
    says why: `loop`, `too long`, `not a path`, `unreadable`, or `other home` for a home that only
    its user's host knows. Where `problem` is `process`, what the path means depends on the process
    that opens it, and `real` is the text up to there.
    """

    written: str
    lexical: str
    real: str | None
    problem: str | None = None


class Root(Value):
    """The session's root: the real directory where its work begins.

    `project` says whether what lies below is the project. A home or a mount point never is.
    """

    path: str
    project: bool


class Below(Value):
    """What is below a directory: each file and link, and of these the links alone."""

    files: tuple[str, ...] = ()
    links: tuple[str, ...] = ()


class SettingsFile(Value):
    """A file of a project that names what a program runs, reaches or writes.

    With `words`, it does so only where it has one of them. `nested`: the program obeys the one that
    is nearest to each file that it works on.
    """

    name: str
    words: tuple[str, ...] = ()
    nested: bool = False


_NEW, _MARK = "tmp.XXXXXXXXXX", "XXX"
_DIRECTORY = "/tmp/"  # noqa: S108


def new_path(words: Sequence[str]) -> str | None:
    """The template of what `mktemp` makes in `/tmp`, for which `TMPDIR` may name another directory;
    None where it is to lie elsewhere, or is not a template (mktemp(1), coreutils 9.1). `words` are
    options without values, and an operand.

    >>> new_path([]), new_path(["-dt", "a.XXX"]), new_path(["/tmp/b.XXXX"]), new_path(["c.XXX"])
    ('/tmp/tmp.XXXXXXXXXX', '/tmp/a.XXX', '/tmp/b.XXXX', None)
    """
    given = [word for word in words if word[:1] != "-"]
    inside = not given or any(word[:1] == "-" and "t" in word for word in words)
    path = _DIRECTORY + (given[0] if given else _NEW) if inside else given[0]
    name = path.removeprefix(_DIRECTORY)
    return path if name != path and "/" not in name and _MARK in name else None


def filled(path: str, key: str) -> str:
    """A path of this template, with `key` in the place of what the program makes up.

    >>> filled("/tmp/a.XXXX.log", "01")
    '/tmp/a.01.log'
    """
    head, _, tail = path.rpartition(_MARK)
    return f"{head.rstrip('X')}{key}{tail}"
