"""What the catalogue knows about one argv."""

from _collections_abc import Sequence

from execpolicy.catalogue.reading.cause import Cause
from execpolicy.catalogue.reading.tokens import Given
from execpolicy.model.operation import Assignment, Dynamic, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value


class StandardInput(Value):
    """What is known of the standard input of a command.

    `text` is what it reads, word for word, where that is known. `fed`: it may be a pipe, a file or
    a text of the script; `piped`: it certainly is. `printed` is what comes through a pipe, where
    the script itself holds that text.
    """

    text: str | None = None
    fed: bool = False
    piped: bool = False
    printed: str | None = None


STREAM = frozenset(("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"))
"""The words that stand for the standard input where a program takes a file (stdin(4))."""


INHERITED = StandardInput()
"""That of the shell itself."""

_MAX_CODE = 200


def says(stdin: StandardInput) -> str:
    """That a program runs what its standard input says, with the text where that is known."""
    if stdin.text is None:
        return "runs what its standard input says"
    from execpolicy.model.errors import printable

    return f"runs what its standard input says: `{printable(stdin.text.strip(), _MAX_CODE)}`"


class Inner(Value):
    """A command that the command runs: either the words of one, or a script text.

    `via` holds the outer command's own words (`timeout 5`). `assignments` are those that it puts
    into the inner command's environment (`env A=b`). `shell` is who reads `script`. `cwd` is the
    directory it runs in, where that is another (`env -C dir`). `possible`: it is one of many that
    may be meant, so that only what is refused about it counts.
    """

    via: str
    argv: tuple[Word, ...] | None = None
    script: Word | None = None
    shell: str | None = None
    assignments: tuple[Assignment, ...] = ()
    cwd: Word | None = None
    possible: bool = False

    def begins_at(self, argv: "Sequence[Word]") -> int:
        """The number of the word of the outer command's `argv` at which this one begins.

        It is the number of words where they do not hold it: a script made of other words.
        """
        if self.argv is not None:
            return max(len(argv) - len(self.argv), 0)
        return argv.index(self.script) if self.script in argv else len(argv)


class Limit(Value):
    """A word that says which files of a tree are read, and of which kind it is (`names.LIMITS`).

    A computed one may say anything: that further files are read, too.
    """

    kind: str
    glob: Word


ANY_LIMIT = Limit("any-type", Dynamic("…"))
"""Which files are read is not known."""


class Reading(Value):
    """The effects of an argv, and what to go on with.

    `effects` may be empty: a wrapper that adds nothing. `path` is the program and its subcommands
    (`git`, `push`), which is also what a rule about this command needs to name. `canonical` is the
    argv without the options that stand between these words (`git -C x push -f` → `git push -f`).
    `cwd` is the directory that the command changes to or works in (`cd x`, `git -C x`), if it does.
    `prints` says what its output looks like: `plain`, `path`, `input`, or nothing known.
    `names_input`: a word names that input as a file; `holds_code`: a word is the text of a program;
    `imports`: that text, which does no more than is said here, imports modules. `remotes` are words
    that name a remote which the configuration of git knows.
    `unless_inner_reads`: the causes that do not count where the command inside, which runs in
    another place, only reads. `options` and `operands` are the words after `path` as the program
    takes them, in their order; `limits` say which files of a tree are read, in their order.
    """

    effects: tuple[Cause, ...]
    inner: tuple[Inner, ...]
    path: tuple[str, ...]
    canonical: tuple[Word, ...]
    origin: Origin | None
    cwd: Word | None = None
    prints: str = ""
    unless_inner_reads: tuple[Cause, ...] = ()
    options: "tuple[Given, ...]" = ()
    operands: tuple[Word, ...] = ()
    limits: tuple[Limit, ...] = ()
    names_input: bool = False
    holds_code: bool = False
    imports: bool = False
    remotes: tuple[str, ...] = ()

    @property
    def is_unknown(self) -> bool:
        """Whether no entry describes the program."""
        return self.origin is None

    @property
    def secrets(self) -> tuple[Cause, ...]:
        """The effects that show a secret which no path names."""
        return tuple([cause for cause in self.effects if cause.secret])

    @property
    def strongest(self) -> str:
        """The effect to name first, an empty text where there is none."""
        return max((c.effect for c in self.effects), key=EFFECTS.index, default="")

    def joined(self, other: "Reading") -> "Reading":
        """All that either reading of the same words says."""
        causes = (*self.effects, *(c for c in other.effects if c not in self.effects))
        inner = (*self.inner, *(each for each in other.inner if each not in self.inner))
        waived = self.unless_inner_reads if other.unless_inner_reads else ()
        return self.replace(
            effects=causes,
            inner=inner,
            unless_inner_reads=waived,
            prints=self.prints if self.prints == other.prints else "",
            limits=self.limits if self.limits == other.limits else (ANY_LIMIT,),
            names_input=self.names_input or other.names_input,
            holds_code=self.holds_code and other.holds_code,
            imports=self.imports or other.imports,
            remotes=tuple(dict.fromkeys((*self.remotes, *other.remotes))),
        )

    def with_reading_inner(self) -> "Reading":
        """The same where the command inside only reads."""
        waived = self.unless_inner_reads
        kept = tuple(cause for cause in self.effects if cause not in waived)
        return self.replace(effects=(*kept, Cause("read", f"{waived[0].why}, which only reads")))
