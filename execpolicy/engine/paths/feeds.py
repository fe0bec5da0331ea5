"""Where the paths come from that one command hands to another, and which of them it takes."""

from execpolicy.model.operation import Dynamic, Exec, Word
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from execpolicy.engine.unwrap import ExpandedOperation

_NAMES = ("-name", "-iname")
_EITHER = frozenset(("-o", "-or", ","))
"""With one of these, what follows a name may be found without it."""
_GREPS = frozenset(("grep", "egrep", "fgrep", "zgrep", "ugrep", "rg"))


class Feed(Value):
    """Paths that a command prints: below which directories, which of them, and how named.

    `extent` is that of an access: `tree`, `visible` or `tracked`. Each name fits all of `globs`.
    """

    starts: tuple[Word, ...]
    extent: str = "tree"
    globs: tuple[str, ...] = ()


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


def feed_of(steps: "Sequence[ExpandedOperation]", number: int, word: Dynamic) -> Feed | None:
    """The feed of a computed path, where that is known.

    It is the `find` that runs the command, what comes to it through `xargs`, with nothing in the
    pipeline but what passes lines on, or the one command of a substitution that is the whole word.
    """
    source = word.source.strip('"')
    if source[:2] == "$(" and source.find(")") == len(source) - 1:
        return _printed(steps, source[2:-1].split()[0]) if _is_one_command(source) else None
    outer = steps[number].outer
    around = steps[outer].operation if outer is not None else None
    if not isinstance(around, Exec):
        return None
    if around.argv[0] == "find":
        return _of_find(around.argv)
    if around.argv[0] != "xargs" or not around.fed_by or _is_redirected(around):
        return None
    first, *filters = around.fed_by
    passing = all(_passes(steps, name) for name in filters)
    return _printed(steps, first) if passing and isinstance(first, str) else None


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


def _printed(steps: "Sequence[ExpandedOperation]", name: str) -> Feed | None:
    """What the one command of this name in the request prints."""
    found = [s.operation for s in steps if _runs(s, name) and isinstance(s.operation, Exec)]
    if len(found) != 1:
        return None
    argv = found[0].argv
    words = [word for word in argv if isinstance(word, str)]
    if name == "find":
        return _of_find(argv)
    if name == "ls":
        return _of_list(argv)
    if name == "git" and words[1:2] == ["ls-files"]:
        others = {"-o", "--others", "-i", "--ignored", "-c", "-d"} & set(words)
        return None if others else Feed((".",), "tracked", _suffixes(argv[2:]))
    if words[:2] == ["git", "diff"] and "--name-only" in words:
        return Feed((".",), "tracked")
    if name == "rg" and {"-l", "--files", "--files-with-matches"} & set(words):
        loud = any(w.startswith(("-u", "-.", "--hidden", "--no-ignore", "-L")) for w in words[1:])
        return None if loud else Feed((".",), "visible")
    return None


def _of_find(argv: tuple[Word, ...]) -> Feed:
    end = next((at for at, w in enumerate(argv) if at and _is_expression(w)), len(argv))
    starts = tuple(w for w in argv[1:end] if w not in ("-H", "-L", "-P")) or (".",)
    words = [word for word in argv if isinstance(word, str)]
    if not _EITHER.isdisjoint(words):
        return Feed(starts)
    negated = ("!", "-not")
    named = (
        argv[at + 1]
        for at, word in enumerate(argv[:-1])
        if word in _NAMES and argv[at - 1] not in negated
    )
    return Feed(starts, "tree", tuple(glob for glob in named if isinstance(glob, str)))


def _is_expression(word: Word) -> bool:
    return isinstance(word, str) and word[:1] in ("-", "(", "!") and word not in ("-H", "-L", "-P")


def _of_list(argv: tuple[Word, ...]) -> Feed | None:
    """What `ls *.py` prints: names that fit the one glob, which is in no other directory."""
    source = argv[1].source if len(argv) == 2 and isinstance(argv[1], Dynamic) else ""
    if not source or set(source) & set("$`{/~'\"\\["):
        return None
    return Feed((".",), "tree", (source,))


def _suffixes(words: tuple[Word, ...]) -> tuple[str, ...]:
    """A glob for the last name, where one pattern of `git ls-files` says how it ends."""
    given = [word for word in words if not isinstance(word, str) or word[:1] != "-"]
    text = given[0] if len(given) == 1 and isinstance(given[0], str) else ""
    last = text.rpartition("/")[2]
    return (last,) if last[:1] == "*" and not set(last) & set("[\\") else ()


def _is_one_command(source: str) -> bool:
    return source[2:3].isalpha() and not set(source[2:-1]) & set("|;&<>$`\n")


def _passes(steps: "Sequence[ExpandedOperation]", name: Word) -> bool:
    """Whether each program of this name prints lines of its input."""
    readings = [step.reading for step in steps if _runs(step, name)]
    return bool(readings) and all(r is not None and r.prints == "input" for r in readings)


def _runs(step: "ExpandedOperation", name: Word) -> bool:
    return isinstance(step.operation, Exec) and step.operation.argv[0] == name


def _is_redirected(operation: Exec) -> bool:
    """Whether its words or input come from elsewhere than the pipeline: `xargs -a FILE`."""
    return operation.stdin is not None or any(
        isinstance(word, str) and word.startswith(("-a", "--arg-file")) for word in operation.argv
    )


def _fits(glob: str, name: str) -> bool:
    from execpolicy.support.path_match import name_fits

    return name_fits(glob.lower(), name)
