"""Which files a search leaves out of those that it comes upon."""

from execpolicy.model.operation import Word
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_GREPS = frozenset(("grep", "egrep", "fgrep", "zgrep", "ugrep", "rg"))


class Limits(Value):
    """Which names a search looks into: those that fit one of `only`, if any, and none of `out`."""

    only: tuple[str, ...] = ()
    out: tuple[str, ...] = ()

    def take(self, path: str) -> bool:
        """Whether the search reads a file of this path."""
        names = [name.lower() for name in path.split("/")]
        if any(_fits(glob, name) for glob in self.out for name in names):
            return False
        return not self.only or any(_fits(glob, names[-1]) for glob in self.only)


def limits(argv: tuple[Word, ...]) -> Limits:
    """What the options of a search leave out: `--include`, `--exclude`, `-g`."""
    if argv[0] not in _GREPS or not all(isinstance(word, str) for word in argv):
        return Limits()
    only, out = [], []
    for name, value in _valued([str(word) for word in argv[1:]]):
        if name in ("--exclude", "--exclude-dir") or value[:1] == "!":
            out.append(value.removeprefix("!").rstrip("/"))
        elif name in ("--include", "-g", "--glob", "--iglob"):
            only.append(value)
    plain = [glob for glob in only if "/" not in glob and not set(glob) & set("{[\\")]
    return Limits(
        tuple(plain) if len(plain) == len(only) else (), tuple(g for g in out if "/" not in g)
    )


def _valued(words: list[str]) -> "Iterator[tuple[str, str]]":
    """Each option that names files, with its value."""
    known = ("--include", "--exclude", "--exclude-dir", "-g", "--glob", "--iglob")
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if equals and name in known:
            yield name, value
        elif word in known and at + 1 < len(words):
            yield word, words[at + 1]


def _fits(glob: str, name: str) -> bool:
    from execpolicy.support.path_match import name_fits

    return name_fits(glob.lower(), name)
