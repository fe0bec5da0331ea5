"""The folder that an agent works in, and the refusals that teach it where that ends.

A scope is a binding of the same tools: writes and the shell start in its root, reads go anywhere. A
child's scope lies within its parent's. What a refusal says, the briefing says before, in the same
words, so that a model that has read its prompt knows what it will be told.

These are bounds of paths, not walls: a shell that is allowed can write where its user can.
"""

import posixpath

from execpolicy.model.errors import printable
from execpolicy.model.place import Place
from execpolicy.model.split import Entry, FileAccess, SplitPolicy
from execpolicy.support.path_match import below
from execpolicy.support.record import Value

DEFER = "leave it to the parent: report what should change there, and why"
"""What an agent should do about anything that lies outside its scope."""
NO_SHELL = "the shell is switched off in this scope: use the file tools"
MAX_NOTES = 16_384
"""How many characters of a SCOPE.md a briefing quotes."""


class OutOfScope(Value):
    """A write, or a child's scope, that lies elsewhere. Paths are as seen from the display root."""

    path: str
    scope: str
    line: str
    advice: str = DEFER

    def __str__(self) -> str:
        return f"`{self.path}` is outside your scope `{self.scope}`: {self.line}; {self.advice}"

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False


class BashNotAllowed(Value):
    """The shell is switched off. The user is not asked."""

    scope: str

    def __str__(self) -> str:
        return f"`{self.scope}`: {NO_SHELL}; {DEFER}"

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False


class Denied(Value):
    """The user said no. `feedback` is what they said besides."""

    feedback: str = ""

    def __str__(self) -> str:
        return f"the user said no: {self.feedback}" if self.feedback else "the user said no"

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False


class Consent(Value):
    """A command that the user is to be asked about, and the folder that it will start in.

    That folder is where it starts, not where it ends: the answer is about the command.
    """

    command: str
    cwd: str

    def answered(self, allowed: bool, feedback: str = "") -> "Denied | None":
        """What the user's answer leads to: a refusal for the model, or None to go on."""
        return None if allowed else Denied(feedback)


class Scope(Value):
    """Where an agent works.

    `root` is the real path where writes and the shell start, `display` the one that relative paths
    and messages start from (else the root). `writes` are the directories that may be written, the
    root alone where it is None: `("/",)` is everywhere, for an agent that the user started without
    bounds, and `()` is nowhere. `shell` False switches the shell off. `origin` says who set it.
    """

    root: str
    display: str = ""
    writes: tuple[str, ...] | None = None
    shell: bool = True
    parent: "Scope | None" = None
    origin: str = ""

    @property
    def writable(self) -> tuple[str, ...]:
        """The directories that may be written."""
        return (self.root,) if self.writes is None else self.writes

    def holds(self, path: str) -> bool:
        """Whether a real path lies where this scope may write. Compared exactly, by components."""
        return any(below(path, directory) for directory in self.writable)

    def child(self, place: Place, shell: bool = True) -> "Scope | OutOfScope":
        """The scope of a sub-agent for a folder, which lies within this one, or why there is none.

        It can write nothing that this one cannot, and has a shell only if this one has.
        """
        real = place.real
        if real is None or place.problem or not below(real, self.root) or not self.holds(real):
            return self._outside(place)
        return Scope(real, self._display, None, self.shell and shell, self)

    def refuse(self, place: Place, mode: str) -> OutOfScope | None:
        """Why this scope forbids this use of a path; None where it does. Reads go anywhere.

        `mode` is `read`, `write` or `remove`.
        """
        if mode == "read" or (place.real is not None and self.holds(place.real)):
            return None
        return self._outside(place)

    def bash(self, command: str) -> Consent | BashNotAllowed:
        """What a command needs before it runs: the user's consent, or it never runs."""
        return Consent(command, self.root) if self.shell else BashNotAllowed(self.name)

    def meets(self, other: "Scope") -> bool:
        """Whether two scopes may write to the same place, so that one waits for the other."""
        return any(
            below(mine, theirs) or below(theirs, mine)
            for mine in self.writable
            for theirs in other.writable
        )

    @property
    def name(self) -> str:
        """The root as seen from the display root."""
        return self.shown(self.root)

    def shown(self, path: str) -> str:
        """A path as seen from the display root, with nothing that a terminal would obey."""
        return printable(posixpath.relpath(path, self._display), 200)

    def briefing(self, notes: str = "") -> str:
        """What to tell an agent in its prompt. `notes` is the text of the folder's SCOPE.md: it
        explains, and permits nothing."""
        lines = [f"Your scope is `{self.name}`: {self._line}.", "You may read anywhere."]
        if "/" not in self.writable:
            lines.append(f"What lies outside your scope, {DEFER}.")
        lines.append(f"{_sentence(NO_SHELL)}." if not self.shell else _SHELL.format(self.name))
        if notes:
            lines += ["", "About this folder (SCOPE.md; it grants nothing):", notes[:MAX_NOTES]]
        return "\n".join(lines)

    @property
    def _display(self) -> str:
        return self.display or self.root

    @property
    def _line(self) -> str:
        """Where writing ends, in words."""
        names = ", ".join(f"`{self.shown(each)}`" for each in self.writable)
        set_by = f" (set by {self.origin})" if self.origin else ""
        if not names:
            return f"you may write nowhere{set_by}"
        if "/" in self.writable:
            return f"you may write anywhere{set_by}"
        return f"you may write in {names} and nowhere else{set_by}"

    def _outside(self, place: Place) -> OutOfScope:
        shown = self.shown(place.lexical if place.real is None else place.real)
        why = f" ({place.problem})" if place.problem and place.real is None else ""
        return OutOfScope(shown + why, self.name, self._line)


_SHELL = "Commands start in `{}`, and the user is asked about them."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def only_written(scope: Scope) -> SplitPolicy:
    """The policy by which of the directory that a scope lies in nothing else is written."""
    around = scope.parent.root if scope.parent else scope.root
    wanted = {"/": FileAccess.WRITE, around: FileAccess.READ}
    wanted |= dict.fromkeys(scope.writable, FileAccess.WRITE)
    return SplitPolicy(tuple(Entry(path, access) for path, access in wanted.items()))
