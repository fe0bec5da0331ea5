"""Where a program that makes a temporary file puts it, by its words (mktemp(1), coreutils 9.1)."""

from _collections_abc import Sequence

_NAME, _MARK = "tmp.XXXXXXXXXX", "XXX"
_DIRECTORY = "/tmp/"  # noqa: S108


def template(words: Sequence[str]) -> str | None:
    """The template of the new path in `/tmp`, for which `TMPDIR` may name another directory; None
    where it is to lie elsewhere, or is no template. `words` are options without values, and an
    operand.

    >>> template([]), template(["-dt", "a.XXX"]), template(["/tmp/b.XXXX"]), template(["c.XXX"])
    ('/tmp/tmp.XXXXXXXXXX', '/tmp/a.XXX', '/tmp/b.XXXX', None)
    """
    given = [word for word in words if word[:1] != "-"]
    inside = not given or any(word[:1] == "-" and "t" in word for word in words)
    path = _DIRECTORY + (given[0] if given else _NAME) if inside else given[0]
    name = path.removeprefix(_DIRECTORY)
    return path if name != path and "/" not in name and _MARK in name else None


def filled(path: str, key: str) -> str:
    """A path of this template, with `key` in the place of what the program makes up.

    >>> filled("/tmp/a.XXXX.log", "01")
    '/tmp/a.01.log'
    """
    head, _, tail = path.rpartition(_MARK)
    return f"{head.rstrip('X')}{key}{tail}"
