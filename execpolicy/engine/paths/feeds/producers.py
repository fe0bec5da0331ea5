"""Commands that print names of files, one a line, and which files these can be.

Each is known by the options that leave it so: what else one may print is not known. A name is as
the command prints it, which a shell or `xargs` may take apart afterwards.
"""

from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.catalogue import Reading

_LISTS = words_of("producers")
_NAMES = ("-name", "-iname")
_NONE: frozenset[str] = frozenset()


class Feed(Value):
    """Paths that a command prints: below which directories, which of them, and how named.

    `extent` is that of an access: `tree`, `visible` or `tracked`. Each name fits all of `globs`.
    `from_top`: the names are relative to the top of the repository.
    """

    starts: tuple[Word, ...]
    extent: str = "tree"
    globs: tuple[str, ...] = ()
    from_top: bool = False


def printed(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What a command prints, if that is certainly no more than names of files."""
    known = _PRODUCERS.get(argv[0]) if isinstance(argv[0], str) else None
    return known(argv, reading) if known is not None else None


def of_find(argv: tuple[Word, ...]) -> Feed | None:
    """What `find` comes upon; behind a link of another directory that may be anything."""
    words = {word for word in argv if isinstance(word, str)}
    if words & _LISTS["find-anywhere"]:
        return None
    starts = tuple(w for w in argv[1 : _expression(argv)] if w not in ("-H", "-P")) or (".",)
    if words & _LISTS["find-either"]:
        return Feed(starts)
    negated = ("!", "-not")
    named = (
        argv[at + 1]
        for at, word in enumerate(argv[:-1])
        if word in _NAMES and argv[at - 1] not in negated
    )
    return Feed(starts, "tree", tuple(glob for glob in named if isinstance(glob, str)))


def _expression(argv: tuple[Word, ...]) -> int:
    """Where the tests of `find` begin."""
    return next((at for at, w in enumerate(argv) if at and _begins_test(w)), len(argv))


def _begins_test(word: Word) -> bool:
    return isinstance(word, str) and word[:1] in ("-", "(", "!") and word not in ("-H", "-L", "-P")


def _find(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """With tests alone: an action such as `-exec` or `-printf` prints something else."""
    return of_find(argv) if _operands("find", argv[_expression(argv) :]) == [] else None


def _list(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What `ls *.py` prints: names that fit the one glob, which is in no other directory."""
    source = argv[1].source if len(argv) == 2 and isinstance(argv[1], Dynamic) else ""
    if not source or set(source) & set("$`{/~'\"\\["):
        return None
    return Feed((".",), "tree", (source,))


def _git(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    known = _GIT.get(argv[1]) if len(argv) > 1 and isinstance(argv[1], str) else None
    return known(argv[2:]) if known is not None else None


def _listed(rest: tuple[Word, ...]) -> Feed | None:
    if _operands("ls-files", rest) is None:
        return None
    return Feed((".",), "tracked", _suffixes(rest))


def _matched(rest: tuple[Word, ...]) -> Feed | None:
    """Names of files that `git grep` finds something in, where it prints no lines of them."""
    if _LISTS["git-grep-names"].isdisjoint(rest) or _operands("git-grep", rest) is None:
        return None
    return Feed((".",), "tracked")


def _changed(rest: tuple[Word, ...]) -> Feed | None:
    """Names of what git tracks now, or of what a revision had, which may be on disk yet."""
    if "--name-only" not in rest:
        return None
    kept = [w for w in rest if not (isinstance(w, str) and w.startswith("--diff-filter="))]
    staged = [w for w in kept if w in ("--cached", "--staged")]
    operands = _operands("git-diff", tuple(w for w in kept if w not in staged))
    if operands is None:
        return None
    before = rest[: rest.index("--")] if "--" in rest else rest
    revisions = [w for w in operands if w in before]
    filters = [w[len("--diff-filter=") :] for w in rest if isinstance(w, str) and w not in kept]
    added = bool(filters) and set(filters[-1]) <= set("ACMRTUd") and "D" not in filters[-1]
    range_of = [w for w in revisions if not isinstance(w, str) or ".." in w]
    now = not (revisions or staged) or (added and len(revisions) < 2 and not range_of)
    return Feed((".",), "tracked" if now else "tree", from_top=True)


def _ripgrep(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """Files below its operands that are neither hidden nor ignored, which `-g` would change."""
    if _LISTS["rg-names"].isdisjoint(argv) or _operands("rg", argv[1:]) is None:
        return None
    return Feed(_looked_at(reading), "visible")


def _grep(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    words = [word for word in argv[1:] if isinstance(word, str) and word[:1] == "-"]
    flags = {f"-{letter}" for word in words if word[1:2] != "-" for letter in word[1:]}
    long = {word.partition("=")[0] for word in words if word[:2] == "--"}
    known = flags <= _LISTS["grep"] and long <= _LISTS["grep-long"]
    return Feed(_looked_at(reading)) if known and "-l" in flags else None


def _fd(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    found = _operands("fd", argv[1:])
    return None if found is None else Feed(tuple(found[1:]) or (".",), "visible")


def _operands(command: str, words: tuple[Word, ...]) -> list[Word] | None:
    """The words that are no option and no value of one; None where an option is not known."""
    plain, valued = _LISTS[command], _LISTS.get(f"{command}-valued", _NONE)
    found: list[Word] = []
    at, ended = 0, False
    while at < len(words):
        word = words[at]
        at += 1
        if ended or (isinstance(word, str) and word not in plain and word[:1] != "-"):
            found.append(word)
        elif isinstance(word, Dynamic):
            if word.prefix[:1] in ("", "-") and not word.not_option:
                return None
            found.append(word)
        elif word in valued:
            at += 1
        elif word not in plain:
            return None
        ended = ended or word == "--"
    return found


def _looked_at(reading: "Reading") -> tuple[Word, ...]:
    """The paths that a command reads or looks at, the working directory where it names none."""
    subjects = (cause.subject for cause in reading.effects)
    paths = [each.path for each in subjects if isinstance(each, Access) and each.mode == "read"]
    return tuple(dict.fromkeys(paths)) or (".",)


def _suffixes(words: tuple[Word, ...]) -> tuple[str, ...]:
    """A glob for the last name, where one pattern of `git ls-files` says how it ends."""
    given = [word for word in words if not isinstance(word, str) or word[:1] != "-"]
    text = given[0] if len(given) == 1 and isinstance(given[0], str) else ""
    last = text.rpartition("/")[2]
    return (last,) if last[:1] == "*" and not set(last) & set("[\\") else ()


_GIT = {"ls-files": _listed, "grep": _matched, "diff": _changed}
_PRODUCERS: "dict[str, Callable[[tuple[Word, ...], Reading], Feed | None]]" = {
    "find": _find,
    "ls": _list,
    "git": _git,
    "rg": _ripgrep,
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    **dict.fromkeys(("fd", "fdfind"), _fd),
}
