"""What a word of some kind does: causes, and the commands inside."""

from execpolicy.catalogue import hosts
from execpolicy.catalogue.kinds.kind import (
    Affixed,
    Kind,
    Literals,
    OneOf,
    WithEffects,
    may_fit,
    must_fit,
)
from execpolicy.catalogue.kinds.names import CHANGES, EFFECTS_OF, UNTIL
from execpolicy.catalogue.reading.reading import BASE, COMPUTED, Cause, Inner, cause_of
from execpolicy.catalogue.reading.words import (
    backups,
    hole,
    is_single,
    joined,
    path_hole,
    show,
    under,
    unpacked,
)
from execpolicy.model.operation import Access, Assignment, Connect, Dynamic, Variable, Word, is_pipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from execpolicy.catalogue.reading.reading import Subject

_FILES = {
    "file": ("read", "read", "reads", "file"),
    "path": ("read", "read", "looks at", "names"),
    "dir": ("read", "read", "looks at", "names"),
    "tree": ("read", "read", "reads all below", "tree"),
    "visible": ("read", "read", "reads what is visible below", "visible"),
    "tracked": ("read", "read", "reads what git tracks below", "tracked"),
    "out": ("write", "write", "writes", "file"),
    "opened": ("write", "write", "writes", "file"),
    "into": ("write", "write", "writes", "entry"),
    "linked": ("write", "write", "links to", "edited"),
    "moved": ("write", "remove", "takes away", "file"),
    "remove": ("destroy", "remove", "removes", "file"),
}
"""The effect of each kind of path, the mode and the extent of the access, and a verb for it."""
_SINKS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"))
_LOCAL = {"location": "file", "location-tree": "tree", "location-out": "out"}
_SHELLS = {"shell": "sh", "bash": "bash", "zsh": "zsh"}
_SCRIPTS = frozenset(
    ("sed", "awk", "jq", "filters", "sql", "sqlite", "sqlite-readonly", "duckdb", "mysql")
) | {"remote-sql"}


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
    guest: tuple[Cause, ...] = ()
    into: tuple[Word, ...] = ()
    start = ""
    own: tuple[Word, ...] = ()
    suffixes: tuple[Word, ...] = ()

    def __init__(self) -> None:
        self.causes: list[Cause] = []

    def add(self, kind: Kind, word: Word, name: str = "") -> None:
        """What this word does. `name` is the option whose value it is."""
        if kind == "text":
            return
        if not isinstance(kind, str):
            self._composed(kind, word, name)
        elif kind in _FILES:
            self._file(kind, word, name)
        else:
            _ADD.get(kind, Effects._plain)(self, kind, word, name)

    def _say(self, effect: str, name: str, what: str, subject: "Subject" = None) -> None:
        self.causes.append(Cause(effect, f"`{name}` {what}" if name else what, subject, name))

    def _by(self, word: Word, effect: str, name: str, what: str) -> None:
        """An effect that the program has by this very word."""
        said = f"`{name}` {what}" if name else what
        by = name or (word if isinstance(word, str) else COMPUTED)
        self.causes.append(cause_of(effect, said, by))

    def _composed(
        self, kind: Literals | OneOf | WithEffects | Affixed, word: Word, name: str
    ) -> None:
        if isinstance(kind, OneOf):
            self._one_of(kind.kinds, word, name)
        elif isinstance(kind, WithEffects):
            self.add(kind.kind, word, name)
            for effect in kind.effects:
                self._by(word, effect, name, _with(word, effect, name))
        elif isinstance(kind, Affixed) and may_fit(kind, word):
            self.add(kind.kind, kind.rest(word), name)

    def _one_of(self, kinds: tuple[Kind, ...], word: Word, name: str) -> None:
        """The first that fits; a dynamic word can come to be of any up to one that is sure."""
        for part in kinds:
            if may_fit(part, word):
                self.add(part, word, name)
                if type(word) is str or must_fit(part, word):
                    return

    def _file(self, kind: str, word: Word, name: str) -> None:
        effect, mode, verb, extent = _FILES[kind]
        if (word == "-" and effect == "read") or (word in _SINKS and kind == "opened"):
            return
        if mode == "write" and is_pipe(word):
            return
        path = word if self.cwd is None else under(self.cwd, word)
        if kind == "linked" and ".." in show(word).split("/"):
            extent = "below"  # it is relative to where the link stands
        access = Access(path, mode, (), None, extent)  # type: ignore[arg-type]
        self._say(effect, name, f"{verb} `{show(word)}`", access)
        if kind == "into":
            self.into += (path,)

    def _packed(self, kind: str, word: Word, name: str) -> None:
        self._file("moved" if kind == "packed" else "file", word, name)
        found = unpacked(word)
        if found is not None:
            self._file("out", found, name)

    def _suffix(self, kind: str, word: Word, name: str) -> None:
        self.suffixes += (word,)

    def backed_up(self) -> None:
        """What is changed is kept under another name before."""
        written = [c.subject for c in self.causes if isinstance(c.subject, Access)]
        for access in [each for each in written if each.mode == "write"]:
            for suffix in self.suffixes:
                for path in backups(access.path, suffix):
                    self.causes.append(Cause("write", "", Access(path, "write")))

    def below(self, kinds: "set[str]") -> None:
        """What is read where no operand says so: the working directory."""
        self._file(next(kind for kind in ("tree", "visible", "tracked") if kind in kinds), ".", "")

    def _within(self, kind: str, word: Word, name: str) -> None:
        """A member of an archive, or an object of git, which is content under that name."""
        from execpolicy.catalogue.reading.inside import is_id, is_pathspec, paths

        extent = "tracked" if kind == "object" and is_pathspec(word) else "file"
        for path in paths(kind, word):
            self._file(extent, path, name)
        if kind == "object" and isinstance(word, str) and is_id(word):
            self._file("tracked", ".", name)

    def _database(self, kind: str, word: Word, name: str) -> None:
        from execpolicy.catalogue.reading.inside import database

        path, created = database(word)
        if path is None:
            return
        self._file("file", path, name)
        if created:
            path = path if self.cwd is None else under(self.cwd, path)
            said = f"creates `{show(path)}` where it is missing"
            said = f"`{name}` {said}" if name else said
            self.causes.append(Cause("write", said, Access(path, "write"), name, False, True))

    def _variable(self, kind: str, word: Word, name: str) -> None:
        self._say("read", name, f"shows the variable `{show(word)}`", Variable(word))

    def _resource(self, kind: str, word: Word, name: str) -> None:
        scheme = hosts.scheme(word)
        if scheme is None or isinstance(word, Dynamic):
            self._file("file", word, name)
        if scheme == "file" and isinstance(word, str):
            self._file("file", word[len("file:") :].removeprefix("//"), name)
        elif scheme is not None:
            self._reach(*hosts.of_scheme(word), word, name)

    def copied(self, operands: "Iterable[Word]") -> None:
        """Where the operands arrive if `into` is a directory: there, under their own names."""
        for directory in self.into:
            for word in operands:
                name = show(word).rstrip("/").rpartition("/")[2]
                single = isinstance(word, str)
                path = under(directory, name if single else Dynamic(name, "", is_single(word)))
                source = word if self.cwd is None else under(self.cwd, word)
                access = Access(path, "write", (), None, "file", source)
                self.causes.append(Cause("write", "", access))

    def _cwd(self, kind: str, word: Word, name: str) -> None:
        self.cwd = word if self.cwd is None else under(self.cwd, word)

    def _base(self, kind: str, word: Word, name: str) -> None:
        self.base = word if self.base is None else under(self.base, word)

    def _plain(self, kind: str, word: Word, name: str) -> None:
        for effect in EFFECTS_OF[kind]:
            said = _with(word, effect, name)
            self.causes.append(cause_of(effect, f"`{name}` {said}" if name else said, name))

    def _nothing(self, kind: str, word: Word, name: str) -> None:
        """A word that only its form can be wrong with, which was looked at before."""

    def _host(self, kind: str, word: Word, name: str) -> None:
        if kind == "ssh":
            self._reach(hosts.of_ssh(word), "ssh", word, name)
        else:
            self._reach(hosts.of_host(word), "tcp", word, name)

    def _url(self, kind: str, word: Word, name: str) -> None:
        found = hosts.of_url(word)
        if found is None:
            path = str(word)[len("file://") :]
            self._say("read", name, f"reads `{path}`", Access(path, "read"))
        else:
            self._reach(*found, word, name)

    def _location(self, kind: str, word: Word, name: str) -> None:
        found = hosts.of_remote(word)
        if found is not None:
            self._reach(*found, word, name)
            if kind == "location-out":
                self._by(word, "remote", name, f"writes to `{show(word)}`")
        if found is None or isinstance(word, Dynamic):
            self._file(_LOCAL[kind], word, name)

    def _repo(self, kind: str, word: Word, name: str) -> None:
        if hosts.may_be_helper(word):
            self._by(word, "execute", name, f"`{show(word)}` may name a transport program")
            if isinstance(word, str):
                return
        found = hosts.of_remote(word)
        if found is not None:
            self._reach(*found, word, name)

    def _own_service(self, kind: str, word: Word, name: str) -> None:
        host, protocol = hosts.of_url(word) or (word, "http")
        known = hosts.is_local(word)
        effect, verb = ("read", "asks this machine for") if known else ("network", "reaches")
        self._say(effect, name, f"{verb} `{show(word)}`", Connect(host, protocol))

    def _slug(self, kind: str, word: Word, name: str) -> None:
        host = hosts.of_slug(word)
        if host is not None:
            self._reach(host, "https", word, name)

    def _reach(self, host: Word, protocol: str, word: Word, name: str) -> None:
        self._say(
            "network",
            name,
            f"reaches `{show(word)}`",
            Connect(host, protocol, port=hosts.port(word)),
        )

    def _runs(self, kind: str, word: Word, name: str) -> None:
        self._say("execute", name, f"runs `{show(word)}`")

    def _runs_file(self, kind: str, word: Word, name: str) -> None:
        """Code in a file, which has a place."""
        path = word if self.cwd is None else under(self.cwd, word)
        self._say("execute", name, f"runs `{show(word)}`", Access(path, "execute"))

    def _shell(self, kind: str, word: Word, name: str) -> None:
        via = self._via(name)
        self.inner += (Inner(via, script=word, shell=_SHELLS[kind], cwd=self.cwd),)

    def _assign(self, assignment: Assignment) -> None:
        if not isinstance(self.assignments, list):
            self.assignments = []
        self.assignments.append(assignment)

    def _assignment(self, kind: str, word: Word, name: str) -> None:
        text = word if isinstance(word, str) else word.prefix
        key, _, value = text.partition("=")
        if isinstance(word, Dynamic):
            source = word.source.partition("=")[2] or word.source
            self._assign(Assignment(key, Dynamic(source, value, True), True))
        else:
            self._assign(Assignment(key, value, True))

    def _placeholder(self, kind: str, word: Word, name: str) -> None:
        if isinstance(word, Dynamic):
            self._say("execute", name, f"which words `{word.source}` stands for cannot be known")
        else:
            self.placeholder = word
            self.appended = kind == "placeholder-or-end"
            self.spread = kind == "placeholder..."

    def _script(self, kind: str, word: Word, name: str) -> None:
        if isinstance(word, Dynamic):
            if word.template:
                from execpolicy.catalogue.scripts.numbers import only_prints

                if only_prints(kind, word.template):
                    return
            for effect in EFFECTS_OF[kind]:
                self._by(word, effect, name, f"what `{word.source}` says in {kind} cannot be known")
            return
        from execpolicy.catalogue.scripts.causes import causes_of
        from execpolicy.catalogue.scripts.effect import SHELL

        found = causes_of(kind.removeprefix("remote-"), word)
        if kind == "remote-sql" and any(effect in CHANGES for effect, _, _ in found):
            self._by(word, "remote", name, "changes what a server holds")
        for effect, what, subject in found:
            if effect == SHELL:
                self._shell(SHELL, what, name)
                continue
            said = f"`{name}` {what}" if name else what
            self.causes.append(Cause(effect, said, subject, name or word))

    def _template(self, kind: str, word: Word, name: str) -> None:
        from execpolicy.catalogue.scripts import template

        found = None if isinstance(word, Dynamic) else [word]
        if isinstance(word, str) and kind == "bindings":
            found = template.commands(word)
        scripts = [template.filled(text) for text in found or ()]
        if found is None or None in scripts:
            self._by(word, "execute", name, f"what `{show(word)}` runs cannot be known")
            return
        via = self._via(name)
        self.inner += tuple(Inner(via, script=script, cwd=self.cwd) for script in scripts)

    def tail(self, kind: str, words: tuple[Word, ...], name: str = "") -> None:
        """A command that takes all these words."""
        via = self._via(name)
        if kind == "command/shell...":
            self.tail("command", words, name)
        if kind == "guest...":  # perhaps a Korn shell, which computes where zsh does
            inner = Inner(via, script=joined(words), shell=_SHELLS["zsh"], cwd=self.cwd)
            self.inner += (inner,)
        if kind in ("shell...", "command/shell...", "guest..."):
            inner = Inner(via, script=joined(words), shell=_SHELLS["shell"], cwd=self.cwd)
            self.inner += (inner,)
            return
        if kind == "again":
            words = (self.own[0], *words)
        elif kind == "command+":
            words = self._fed(words)
        elif kind in UNTIL:
            words = self._placed(words, kind)
        cwd = Dynamic("…", self.start) if kind == "command;." else self.cwd
        self.inner += (Inner(via, argv=words, cwd=cwd),)

    def _via(self, name: str) -> str:
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

    def _placed(self, words: tuple[Word, ...], kind: str) -> tuple[Word, ...]:
        """The words of find and fd: found paths stand for `{}` and its relatives.

        What find finds begins with the path that it starts from. For `-execdir` it is a bare name
        on BSD and macOS, which may begin with a dash.
        """
        start = self.start if kind == "command;" else ""
        single = words[-1:] != ("+",) and kind != "command;+"
        words = words[:-1] if words[-1:] in ((";",), ("+",)) else words
        placed = tuple(path_hole(word, start, single) for word in words)
        if kind == "command;+" and placed == words:
            return (*words, Dynamic("…"))
        return placed

    def changes_elsewhere(self) -> None:
        """Whatever is changed without a path is at the host that a word names, if one does."""
        named = any(c.effect == "network" and (c.by or c.subject) for c in self.causes)
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
        for effect, culprit in ceiling.items():
            cure = "; put `--` before it" if ended and culprit.startswith("an option") else ""
            said = f"`{word.source}` may be {culprit}{cure}"
            self.causes.append(cause_of(effect, said, COMPUTED))


def _with(word: Word, effect: str, name: str) -> str:
    """That a word has an effect, or an option with this value."""
    return f"{'with ' if name else ''}`{show(word)}` {BASE[effect]}"


_ADD: "dict[str, Callable[[Effects, str, Word, str], None]]" = {
    "number": Effects._nothing,
    "name": Effects._nothing,
    "host": Effects._host,
    "ssh": Effects._host,
    "url": Effects._url,
    "local": Effects._own_service,
    "repo": Effects._repo,
    "slug": Effects._slug,
    "packed": Effects._packed,
    "packed-kept": Effects._packed,
    "suffix": Effects._suffix,
    "member": Effects._within,
    "attached": Effects._within,
    "object": Effects._within,
    "database": Effects._database,
    "variable": Effects._variable,
    "resource": Effects._resource,
    "location": Effects._location,
    "location-tree": Effects._location,
    "location-out": Effects._location,
    "program": Effects._runs,
    "code": Effects._runs,
    "source": Effects._runs_file,
    "shell": Effects._shell,
    "bash": Effects._shell,
    "zsh": Effects._shell,
    "assignment": Effects._assignment,
    "placeholder": Effects._placeholder,
    "placeholder-or-end": Effects._placeholder,
    "placeholder...": Effects._placeholder,
    "cwd": Effects._cwd,
    "base": Effects._base,
    "template": Effects._template,
    "bindings": Effects._template,
    **dict.fromkeys(_SCRIPTS, Effects._script),
}
