"""Which prefixes are never allowed for good: those that leave open what would run.

One function judges a prefix by what the catalogue knows about its program: offers, `amend`,
`import`, `lint` and `learn` ask it. `{unlocks} PATH` is an entry for this question alone; it says
what the words after PATH name where the entry of PATH itself has no reason to
(`rules/interpreters.rules`).
"""

from _collections_abc import Iterator, Sequence

from execpolicy.catalogue.catalogue import Catalogue, Known
from execpolicy.catalogue.entry import CatalogueEntry
from execpolicy.catalogue.form import Form, after, taker
from execpolicy.catalogue.kinds.kind import Kind, own_names, possible
from execpolicy.catalogue.kinds.names import SCRIPTS, TAILS, UNTIL
from execpolicy.catalogue.option import Option
from execpolicy.catalogue.reading.operands import is_open
from execpolicy.catalogue.reading.tokens import Given, Tokens
from execpolicy.model.errors import printable
from execpolicy.model.operation import Word

UNLOCKS = "{unlocks}"
MAX_DEPTH = 20

_RUNS = SCRIPTS | TAILS | UNTIL | {"code", "source", "program"}
_OPEN = _RUNS | {"remove"}
_STRONG = frozenset(("privilege", "destroy"))
_CHANGES_PROGRAM = _STRONG | {"execute", "unknown"}
_OPERATORS = frozenset(" \t\r\n\v\f;&|<>()$`")
_ELSEWHERE = ("-", "/dev/", "/proc/", "/tmp/", "/var/tmp/", "http:", "https:")  # noqa: S108
_SUFFIXES = (".exe", ".com", ".cmd", ".bat", ".ps1")
_VARIANTS = ("-dbg", "-debug", "-static", ".static", "-intel64", "-arm64", "-preview")


def banned(prefix: "Sequence[str]", catalogue: Catalogue) -> str | None:
    """Why an allow rule for this prefix would allow too much; None where it would not.

    >>> banned((), Catalogue())
    'it is empty: it would allow everything'
    """
    if not prefix:
        return "it is empty: it would allow everything"
    for token in prefix:
        if not token or not token.isprintable() or not _OPERATORS.isdisjoint(token):
            shown = printable(token, 40)
            return f"`{shown}` is not a plain word: a prefix has no blanks and shell operators"
    return _judge(tuple(prefix), catalogue, 0)


def _judge(words: tuple[str, ...], catalogue: Catalogue, depth: int) -> str | None:
    while words[:1] == ("--",):
        words = words[1:]
    if not words or depth > MAX_DEPTH:
        return "it leaves open which command runs"
    if "=" in words[0][1:]:
        return f"`{words[0]}` is an assignment in front of a command"
    if words[0].startswith("-"):
        return f"`{words[0]}` is not a program: it leaves open which command runs"
    for one in _Prefix.all(words, catalogue):
        reason = one.reason(depth)
        if reason:
            return reason
    return None


def names(program: str) -> tuple[str, ...]:
    """The names under which a program may be known: without directory, ending, version, capitals.

    >>> names("/usr/local/bin/Python3.12.exe")
    ('Python3.12.exe', 'python3.12.exe', 'python3.12', 'python')
    """
    base = program.rpartition("/")[2].rpartition("\\")[2]
    found = [base, base.lower()]
    stem = base.lower()
    for suffix in _SUFFIXES:
        stem = stem.removesuffix(suffix)
    found.append(stem)
    for variant in _VARIANTS:
        stem = stem.removesuffix(variant)
    if len(stem) > 1 and stem[-1] in "mdutw" and stem[-2].isdigit():  # python3.13t, python3.7m
        stem = stem[:-1]
    found += [stem, stem.rstrip("0123456789.") or stem, stem.rstrip("0123456789.-_") or stem]
    return tuple(dict.fromkeys(found))


class _Prefix:
    """A prefix as one entry reads it: the path of subcommands, and the words after it."""

    def __init__(
        self,
        catalogue: Catalogue,
        argv: tuple[str, ...],
        entry: CatalogueEntry,
        path: tuple[str, ...],
        at: int,
        before: list[Given] | None,
    ) -> None:
        self.catalogue = catalogue
        self.argv = argv
        self.entry = entry
        self.path = path
        self.at = at
        self.unlocks = before is None
        self.before = before or []
        self.tokens = Tokens(entry, argv, at)

    @classmethod
    def all(cls, words: tuple[str, ...], catalogue: Catalogue) -> "Iterator[_Prefix]":
        """The prefix as the program's own entry reads it, and as `{unlocks}` does."""
        spelled = names(words[0])
        path: tuple[str, ...] = (spelled[-1],)
        at, own = 1, None
        for name in spelled:
            entry = catalogue.entry(f"{UNLOCKS} {name}")
            found = catalogue.lookup(name) or (entry and Known(f"{UNLOCKS} {name}", entry))
            if found:
                own = cls._descend((name, *words[1:]), catalogue, found)
                yield own
                path, at = own.path, own.at
                break
        for name, end in ((name, end) for end in range(len(path), 0, -1) for name in spelled):
            entry = catalogue.entry(" ".join((UNLOCKS, name, *path[1:end])))
            if entry is not None and end < len(path) and not _never_closed(entry):
                continue
            if entry is not None and _says(entry):
                unlocking = cls(catalogue, (name, *words[1:]), entry, path, at, None)
                unlocking._trust(own)
                yield unlocking
                return

    def _trust(self, own: "_Prefix | None") -> None:
        """The program's own entry knows which of its options take a value."""
        if own is not None and len(own.tokens.operands) < len(self.tokens.operands):
            self.tokens.operands = own.tokens.operands

    @classmethod
    def _descend(cls, argv: tuple[str, ...], catalogue: Catalogue, known: Known) -> "_Prefix":
        key, entry = known.path, known.entry
        path: tuple[str, ...] = (argv[0],)
        at = 1
        before: list[Given] = []
        while True:
            tokens = Tokens(entry, argv, at)
            child = tokens.child
            below = None if child is None else catalogue.entry(f"{key} {child}")
            if child is None or below is None:
                return cls(catalogue, argv, entry, path, at, before)
            before += tokens.options
            path, key, entry, at = (*path, child), f"{key} {child}", below, tokens.at

    def reason(self, depth: int) -> str | None:
        """Why this reading leaves too much open, or None."""
        tokens, name = self.tokens, " ".join(self.path)
        if tokens.at > len(self.argv) or any(problem.waits for problem in tokens.problems):
            return f"`{self.argv[-1]}` still waits for its value"
        if self.entry.children and not tokens.operands and not self._is_command():
            return f"`{name}` alone unlocks all of its subcommands"
        return self._by_options(name) or self._by_forms(name, depth)

    def _by_options(self, name: str) -> str | None:
        """Options in front of the subcommand, options that carry a program, options still open."""
        in_front = self.before
        if self.entry.children and self.tokens.operands:
            in_front = [*in_front, *self.tokens.options]
        for given in in_front:
            if not _CHANGES_PROGRAM.isdisjoint(_effects(given.option)):
                return f"`{given.name}` in front of the subcommand changes what `{name}` does"
        for given in self.tokens.options:
            if not _RUNS.isdisjoint(own_names(given.option.kinds)):
                return f"`{given.name}` carries a program of its own"
            if not _STRONG.isdisjoint(given.option.effects):
                return f"`{name} {given.name}` may destroy, or act with other rights"
        if self.entry.stop_at_operand and self.tokens.operands:
            return None
        if self.unlocks and self.entry.takes_script:
            return f"`{name}` runs whatever command an option names"
        if self.entry.exec_option:
            return f"`{name}` runs whatever command its option `{self.entry.exec_option}` names"
        return None

    def _is_command(self) -> bool:
        """Whether this is a subcommand that does something with operands of its own."""
        return len(self.path) > 1 and any(form.operands.places for form in self.entry.forms)

    def _by_forms(self, name: str, depth: int) -> str | None:
        for form in self.entry.forms:
            reason = self._lay(form, name, depth) if is_open(form, self.tokens) else None
            if reason:
                return reason
        return None

    def _lay(self, form: Form, name: str, depth: int) -> str | None:
        """Lay the operands on the form's places; what is left is open to whatever follows."""
        places, at = form.operands.places, 0
        for count, word in enumerate(self.tokens.operands):
            number = taker(places, at, word)
            if number < 0:
                return None
            kind = places[number].kind
            if isinstance(kind, str) and (kind in _RUNS or kind == "assignment"):
                reason = self._filled(kind, word, count, name, depth)
                if reason or kind in TAILS:
                    return reason or _strong(form, name)
            at = after(places, number)
        left = [place.kind for place in places[at:]]
        return _left(left, form.stdin, name) or _strong(form, name)

    def _filled(self, kind: str, word: Word, at: int, name: str, depth: int) -> str | None:
        """An operand that says what runs: a command is judged itself, a script must be a file."""
        if kind == "assignment":
            return f"`{printable(str(word), 40)}` is an assignment in front of a command"
        if kind in ("command", "command+", "remote-command"):
            words = tuple(str(w) for w in self.tokens.operands[at:])
            return _judge(words, self.catalogue, depth + 1)
        if kind == "program":
            return None
        direct = at == 0 and not self.tokens.options and not self.tokens.problems
        if kind in ("code", "source") and direct and is_script(str(word)):
            return None
        return f"`{name}` runs any program text that it is given"


def _left(kinds: list[Kind], stdin: Kind | None, name: str) -> str | None:
    """Whether what is still to come, as operand or on standard input, says what runs or goes."""
    if not _OPEN.isdisjoint(own_names((*kinds, *((stdin,) if stdin else ())))):
        verb = "removes" if "remove" in kinds else "runs"
        return f"`{name}` {verb} what follows it"
    return None


def _strong(form: Form, name: str) -> str | None:
    """Whether the call as such destroys, or acts with other rights."""
    for effect in form.effects:
        if effect in _STRONG:
            what = "loses what was there" if effect == "destroy" else "acts with other rights"
            return f"`{name}` {what}"
    return None


def is_script(word: str) -> bool:
    """Whether this can only be the path of a file that belongs to a project.

    >>> [w for w in ("a.py", "./x", "-", "x", "/dev/stdin", "/tmp/a.py") if is_script(w)]
    ['a.py', './x']
    """
    if word.startswith(_ELSEWHERE):
        return False
    parts = word.split("/")
    return ("/" in word or "." in word.strip(".")) and all(
        c.isalnum() or c in "._-+@~" for part in parts for c in part
    )


def _says(entry: CatalogueEntry) -> bool:
    """Whether the entry was written; one that only has subcommands was not."""
    return bool(entry.forms)


def _never_closed(entry: CatalogueEntry) -> bool:
    """Whether whatever follows runs, after each subcommand too."""
    scripts = ("shell...", "command/shell...", "remote-shell...")
    return any(p.kind in scripts for form in entry.forms for p in form.operands.places)


def _effects(option: Option) -> "Iterator[str]":
    yield from option.effects
    for kind in option.kinds:
        yield from possible(kind)
