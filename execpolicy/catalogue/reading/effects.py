"""What the words of one argv do: causes, and the commands inside."""

from execpolicy.catalogue.kinds.names import CHANGES, UNTIL
from execpolicy.catalogue.reading.cause import (
    COMPUTED,
    Cause,
    CommandPart,
    cause_of,
    operand,
    option,
)
from execpolicy.catalogue.reading.reading import INHERITED, STREAM, Inner, Limit
from execpolicy.catalogue.reading.words import (
    backups,
    hole,
    is_name,
    is_single,
    joined,
    path_hole,
    under,
)
from execpolicy.model.operation import (
    OUTPUT_DEVICES,
    Access,
    Assignment,
    Dynamic,
    Word,
    is_pipe,
    show,
)
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from execpolicy.catalogue.reading.cause import Subject, Trigger
    from execpolicy.model.operation import Extent, Mode


class PathUse(Value):
    """What is done with the path that a word of some kind names."""

    effect: str
    mode: "Mode"
    verb: str
    extent: "Extent"


PATHS = {
    "file": PathUse("read", "read", "reads", "file"),
    "path": PathUse("read", "read", "looks at", "names"),
    "dir": PathUse("read", "read", "looks at", "names"),
    "tree": PathUse("read", "read", "reads all below", "tree"),
    "visible": PathUse("read", "read", "reads what is visible below", "visible"),
    "tracked": PathUse("read", "read", "reads what git tracks below", "tracked"),
    "including-local": PathUse("read", "read", "reads, with what it includes,", "including"),
    "staged": PathUse("read", "read", "shows what git has in its index of", "staged"),
    "history": PathUse("read", "read", "shows what git keeps of", "history"),
    "revision": PathUse("read", "read", "shows what git keeps of", "revision"),
    "out": PathUse("write", "write", "writes", "file"),
    "in-place": PathUse("write", "write", "writes", "file"),
    "opened": PathUse("write", "write", "writes", "file"),
    "new-tree": PathUse("write", "write", "writes", "file"),
    "into": PathUse("write", "write", "writes", "entry"),
    "link-target": PathUse("write", "write", "links to", "edited"),
    "moved": PathUse("write", "remove", "takes away", "file"),
    "remove": PathUse("destroy", "remove", "removes", "file"),
}
"""The kinds of paths."""
_UNKNOWN = Dynamic("…")
"""What comes to lie in a directory that a program makes, and no word names."""
MAX_GIVEN = 64
"""Words and lines of an input that are looked at."""
_REPLACED = frozenset(("out", "opened", "into"))
"""Those of a file whose content is replaced."""
BELOW = ("tree", "visible", "tracked", "staged")
"""Those of which an operand that is left out means the working directory."""


class Effects:
    """Collects what the words of one argv do."""

    # What few commands have stays with the class until they do.
    inner: tuple[Inner, ...] = ()
    assignments: "Sequence[Assignment]" = ()
    cwd: Word | None = None
    base: Word | None = None
    placeholder: str | None = None
    appended = False
    spread = False
    unless_inner_reads: tuple[Cause, ...] = ()
    into: tuple[Word, ...] = ()
    beside: tuple[tuple[str, Word], ...] = ()
    start = ""
    own: tuple[Word, ...] = ()
    suffixes: tuple[Word, ...] = ()
    stdin = INHERITED
    names_input = False
    holds_code = False
    imports = False
    remotes: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()

    def __init__(self) -> None:
        self.causes: list[Cause] = []

    @property
    def input(self) -> str:
        """The text of the standard input, where the script itself holds it."""
        given = self.stdin.printed if self.stdin.text is None else self.stdin.text
        return given or ""

    def say(self, effect: str, name: str, what: str, subject: "Subject" = None) -> None:
        """An effect of the program, or of the option `name`, with what it does in words."""
        said = f"`{name}` {what}" if name else what
        self.causes.append(Cause(effect, said, subject, option(name)))

    def by_word(self, word: Word, effect: str, name: str, what: str) -> None:
        """An effect that the program has by this very word."""
        said = f"`{name}` {what}" if name else what
        by = option(name) if name else operand(word)
        self.causes.append(cause_of(effect, said, by))

    def file(self, kind: str, word: Word, name: str) -> None:
        """A path of one of `PATHS`."""
        use = PATHS[kind]
        effect, mode, extent = use.effect, use.mode, use.extent
        if effect == "read" and word in STREAM:
            self.names_input = True
        if (word == "-" and effect == "read") or (word in OUTPUT_DEVICES and kind == "opened"):
            return
        if mode == "write" and is_pipe(word):
            return
        path = word if self.cwd is None else under(self.cwd, word)
        replaces = kind in _REPLACED
        source = _UNKNOWN if kind == "new-tree" else None
        access = Access(path, mode, (), None, extent, source, replaces=replaces)
        self.say(effect, name, f"{use.verb} `{show(word)}`", access)
        if kind == "into":
            self.into += (path,)

    def python(self, text: str, by: "Trigger") -> None:
        """What a text in Python opens and shows, where that is all, after the cause that runs it.

        Even one without an import may import: a codec, or what writes down an error.
        """
        from execpolicy.catalogue.scripts.python.reader import effects

        found = effects(text)
        if found is not None:
            self.imports = True
            self.causes[-1] = self.causes[-1].replace(known=True)
            said = [cause_of(e.effect, e.why, by).replace(subject=e.subject) for e in found]
            self.causes += said

    def backed_up(self) -> None:
        """What is changed is kept under another name before."""
        written = [c.subject for c in self.causes if isinstance(c.subject, Access)]
        for access in [each for each in written if each.mode == "write"]:
            for suffix in self.suffixes:
                for path in backups(access.path, suffix):
                    self.causes.append(Cause("write", "", Access(path, "write")))

    def settled(self) -> tuple[Cause, ...]:
        """The causes, and nothing of the marks that say that what is there is kept: an option
        says so, a name for what was there, or that the program reads what it writes."""
        told = [c for c in self.causes if not c.effect or (c.subject is not None and _replaces(c))]
        if not told:
            return tuple(self.causes)
        marks = [cause for cause in told if not cause.effect]
        kept = bool(self.suffixes) or any(
            mark.by.part is not CommandPart.COMPUTED for mark in marks
        )
        read = {access.path for cause in self.causes if (access := _read(cause))}
        return tuple(_kept(cause, kept, read) for cause in self.causes if cause.effect)

    def below(self, kinds: "set[str]") -> None:
        """What is read where no operand says so: the working directory."""
        self.file(next(kind for kind in BELOW if kind in kinds), ".", "")

    def copied(self, operands: "Iterable[Word]", contents: bool, trees: bool) -> None:
        """Where the operands arrive if `into` is a directory: there, under their own names.

        With `contents`, what is in a directory with a slash after it may arrive there itself, as
        rsync(1) copies it; with `trees` what is in any, as by `cp -rT`.
        """
        for directory in self.into:
            for word in () if directory in OUTPUT_DEVICES else operands:
                name = show(word).rstrip("/").rpartition("/")[2]
                known = isinstance(word, str) or (is_single(word) and is_name(name))
                source = word if self.cwd is None else under(self.cwd, word)
                named = under(directory, name if known else Dynamic(name, "", is_single(word)))
                all_in_it = trees or (contents and show(word).endswith("/"))
                for path in (named, under(directory, ".")) if all_in_it else (named,):
                    access = Access(path, "write", (), None, "file", source, replaces=True)
                    self.causes.append(Cause("write", "", access))

    def set_beside(self) -> None:
        """The paths that are relative to where operands go: what symbolic links lead to, of which
        the last operand is the link or its directory, and where replaced files are kept."""
        for kind, word in self.beside:
            links = kind == "link-target"
            for directory in _link_directories(self.into) if links else self.into:
                self.file(kind, word if directory == "." else under(directory, word), "")

    def assign(self, assignment: Assignment) -> None:
        """A variable for the command inside."""
        if not isinstance(self.assignments, list):
            self.assignments = []
        self.assignments.append(assignment)

    def script(self, text: Word, reader: str, name: str) -> None:
        """A script text, and the shell that reads it."""
        self.inner += (Inner(self.via(name), script=text, shell=reader, cwd=self.cwd),)

    def tail(self, kind: str, words: tuple[Word, ...], name: str = "") -> None:
        """A command that takes all these words."""
        via = self.via(name)
        possible: list[tuple[Word, ...]] = []
        if kind == "command/shell...":
            self.tail("command", words, name)
        if kind == "remote-shell...":  # perhaps a Korn shell, which computes where zsh does
            self.script(joined(words), "zsh", name)
        if kind in ("shell...", "command/shell...", "remote-shell..."):
            self.script(joined(words), "sh", name)
            return
        if kind == "self-command":
            words = (self.own[0], *words)
        elif kind == "command+":
            possible = self._given(words)
            words = self._fed(words)
        elif kind in UNTIL:
            possible = self._at_starts(words, kind)
            words = self._placed(words, kind)
        cwd = Dynamic("…", self.start) if kind == "command;." else self.cwd
        self.inner += (Inner(via, argv=words, cwd=cwd),)
        for other in possible:
            self.inner += (Inner(via, argv=other, cwd=self.cwd, possible=True),)

    def via(self, name: str) -> str:
        """The command's own words, and the option whose value is the command inside."""
        return " ".join(map(show, (*self.own, name) if name else self.own))

    def _fed(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """The words of xargs: input stands for the placeholder, or comes at the end."""
        mark = self.placeholder
        if self.spread and mark in words:
            return tuple(Dynamic("…") if word == mark else word for word in words)
        if mark and not self.spread:
            words = tuple(hole(word, mark) if mark in show(word) else word for word in words)
        ends = not mark or self.appended or self.spread
        return (*words, Dynamic("…")) if ends else words

    def _given(self, words: tuple[Word, ...]) -> "list[tuple[Word, ...]]":
        """The words of xargs with those of its input that the script itself holds."""
        lines = self.input.splitlines()[:MAX_GIVEN] if self.input else []
        mark = self.placeholder
        if mark and not self.spread:
            return [tuple(_filled(word, mark, line) for word in words) for line in lines]
        given = [each for line in lines for each in line.replace("\0", " ").split()]
        whole = [(*words, line) for line in lines if " " in line]
        return [(*words, *given[:MAX_GIVEN]), *whole] if given else []

    def _at_starts(self, words: tuple[Word, ...], kind: str) -> "list[tuple[Word, ...]]":
        """The words of find with its start paths: it finds these too."""
        words = words[:-1] if words[-1:] in ((";",), ("+",)) else words
        starts = self.starts if kind == "command;@" else ()
        return [tuple(_filled(word, "{}", start) for word in words) for start in starts]

    def _placed(self, words: tuple[Word, ...], kind: str) -> tuple[Word, ...]:
        """The words of find and fd: found paths stand for `{}` and its relatives.

        What find finds begins with the path that it starts from. For `-execdir` it is a bare name
        on BSD and macOS, which may begin with a dash.
        """
        start = self.start if kind in ("command;", "command;@") else ""
        single = words[-1:] != ("+",) and kind != "command;+"
        words = words[:-1] if words[-1:] in ((";",), ("+",)) else words
        placed = tuple(path_hole(word, start, single) for word in words)
        if kind == "command;+" and placed == words:
            return (*words, Dynamic("…"))
        return placed

    def changes_elsewhere(self) -> None:
        """Whatever is changed without a path is at the host that a word names, if one does."""
        reached = (c for c in self.causes if c.effect == "network" and not c.where)
        named = any(c.subject or not c.is_inherent for c in reached)
        changes = [c for c in self.causes if c.effect in CHANGES and not c.subject]
        if named and changes:
            self.causes.append(Cause("remote", "changes what the named host holds"))

    def unknown(self, why: str) -> None:
        """Something that the catalogue does not name."""
        self.causes.append(Cause("unknown", why))

    def maybe_option(self, word: Dynamic, ceiling: dict[str, str], ended: bool = False) -> None:
        """A dynamic word that may be an option, or more words than one.

        `ended`: after `--` no word is an option for this program.
        """
        for effect, name in ceiling.items():
            culprit = (
                f"an option such as `{name}`" if name else "a word that changes what the rest means"
            )
            cure = "; put `--` before it" if ended and name else ""
            said = f"`{word.source}` may be {culprit}{cure}"
            self.causes.append(cause_of(effect, said, COMPUTED))


def _replaces(cause: Cause) -> bool:
    return isinstance(cause.subject, Access) and cause.subject.replaces


def _kept(cause: Cause, every: bool, read: "set[Word]") -> Cause:
    """The cause where what the file holds stays, as far as it does."""
    access = cause.subject
    if not isinstance(access, Access) or not (every or access.path in read):
        return cause
    return cause.replace(subject=access.replace(replaces=False))


def _read(cause: Cause) -> Access | None:
    """The file that is read."""
    access = cause.subject
    if not isinstance(access, Access) or access.mode != "read" or access.extent != "file":
        return None
    return access


def _filled(word: Word, mark: str, text: str) -> Word:
    return word.replace(mark, text) if isinstance(word, str) else word


def _link_directories(into: tuple[Word, ...]) -> "list[Word]":
    """The directories in which links of these names may stand, the working directory for none."""
    found: list[Word] = []
    for path in into:
        if isinstance(path, str) and path.rstrip("/").rpartition("/")[2] not in (".", ".."):
            found.append(path.rpartition("/")[0] or ("/" if path[:1] == "/" else "."))
        found.append(path)
    return list(dict.fromkeys(found)) or ["."]
