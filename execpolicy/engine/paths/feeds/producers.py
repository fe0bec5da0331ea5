"""Commands that print names of files, one a line, and which files these can be.

Each is known by the options that leave it so: what else one may print is not known. A name is as
the command prints it, which a shell or `xargs` may take apart afterwards.
"""

from _collections_abc import Callable, Iterator

from execpolicy.catalogue import Reading
from execpolicy.model.operation import Access, Dynamic, Word
from execpolicy.support.record import Value
from execpolicy.support.resources import words_of

LISTS = words_of("producers")
_BY_NAME = {name: words for title, words in LISTS.items() for name in title.split(", ")}
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


def known(reading: "Reading") -> frozenset[str]:
    """What the lists say of a program: its sort, and its options beside which that holds."""
    return _BY_NAME.get(" ".join(reading.path), _NONE)


def printed(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What a command prints, if that is certainly no more than names of files."""
    about, given = known(reading), {option.name for option in reading.options}
    computed = [word for word in argv if isinstance(word, Dynamic)]
    if reading.canonical != argv or not given <= about or any(map(_may_be_option, computed)):
        return None
    if "named" in about and given.isdisjoint(LISTS["names"]):
        return None
    if "unknown" in [cause.effect for cause in reading.effects]:
        return None
    feed = next((make(argv, reading) for sort, make in _SORTS.items() if sort in about), None)
    by_zeros, follows = not given.isdisjoint(LISTS["zeros"]), not given.isdisjoint(about & _FOLLOW)
    return feed and feed.replace(by_zeros=by_zeros, follows=follows)


def as_given(reading: "Reading") -> tuple[Word, ...]:
    """The words that a command prints as it got them, or the directory whose files it lists."""
    names, path = {option.name for option in reading.options}, " ".join(reading.path)
    if path == "echo" and not names:
        return reading.operands
    if path != "ls" or not names <= LISTS["as-given"]:
        return ()
    as_they_are = not names.isdisjoint(("-d", "--directory"))
    return reading.operands or (".",) if as_they_are or not reading.operands else ()


_FOLLOW = LISTS["follows"]


def _may_be_option(word: Dynamic) -> bool:
    """Whether the name of an option is computed."""
    return word.prefix[:1] == "-" and "=" not in word.prefix


def of_find(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What `find` comes upon before its first action. A computed word after a test may be another
    one."""
    names = {given.name for given in reading.options}
    starts, words = reading.operands, [w for w in argv[1:] if w not in ("-H", "-L", "-P")]
    computed = [word for word in argv if isinstance(word, Dynamic)]
    if tuple(words[: len(starts)]) != starts or any(map(_may_be_option, computed)):
        return None
    if names & LISTS["find-anywhere"]:
        return None
    globs = () if names & LISTS["find-either"] else tuple(_names_found(reading))
    by_zeros, follows = "-print0" in names, not names.isdisjoint(_FOLLOW)
    return Feed(starts or (".",), "tree", globs, by_zeros=by_zeros, follows=follows)


_STARTS = frozenset(("-x", "-X", "--exec", "--exec-batch"))


def of_fd(reading: "Reading") -> Feed | None:
    """What `fd` hands to the command that it runs."""
    given = {option.name for option in reading.options} - _STARTS
    if not given <= known(reading):
        return None
    starts = reading.operands[1:] or (".",)
    return Feed(starts, "visible", follows=not given.isdisjoint(_FOLLOW))


def _names_found(reading: "Reading") -> "Iterator[str]":
    """The globs that each name fits which comes to the first action: not those in parentheses, nor
    after a `!`."""
    inside, negated = 0, False
    for given in reading.options:
        if given.name in _NEGATIONS:
            negated = not negated
            continue
        if given.name not in known(reading) or given.name in _ENDS:
            return  # an action, or what is not known
        if given.name in ("(", ")"):
            inside += 1 if given.name == "(" else -1
        elif given.name in _NAMES and not (negated or inside):
            globs = (word for word in given.values if isinstance(word, str))
            yield from (glob for word in globs if (glob := _without_brackets(word)) is not None)
        negated = False


def _without_brackets(glob: str) -> str | None:
    """The glob with any character for each bracket; None where one is not simple (glob(7))."""
    while (at := glob.find("[")) >= 0:
        inside, closed, rest = glob[at + 1 :].partition("]")
        if not closed or not inside.lstrip("!^").replace("-", "").isalnum():
            return None
        glob = f"{glob[:at]}?{rest}"
    return None if "\\" in glob else glob


def _found(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """With `-print` and `-print0` some names end with a zero byte and some do not."""
    both = {"-print", "-print0"} <= {given.name for given in reading.options}
    return None if both else of_find(argv, reading)


def _listed(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What `ls *.py` prints: the files that the one glob matches, in the directory it is in."""
    source = argv[1].source if len(argv) == 2 and isinstance(argv[1], Dynamic) else ""
    if not source or set(source) & set("$`{/~'\"\\[(") or "**" in source:
        return None
    return Feed((source,), "listed")


def _tracked(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """Names of what git tracks: all, or what it finds something in."""
    if not all(map(_is_operand, reading.operands)):
        return None
    globs = () if "named" in known(reading) else _suffixes(reading.operands)  # of a pattern none
    return Feed((".",), "tracked", globs, whole=any(map(_leads_out, reading.operands)))


def _leads_out(word: Word) -> bool:
    """Whether a pathspec may name what is not below the working directory: `..`, `:/`."""
    return not isinstance(word, str) or word.startswith(_OUTSIDE) or ".." in word.split("/")


def _changed(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """Names of what git tracks now, or of what a revision had, which may be on disk yet."""
    if not all(map(_is_operand, reading.operands)):
        return None
    before = argv[: argv.index("--")] if "--" in argv else argv
    revisions = [word for word in reading.operands if word in before]
    filters = [g.values[0] for g in reading.options if g.name == "--diff-filter"]
    last = filters[-1] if filters and isinstance(filters[-1], str) else ""
    added = bool(last) and set(last) <= set("ACMRTUd") and "D" not in last
    staged = any(given.name in ("--cached", "--staged") for given in reading.options)
    range_of = [w for w in revisions if not isinstance(w, str) or ".." in w]
    now = not (revisions or staged) or (added and len(revisions) < 2 and not range_of)
    return Feed((".",), "tracked" if now else "tree", from_top=True)


def _visible(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    """What is neither hidden nor ignored, of what a search looks at or a pattern fits."""
    if not all(map(_is_operand, reading.operands)):
        return None
    if "named" in known(reading):
        return Feed(_looked_at(reading), "visible", files_only=True)
    return Feed(reading.operands[1:] or (".",), "visible")


def _below(argv: tuple[Word, ...], reading: "Reading") -> Feed | None:
    return Feed(_looked_at(reading), files_only=True)


def _is_operand(word: Word) -> bool:
    """Whether a word is certainly no option."""
    return isinstance(word, str) or word.prefix[:1] not in ("", "-") or word.not_option


def _looked_at(reading: "Reading") -> tuple[Word, ...]:
    """The paths that a command reads or looks at, the working directory where it names none."""
    subjects = (cause.subject for cause in reading.effects)
    paths = [each.path for each in subjects if isinstance(each, Access) and each.mode == "read"]
    return tuple(dict.fromkeys(paths)) or (".",)


def _suffixes(given: tuple[Word, ...]) -> tuple[str, ...]:
    """A glob for the last name, where one pattern of `git ls-files` says how it ends."""
    text = given[0] if len(given) == 1 and isinstance(given[0], str) else ""
    last = text.rpartition("/")[2]
    plain = text[:1] != ":" and last[:1] == "*" and not set(last) & set("[\\")
    return (last,) if plain else ()


_SORTS: "dict[str, Callable[[tuple[Word, ...], Reading], Feed | None]]" = {
    "found": _found,
    "below": _below,
    "visible": _visible,
    "tracked": _tracked,
    "changed": _changed,
    "listed": _listed,
}
"""What the first words of the lists say."""
