"""The effects that a command has, each with the part of the command that has it."""

from _collections_abc import Iterable

from execpolicy.model.operation import Access, Connect, Dynamic, Variable, Word
from execpolicy.model.place import SettingsFile
from execpolicy.model.program import CONFIGURES, EFFECT, MARK
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value

Subject = Access | Connect | Variable | None
"""What an effect touches, where a word names it."""


class CommandPart(OrderedEnum):
    """The part of a command that can have an effect."""

    PROGRAM = 0
    """The program itself, whatever its words are."""
    OPTION = 1
    OPERAND = 2
    """An operand that is as good as an option, or a script text."""
    COMPUTED = 3
    """A computed word, depending on what it turns out to be."""
    STDIN = 4
    """What the program reads from its standard input."""


class Trigger(Value):
    """What has an effect: a part of the command, and of an option or an operand its text."""

    part: CommandPart
    text: str = ""

    def is_named_by(self, words: "Iterable[str]") -> bool:
        """Whether one of the words is this operand, or begins with this option or has its letter
        among others. No word names what is not written."""
        if self.part is CommandPart.OPERAND:
            return self.text in words
        return self.part is CommandPart.OPTION and any(map(self._is_in, words))

    def _is_in(self, word: str) -> bool:
        bundle = word[:1] == "-" and word[1:].isalpha() and len(self.text) == 2
        return word.startswith(self.text) or (bundle and self.text[1] in word)


PROGRAM = Trigger(CommandPart.PROGRAM)
COMPUTED = Trigger(CommandPart.COMPUTED)
STDIN = Trigger(CommandPart.STDIN)


def option(name: str) -> Trigger:
    """The option of this name; without a name the program itself."""
    return Trigger(CommandPart.OPTION, name) if name else PROGRAM


def operand(word: Word) -> Trigger:
    """An operand or a script text. An empty word says no more than the program does."""
    if not isinstance(word, str):
        return COMPUTED
    return Trigger(CommandPart.OPERAND, word) if word else PROGRAM


BASE = EFFECT | MARK
"""What an effect or a mark is, as a verb and the rest, where an entry says no more."""


class Hooks(Value):
    """The hooks that a command of git may run: those of `names`, or any if there are none.

    `begins`: the command begins a repository, which has those of the user alone.
    """

    names: tuple[str, ...]
    begins: bool


class Cause(Value):
    """One effect, and the very word that has it.

    `subject` is the path or the host that is touched, to be judged like a redirection or a
    connection of the script itself. `by` is what has the effect. `secret`: it shows a secret that
    no path names. `if_missing`: it happens only where the subject is not there. `where`: it happens
    only where the project has one of these files; with `hooks`, only where git finds one of those,
    a filter or an edited todo; with `missing`, only where no file stands at that path. `code` is
    the word that says which code is run: a path, or the text itself; `known`: of that text all that
    it does is known, and said by the other causes.
    """

    effect: str
    why: str
    subject: Subject = None
    by: Trigger = PROGRAM
    secret: bool = False
    if_missing: bool = False
    where: tuple[SettingsFile, ...] = ()
    hooks: Hooks | None = None
    missing: str = ""
    code: Word | None = None
    known: bool = False

    @property
    def is_inherent(self) -> bool:
        """Whether the program has this effect whatever its words are."""
        return self.by.part is CommandPart.PROGRAM

    @property
    def is_general(self) -> bool:
        """Whether the program has this effect whatever its words are, and it names no path."""
        return self.is_inherent and self.subject is None

    @property
    def is_code(self) -> bool:
        """Whether this runs code of which the place is known."""
        return isinstance(self.subject, Access) and self.subject.mode == "execute"


def operand_effects(causes: Iterable[Cause]) -> frozenset[str]:
    """The effects of which an operand is what the program changes: then that is all that a general
    cause of the same effect means."""
    return frozenset(
        cause.effect
        for cause in causes
        if isinstance(cause.subject, Access)
        and cause.subject.mode in ("write", "remove")
        and cause.is_inherent
    )


SHOWS_HELP = Cause("read", "shows help")
"""All that a call does which only asks how the program is called."""


def cause_of(effect: str, why: str, by: Trigger = PROGRAM) -> Cause:
    """The cause for an effect, or for one of the marks that say more about it."""
    if effect == "secret":
        return Cause("read", why, None, by, secret=True)
    if effect in ("environment", "traces"):
        return Cause("read", why, Variable(expanded=effect == "traces"), by)
    if effect[:10] == "configures":
        file = CONFIGURES[effect]
        path = Dynamic(file, single=True) if file[0] == "~" else file
        return Cause("write", why, Access(path, "write"), by)
    if effect == "keeps":
        return Cause("", why, None, by)
    if effect == "history":
        return Cause("read", why, Access(":/", "read", extent="history"), by)
    if effect == "overwrites":
        return Cause("write", why, Access(".", "write", extent="below"), by)
    return Cause(effect, why, None, by)


def causes_of(effects: tuple[str, ...], why: str, by: Trigger) -> tuple[Cause, ...]:
    """The causes for the effects of a form, which are the same in each call."""
    return tuple([cause_of(each, why or BASE[each], by) for each in effects])


_REMOVES_FAR = "removes or replaces what another machine has"


def far(causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """The causes, where what is removed may be on another machine: this one has it still."""
    if len(causes) < 2:
        return causes
    effects = [cause.effect for cause in causes]
    if "remote" not in effects or "destroy" not in effects:
        return causes
    gone = BASE["destroy"]
    return tuple(
        cause.replace(why=cause.why.replace(gone, _REMOVES_FAR))
        if cause.effect == "destroy"
        else cause
        for cause in causes
    )


def distinct(causes: list[Cause]) -> list[Cause]:
    """The causes without those that are said already."""
    known: dict[tuple[str, str, Trigger], Cause] = {}
    found = []
    for cause in causes:
        other = known.setdefault((cause.effect, cause.why, cause.by), cause)
        if other is cause or other.subject != cause.subject:
            found.append(cause)
    return found
