"""Commands that print names of files, one a line, and which files these can be.

Each is known by the options that leave it so: what else one may print is not known. A name is as
the command prints it, which a shell or `xargs` may take apart afterwards.
"""

from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from execpolicy.catalogue import Reading

_LISTS = words_of("producers")
_NAMES = ("-name", "-iname")
_NEGATIONS = ("!", "-not")
_ENDS = ("-print", "-print0")
"""After these a test of `find` does not hold for all that it prints."""
_OUTSIDE = ("/", "~", ":", "..")
"""What a pathspec holds or begins with that may be outside of the working directory."""
_NONE: frozenset[str] = frozenset()


class Feed(Value):
    """Paths that a command prints: below which directories, which of them, and how named.

    `extent` is that of an access: `tree`, `visible` or `tracked`; or `listed`, the files that the
    one glob in `starts` matches. Each name fits all of `globs`. `from_top`: the names are relative
    to the top of the repository; `whole`: all of the repository is looked at. `by_zeros`: a zero
    byte ends each name. `step` is the number of the command in its request. `files_only`: none is
    the name of a directory or of a link to one. `entered`: all that is below a name is read.
    `follows`: it goes into the directories that links lead to.
    """

    starts: tuple[Word, ...]
    extent: str = "tree"
    globs: tuple[str, ...] = ()
    from_top: bool = False
    whole: bool = False
    by_zeros: bool = False
    step: int = 0
    files_only: bool = False
    entered: bool = False
    follows: bool = False

    def whole_trees(self) -> "Feed":
        """The same for what looks into each directory that is among the names, links too."""
        if self.files_only:
            return self
        if self.extent in ("listed", "tracked"):
            return self.replace(entered=True)
        return self.replace(extent="tree", globs=(), entered=True)


def printed(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What a command prints, if that is certainly no more than names of files."""
    known = _PRODUCERS.get(argv[0]) if isinstance(argv[0], str) else None
    return known(argv, reading) if known is not None else None


def of_find(argv: tuple[Word, ...]) -> Feed | None:
    """What `find` comes upon before its first action."""
    words = {word for word in argv if isinstance(word, str)}
    if words & _LISTS["find-anywhere"]:
        return None
    starts = tuple(w for w in argv[1 : _expression(argv)] if w not in _FIND_LINKS) or (".",)
    by_zeros, follows = "-print0" in words, not words.isdisjoint(_LISTS["find-follows"])
    globs = () if words & _LISTS["find-either"] else tuple(_names_found(argv))
    return Feed(starts, "tree", globs, by_zeros=by_zeros, follows=follows)


_FIND_LINKS = ("-H", "-L", "-P")


def _names_found(argv: tuple[Word, ...]) -> "Iterator[str]":
    """The globs that each name fits which comes to the first action: not those in parentheses, nor
    after a `!`, nor a value of another test that looks like one."""
    at, inside, negated = _expression(argv), 0, False
    while at < len(argv):
        word = argv[at]
        if word in _NEGATIONS:
            negated = not negated
            at += 1
        elif word in ("(", ")"):
            inside, negated = inside + (1 if word == "(" else -1), False
            at += 1
        elif word in _LISTS["find-valued"]:
            glob = argv[at + 1] if at + 1 < len(argv) else None
            known = _without_brackets(glob) if isinstance(glob, str) else None
            if word in _NAMES and known is not None and not (negated or inside):
                yield known
            negated = False
            at += 2
        elif word in _LISTS["find"] and word not in _ENDS:
            negated = False
            at += 1
        else:
            return  # an action, or what is not known


def _without_brackets(glob: str) -> str | None:
    """The glob with any character for each bracket; None where one is not simple (glob(7))."""
    while (at := glob.find("[")) >= 0:
        inside, closed, rest = glob[at + 1 :].partition("]")
        if not closed or not inside.lstrip("!^").replace("-", "").isalnum():
            return None
        glob = f"{glob[:at]}?{rest}"
    return None if "\\" in glob else glob


def _expression(argv: tuple[Word, ...]) -> int:
    """Where the tests of `find` begin."""
    return next((at for at, w in enumerate(argv) if at and _begins_test(w)), len(argv))


def _begins_test(word: Word) -> bool:
    return isinstance(word, str) and word[:1] in ("-", "(", "!") and word not in _FIND_LINKS


def _find(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """With tests alone: an action such as `-exec` or `-printf` prints something else."""
    both = {"-print", "-print0"} <= set(argv)
    known = _operands("find", argv[_expression(argv) :]) == [] and not both
    return of_find(argv) if known else None


def _list(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What `ls *.py` prints: the files that the one glob matches, in the directory it is in."""
    source = argv[1].source if len(argv) == 2 and isinstance(argv[1], Dynamic) else ""
    if not source or set(source) & set("$`{/~'\"\\[(") or "**" in source:
        return None
    return Feed((source,), "listed")


def _git(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    known = _GIT.get(argv[1]) if len(argv) > 1 and isinstance(argv[1], str) else None
    return known(argv[2:]) if known is not None else None


def _listed(rest: tuple[Word, ...]) -> Feed | None:
    operands = _operands("ls-files", rest)
    if operands is None:
        return None
    zeros = "-z" in rest
    return Feed((".",), "tracked", _suffixes(operands), whole=_leads_out(operands), by_zeros=zeros)


def _matched(rest: tuple[Word, ...]) -> Feed | None:
    """Names of files that `git grep` finds something in, where it prints no lines of them."""
    operands = _operands("git-grep", rest)
    if _LISTS["git-grep-names"].isdisjoint(rest) or operands is None:
        return None
    return Feed((".",), "tracked", whole=_leads_out(operands), by_zeros="-z" in rest)


def _leads_out(operands: "list[Word]") -> bool:
    """Whether a pathspec may name what is not below the working directory: `..`, `:/`."""
    return any(
        not isinstance(w, str) or w.startswith(_OUTSIDE) or ".." in w.split("/") for w in operands
    )


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
    extent = "tracked" if now else "tree"
    return Feed((".",), extent, from_top=True, by_zeros="-z" in rest)


def _ripgrep(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """Files below its operands that are neither hidden nor ignored, which `-g` would change."""
    if _LISTS["rg-names"].isdisjoint(argv) or _operands("rg", argv[1:]) is None:
        return None
    zeros, follows = not {"-0", "--null"}.isdisjoint(argv), not _FOLLOW.isdisjoint(argv)
    starts = _looked_at(reading)
    return Feed(starts, "visible", by_zeros=zeros, files_only=True, follows=follows)


def _grep(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    words = [word for word in argv[1:] if isinstance(word, str) and word[:1] == "-"]
    flags = {f"-{letter}" for word in words if word[1:2] != "-" for letter in word[1:]}
    long = {word.partition("=")[0] for word in words if word[:2] == "--"}
    known = flags <= _LISTS["grep"] and long <= _LISTS["grep-long"]
    if not known or "-l" not in flags:
        return None
    zeros, follows = "-Z" in flags, "-R" in flags
    return Feed(_looked_at(reading), by_zeros=zeros, files_only=True, follows=follows)


def _fd(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    return _fd_found(argv)


def _fd_found(argv: tuple[Word, ...]) -> Feed | None:
    found = _operands("fd", argv[1:])
    if found is None:
        return None
    zeros, follows = not {"-0", "--print0"}.isdisjoint(argv), not _FOLLOW.isdisjoint(argv)
    return Feed(tuple(found[1:]) or (".",), "visible", by_zeros=zeros, follows=follows)


_FOLLOW = frozenset(("-L", "--follow"))
"""What makes rg and fd follow links."""
_STARTS = frozenset(("-x", "-X", "--exec", "--exec-batch"))


def of_fd(argv: tuple[Word, ...]) -> Feed | None:
    """What `fd` hands to the command that it runs."""
    at = next((at for at, word in enumerate(argv) if word in _STARTS), len(argv))
    return _fd_found(argv[:at])


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


def _suffixes(given: "list[Word]") -> tuple[str, ...]:
    """A glob for the last name, where one pattern of `git ls-files` says how it ends."""
    text = given[0] if len(given) == 1 and isinstance(given[0], str) else ""
    last = text.rpartition("/")[2]
    plain = text[:1] != ":" and last[:1] == "*" and not set(last) & set("[\\")
    return (last,) if plain else ()


_GIT = {"ls-files": _listed, "grep": _matched, "diff": _changed}
_PRODUCERS: "dict[str, Callable[[tuple[Word, ...], Reading], Feed | None]]" = {
    "find": _find,
    "ls": _list,
    "git": _git,
    "rg": _ripgrep,
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    **dict.fromkeys(("fd", "fdfind"), _fd),
}
