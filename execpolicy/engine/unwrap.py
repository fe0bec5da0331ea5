"""From a request to all that would run: scripts are read, wrappers are opened."""

from execpolicy.catalogue import Inner, Reading, StandardInput, read
from execpolicy.catalogue.reading.reading import INHERITED
from execpolicy.catalogue.reading.words import under
from execpolicy.model.operation import (
    Access,
    Assign,
    Assignment,
    Connect,
    Dynamic,
    Exec,
    Opaque,
    Operation,
    Request,
    Word,
    show,
)
from execpolicy.model.text_facts import NOWHERE, PLAIN, TextFacts, TextPosition
from execpolicy.store.snapshot import Snapshot
from execpolicy.support import startup
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.shell.analysis.outputs import Output
    from execpolicy.shell.reader import ReadText

    Reader = Callable[[str, str | None, Output], ReadText]

MAX_DEPTH = 20
MAX_STEPS = 2000
MAX_WORDS = 20_000
MAX_BRACED = 600
"""Causes of which braces make more, all together; of those after them a path may be any."""


class ExpandedOperation(Value):
    """An operation; for a command also what the catalogue read, and the command around it.

    `outer` is the number of the step whose command runs this one, or None. `at` is where this
    command's words begin in that one's argv, as far as they do. `cwd` is the directory that the
    commands around it put it in (`env -C x`), relative to theirs. `position` is the one in its
    text; a command inside another one has none of its own. `possible`: it is one of many that may
    be meant, so that only what is refused about it counts.
    """

    operation: Operation
    reading: Reading | None = None
    outer: int | None = None
    at: int = 0
    cwd: Word | None = None
    position: TextPosition = NOWHERE
    possible: bool = False

    @property
    def argv(self) -> tuple[Word, ...]:
        """The words of a command; none of anything else."""
        return self.operation.argv if isinstance(self.operation, Exec) else ()

    @property
    def touched(self) -> "tuple[Access | Connect, ...]":
        """The path or the host that the operation is about; of a command each that it touches by
        the catalogue, in the order of the causes."""
        if isinstance(self.operation, Access | Connect):
            return (self.operation,)
        causes = self.reading.effects if self.reading is not None else ()
        subjects = [c.subject for c in causes if c.subject is not None]
        return tuple([each for each in subjects if isinstance(each, Access | Connect)])

    @property
    def accesses(self) -> tuple[Access, ...]:
        """The paths among what is touched."""
        return tuple([each for each in self.touched if isinstance(each, Access)])


class EnclosingCommand(Value):
    """The number of the step that runs a command, and where that one begins in its words."""

    step: int
    at: int


def unwrap(
    request: Request, snapshot: Snapshot, room: int = MAX_BRACED
) -> tuple[ExpandedOperation, ...]:
    """Every operation of the request, outer commands before those inside them."""
    unwrapping = Unwrapping(snapshot, request.shell, room)
    if request.text is not None:
        unwrapping.script(request.text, request.shell, 0)
    elif request.operations is not None:
        for operation in request.operations:
            unwrapping.operation(operation, 0)
    else:
        unwrapping.operation(Exec(tuple(request.argv or ())), 0)
    unwrapping.disclosed()
    return tuple(unwrapping.steps)


def _position(facts: TextFacts, number: int, steps: "Sequence[int]") -> TextPosition:
    """The position of an operation of a text, of which those before it are these `steps`."""
    before = facts.after[number] if number < len(facts.after) else -1
    return TextPosition(facts, steps[before] if before >= 0 else None, number in facts.mixed)


class Unwrapping:
    """The steps of a request so far, and what is known of those that come."""

    def __init__(self, snapshot: Snapshot, shell: str | None, room: int) -> None:
        self.snapshot = snapshot
        self.shell = shell
        self.steps: list[ExpandedOperation] = []
        self.redirected = False
        self.within = False  # a script gets what its shell gets
        self.mixed = False  # messages may be among what programs print
        self.words = 0
        self.room = room
        self.cwd: Word | None = None  # where the commands around this one put it
        self.possible = False
        self.contents: dict[Word, str] = {}  # of files that the request writes
        self.facts: list[TextFacts] = []  # of all texts that take variables
        self.readings: dict[tuple[Word, ...], Reading] = {}  # of what prints, with no input

    def script(
        self,
        text: str,
        shell: str | None,
        depth: int,
        outer: EnclosingCommand | None = None,
        via: tuple[str, ...] = (),
        env: tuple[Assignment, ...] = (),
    ) -> None:
        """Take the operations of a script text, which the command of a step runs or the request."""
        found = _read(text, shell, self._prints)
        facts = found.facts
        if facts.names or facts.evaluated or facts.discloses:
            self.facts.append(facts)
        if outer is not None and DOT_GLOBS in self.steps[outer.step].argv:
            facts = facts.replace(dots=True)
        self.mixed |= bool(facts.mixed)
        self.redirected |= facts.hides_input
        same = NOWHERE if facts is PLAIN else TextPosition(facts)
        steps: list[int] = []
        for number, operation in enumerate(found.operations):
            position = same
            if facts.after or facts.mixed:
                position = _position(facts, number, steps)
                steps.append(len(self.steps))
            if via or env:
                operation = _within(operation, via, env)
            self.operation(operation, depth, outer, position)

    def disclosed(self) -> None:
        """Take a comparison of a secret, if a text tells of one in another way than by a command.

        That of a text may be seen in another by another name, so all of them count together.
        """
        if not self.facts:
            return
        secret = self.snapshot.variables.secret
        taken = {name for facts in self.facts for name in facts.evaluated if secret(name)}
        if any(facts.discloses for facts in self.facts):
            taken |= {name for facts in self.facts for name in facts.names if secret(name)}
        for name in sorted(taken)[:1]:
            word = Dynamic(f"${name}", single=True, names=(name,))
            known = TextPosition(TextFacts(names=frozenset((name,))))
            self.operation(Exec(("test", word, "=", "…")), 0, None, known)

    def operation(
        self,
        operation: Operation,
        depth: int,
        outer: EnclosingCommand | None = None,
        position: TextPosition = NOWHERE,
    ) -> None:
        """Take an operation, and all that its words hold if it is a command."""
        if not isinstance(operation, Exec):
            if isinstance(operation, Access) and operation.content is not None:
                self.contents[operation.path] = operation.content
            for each in (every := _alternatives(operation, self.room)):
                self._step(each, None, outer, position)
            self.room -= len(every) - 1
            return
        self.words += len(operation.argv)
        stdin = self._stdin(operation)
        argv, program = operation.argv, operation.argv[0]
        if isinstance(program, str) and "/" in program:
            argv = self._named(program, argv)
        was_read = stdin is INHERITED and argv in self.readings
        reading = self.readings[argv] if was_read else read(argv, self.snapshot.catalogue, stdin)
        is_literal = _LITERAL.issuperset(map(type, argv))
        computed = [] if is_literal else [word for word in argv if type(word) is Dynamic]
        if computed and any("{" in word.source for word in computed):
            from execpolicy.engine.paths.words import alternatives

            reading = alternatives.read(reading, self.room)
            self.room -= len(reading.effects)
        mine = self._step(operation, reading, outer, position)
        if reading.inner:
            self.open(operation, reading, depth, is_fed=stdin.fed)
        printed = [word.printed for word in computed if word.printed is not None]
        if not (printed or self.contents) or depth >= MAX_DEPTH:
            return
        runs = [cause for cause in reading.effects if cause.effect in _RUNNING]
        if runs:
            self._printed(operation, printed, depth + 1, mine)
            paths = [c.subject.path for c in runs if isinstance(c.subject, Access)]
            known = [self.contents[path] for path in paths if path in self.contents]
            self._printed(operation, known, depth + 1, mine, certain=False)

    def _step(
        self,
        operation: Operation,
        reading: Reading | None,
        outer: EnclosingCommand | None,
        position: TextPosition,
    ) -> int:
        """Take a step, whose number this is."""
        number, at = (outer.step, outer.at) if outer else (None, 0)
        self.steps.append(
            ExpandedOperation(operation, reading, number, at, self.cwd, position, self.possible)
        )
        return len(self.steps) - 1

    def _printed(
        self, operation: Exec, texts: list[str], depth: int, outer: int, *, certain: bool = True
    ) -> None:
        """Go through texts that a program gets which runs what it gets: a shell reads commands."""
        before, name = self.possible, str(operation.argv[0]).rpartition("/")[2]
        commands = bool(texts) and self.snapshot.catalogue.reads_commands(name)
        self.possible = before or not (commands and certain)
        around = EnclosingCommand(outer, len(operation.argv))
        for text in texts:
            self.script(text, None, depth, around, (*operation.via, name), operation.env)
        self.possible = before

    def _stdin(self, operation: Exec) -> StandardInput:
        """What a command reads: a literal text, a pipe, or what is around it."""
        given = operation.stdin
        if given is None and not (operation.fed_by or operation.piped):
            return _FED if self.redirected or self.within else INHERITED
        is_fed = bool(operation.fed_by or given is not None)
        return StandardInput(
            given if isinstance(given, str) else None,
            is_fed or bool(self.redirected or self.within),
            is_fed and not self.redirected,
            operation.piped,
        )

    def open(self, operation: Exec, reading: Reading, depth: int, *, is_fed: bool) -> None:
        """Go through the commands inside the one that is the last step so far."""
        mine = len(self.steps) - 1
        if depth >= MAX_DEPTH or len(self.steps) >= MAX_STEPS or self.words >= MAX_WORDS:
            bound = f"{MAX_DEPTH} levels, {MAX_STEPS} commands or {MAX_WORDS} words"
            self._opaque(operation, f"wrapped commands nest beyond {bound}", mine)
            return
        around = self.cwd
        for inner in reading.inner:
            if inner.cwd is not None:
                self.cwd = inner.cwd if around is None else under(around, inner.cwd)
            possible, self.possible = self.possible, self.possible or inner.possible
            self._inner(operation, inner, depth + 1, mine)
            self.cwd, self.possible = around, possible
        inside = self.steps[mine + 1 :]
        quiet = reading.unless_inner_reads and inside and all(map(_reads, inside))
        if quiet and not (is_fed or _computes(reading)):
            self.steps[mine] = self.steps[mine].replace(reading=reading.with_reading_inner())

    def _prints(self, argv: tuple[Word, ...]) -> str:
        """What the output of a command looks like, by the catalogue."""
        if argv not in self.readings:
            self.readings[argv] = read(argv, self.snapshot.catalogue)
        return self.readings[argv].prints

    def _named(self, program: str, argv: tuple[Word, ...]) -> tuple[Word, ...]:
        """The argv with a program of a standard directory under its bare name."""
        name = self.snapshot.variables.standard(program)
        listed = self.snapshot.policy.hosts.get(program.rpartition("/")[2])
        if listed and program in listed.paths:
            name = listed.name
        return (name, *argv[1:]) if name else argv

    def _inner(self, operation: Exec, inner: Inner, depth: int, outer: int) -> None:
        via = (*operation.via, inner.via)
        env = (*operation.env, *inner.assignments)
        if inner.argv is not None:
            at = inner.begins_at(operation.argv)
            argv = inner.argv
            if operation.fed_by and not _LITERAL.issuperset(map(type, argv)):
                argv = self._given(operation, self.steps[outer].reading, argv)
            inside = operation.replace(argv=argv, env=env, via=via)
            self.operation(inside, depth, EnclosingCommand(outer, at))
        elif isinstance(inner.script, str):
            words = operation.argv
            at = inner.begins_at(words)
            before, within = len(self.steps), self.within
            self.within |= bool(operation.fed_by or operation.stdin is not None)
            around = EnclosingCommand(outer, at)
            self.script(inner.script, inner.shell or self.shell, depth, around, via, env)
            self.within = within
            following = words[at + 1 :] if at < len(words) else words[1:]
            opened = any(_opens(step.operation, following) for step in self.steps[before:])
            if opened and not self._gets_names(operation, following):
                self._opaque(operation, "a computed path that may be a connection", outer)
        else:
            self._opaque(operation, "the script text is computed when it runs", outer)

    def _gets_names(self, operation: Exec, following: tuple[Word, ...]) -> bool:
        """Whether what comes to these words through the pipeline is names of files."""
        prints = self._fed(operation)
        known = all(isinstance(w, str) or w.source in ("…", "{}") for w in following)
        plain = not any("dev" in w for w in following if isinstance(w, str))
        return known and plain and prints[:1] == ["files"] and set(prints) <= {"files", "input"}

    def _given(
        self, operation: Exec, reading: Reading | None, argv: tuple[Word, ...]
    ) -> tuple[Word, ...]:
        """The words, of which those that stand for input are plain if that is numbers or hashes."""
        elsewhere = (
            self.redirected
            or self.mixed
            or any(c.subject for c in (reading.effects if reading else ()))
        )
        first, *filters = self._fed(operation)
        if elsewhere or first not in _NOT_OPTIONS or set(filters) - {"input"}:
            return argv
        return tuple(map(_plain_input, argv))

    def _fed(self, operation: Exec) -> list[str]:
        """What each program before it in the pipeline prints; nothing known of one named twice."""
        known: dict[Word, set[str]] = {}
        for step in self.steps:
            if isinstance(step.operation, Exec) and step.reading:
                known.setdefault(step.operation.argv[0], set()).add(step.reading.prints)
        found = (known.get(name, {""}) for name in operation.fed_by)
        return [next(iter(each)) if len(each) == 1 else "" for each in found]

    def _opaque(self, operation: Exec, why: str, outer: int) -> None:
        text = " ".join(map(show, operation.argv))
        opaque = Opaque(text, why, operation.via, operation.span)
        self.steps.append(ExpandedOperation(opaque, None, outer, len(operation.argv)))


DOT_GLOBS = "dotglob"
"""A word of a shell's own command with which its globs match names that begin with a dot."""
_NOT_OPTIONS = ("word", "number")
"""Outputs of which no part begins like an option or holds a quote, which xargs would take off."""
_LITERAL = frozenset((str,))
_FED = StandardInput(fed=True)


def _plain_input(word: Word) -> Word:
    """The word, plain if it is what a command such as xargs puts there, from its beginning on."""
    if isinstance(word, Dynamic) and not word.prefix and not set("$`*?[~") & set(word.source):
        return word.replace(not_option=True)
    return word


def _alternatives(operation: Operation, room: int) -> tuple[Operation, ...]:
    """The operation, of a path each that braces may make of it."""
    if not isinstance(operation, Access) or isinstance(operation.path, str):
        return (operation,)
    from execpolicy.engine.paths.words import alternatives

    return alternatives.accesses(operation, room)


def _reads(step: ExpandedOperation) -> bool:
    """Whether a step does no more than read, whatever rules say of it."""
    if isinstance(step.operation, Access):
        return step.operation.mode == "read"
    if isinstance(step.operation, Assign):
        return True  # it is judged itself, as are the commands that get it
    return step.reading is not None and all(c.effect == "read" for c in step.reading.effects)


def _computes(reading: Reading) -> bool:
    """Whether a word of the command inside is computed: it may carry data to the other place."""
    for inner in reading.inner:
        values = [assignment.value for assignment in inner.assignments]
        if any(isinstance(w, Dynamic) for w in (*(inner.argv or ()), inner.script, *values)):
            return True
    return False


def _opens(operation: Operation, following: tuple[Word, ...]) -> bool:
    """Whether a script reads a path put together from these words after it: `/dev/tcp/host/1`."""
    path = operation.path if isinstance(operation, Access) else None
    if not isinstance(path, Dynamic) or not "/dev/".startswith(path.prefix):
        return False
    source = path.source.strip('"')
    if not any("$" + sign in source.replace("{", "") for sign in _POSITIONAL):
        return False
    first = source.count("$") == 1 and source[0] == "$"
    first = first and ("{" not in source or source[2:-1].isdigit())
    return any(_may_connect(word, first=first) for word in following)


def _may_connect(word: Word, *, first: bool) -> bool:
    """Whether a word may begin the path of a connection or, where it is not the first, be in it."""
    begin = word if isinstance(word, str) else word.prefix
    if first or (isinstance(word, Dynamic) and begin[:1] == "."):
        return "/dev/".startswith(begin[:5])
    return begin not in ("_", "--", "{}")


def _read(text: str, shell: str | None, prints: "Output") -> "ReadText":
    """The script's operations. A mistake of the reader's own is a spot not understood."""
    try:
        return _reader()(text, shell, prints)
    except Exception as error:
        from execpolicy.shell.reader import unreadable

        return unreadable(text, f"the reader failed: {type(error).__name__}: {error}")


_RUNNING = ("execute", "unknown")
_POSITIONAL = "0123456789@*#!"

_made: "Reader | None" = None


def _reader() -> "Reader":
    """The reader of scripts, imported and made when the first one comes."""
    global _made
    if _made is None:
        startup.ahead("text")
        from execpolicy.shell.reader import read as read_script
        from execpolicy.store.compiled.tables import KeptTables

        tables = KeptTables("bashlex")

        def read_kept(text: str, shell: str | None, prints: "Output") -> "ReadText":
            return read_script(text, shell, tables, prints)

        _made = read_kept
    return _made


def _within(operation: Operation, via: tuple[str, ...], env: tuple[Assignment, ...]) -> Operation:
    """An operation of an inner script as seen from outside: how it is reached, what it inherits."""
    if isinstance(operation, Exec):
        return operation.replace(via=(*via, *operation.via), env=(*env, *operation.env), span=None)
    return operation.replace(via=(*via, *operation.via), span=None)
