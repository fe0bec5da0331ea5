"""What the catalogue knows about one argv."""

from execpolicy.model.operation import Access, Assignment, Connect, Variable, Word
from execpolicy.model.program import EFFECTS
from execpolicy.model.rule import Origin
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

Subject = Access | Connect | Variable | None
"""What an effect touches, where a word names it."""

STDIN = "<stdin>"
"""What a cause is `by` that runs what the program reads from its standard input."""
COMPUTED = "<computed>"
"""What a cause is `by` that a computed word may have, depending on what it turns out to be."""


BASE = {
    "read": "only reads",
    "write": "writes",
    "network": "reaches the network",
    "remote": "changes something on another machine",
    "execute": "runs code that is not seen here",
    "system": "changes the system",
    "privilege": "acts with other rights",
    "destroy": "removes what cannot be brought back",
    "unknown": "what it does is not known",
    "secret": "shows a secret",
    "environment": "shows all variables of the environment",
    "configures": "changes what git does later",
    "overwrites": "writes over files that no word names",
}
"""What an effect or a mark is, as a verb and the rest, where an entry says no more."""


class Cause(Value):
    """One effect, and the very word that has it.

    `subject` is the path or the host that is touched, to be judged like a redirection or a
    connection of the script itself. `by` is the option or the script text that has the effect, or
    an operand that is as good as an option; empty where the program has it anyway. `secret`: it
    shows a secret that no path names. `if_missing`: it happens only where the subject is not there.
    `where` holds settings, `FILE` or `FILE=WORD|WORD`: it happens only where the project has one of
    them; `hooks`, only where git finds a hook, a filter or an edited todo; with `missing`,
    only where no file stands at that path.
    """

    effect: str
    why: str
    subject: Subject = None
    by: str = ""
    secret: bool = False
    if_missing: bool = False
    where: tuple[str, ...] = ()
    hooks: bool = False
    missing: str = ""

    @property
    def is_code(self) -> bool:
        """Whether this runs code of which the place is known."""
        return isinstance(self.subject, Access) and self.subject.mode == "execute"


def cause_of(effect: str, why: str, by: str = "") -> Cause:
    """The cause for an effect, or for one of the marks that say more about it."""
    if effect == "secret":
        return Cause("read", why, None, by, True)
    if effect == "environment":
        return Cause("read", why, Variable(), by)
    if effect == "configures":
        return Cause("write", why, Access(".git/config", "write"), by)
    if effect == "overwrites":
        return Cause("write", why, Access(".", "write", extent="below"), by)
    return Cause(effect, why, None, by)


def distinct(causes: list[Cause]) -> list[Cause]:
    """The causes without those that are said already."""
    known: dict[tuple[str, str, str], Cause] = {}
    found = []
    for cause in causes:
        other = known.setdefault((cause.effect, cause.why, cause.by), cause)
        if other is cause or other.subject != cause.subject:
            found.append(cause)
    return found


class Inner(Value):
    """A command that the command runs: either the words of one, or a script text.

    `via` holds the outer command's own words (`timeout 5`). `assignments` are those that it puts
    into the inner command's environment (`env A=b`). `shell` is who reads `script`. `cwd` is the
    directory it runs in, where that is another (`env -C dir`).
    """

    via: str
    argv: tuple[Word, ...] | None = None
    script: Word | None = None
    shell: str | None = None
    assignments: tuple[Assignment, ...] = ()
    cwd: Word | None = None

    def begins_at(self, argv: "Sequence[Word]") -> int:
        """The number of the word of the outer command's `argv` at which this one begins.

        It is the number of words where they do not hold it: a script made of other words.
        """
        if self.argv is not None:
            return max(len(argv) - len(self.argv), 0)
        return argv.index(self.script) if self.script in argv else len(argv)


class Reading(Value):
    """The effects of an argv, and what to go on with.

    `effects` may be empty: a wrapper that adds nothing. `path` is the program and its subcommands
    (`git`, `push`), which is also what a rule about this command needs to name. `canonical` is the
    argv without the options that stand between these words (`git -C x push -f` → `git push -f`).
    `cwd` is the directory that the command changes to or works in (`cd x`, `git -C x`), if it does.
    `prints` says what its output looks like: `plain`, `path`, `input`, or nothing known. `guest`:
    the causes that do not count where the command inside, in another place, only reads.
    """

    effects: tuple[Cause, ...]
    inner: tuple[Inner, ...]
    path: tuple[str, ...]
    canonical: tuple[Word, ...]
    origin: Origin | None
    cwd: Word | None = None
    prints: str = ""
    guest: tuple[Cause, ...] = ()

    @property
    def secrets(self) -> tuple[Cause, ...]:
        """The effects that show a secret which no path names."""
        return tuple(cause for cause in self.effects if cause.secret)

    @property
    def strongest(self) -> str:
        """The effect to name first, an empty text where there is none."""
        return max((c.effect for c in self.effects), key=EFFECTS.index, default="")

    @property
    def transparent(self) -> bool:
        """Whether the command adds nothing to the commands inside it."""
        return bool(self.inner) and all(c.effect == "read" for c in self.effects)

    def joined(self, other: "Reading") -> "Reading":
        """All that either reading of the same words says."""
        causes = (*self.effects, *(c for c in other.effects if c not in self.effects))
        inner = (*self.inner, *(each for each in other.inner if each not in self.inner))
        guest = self.guest if other.guest else ()
        prints = self.prints if self.prints == other.prints else ""
        return self.replace(effects=causes, inner=inner, guest=guest, prints=prints)

    def quiet(self) -> "Reading":
        """The same where the guest only reads."""
        kept = tuple(cause for cause in self.effects if cause not in self.guest)
        return self.replace(
            effects=(*kept, Cause("read", f"{self.guest[0].why}, which only reads"))
        )
