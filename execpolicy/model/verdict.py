"""The answer with everything that led to it."""

from _collections_abc import Callable

from execpolicy.model.decision import Decision
from execpolicy.model.errors import printable
from execpolicy.model.operation import Operation, Word
from execpolicy.model.rule import OVERLAY, Origin
from execpolicy.support.ordered_enum import StrEnum
from execpolicy.support.record import Value

_WORST = (
    *("destroy", "policy", "rule", "privilege", "remote", "credentials", "control"),
    *("instructions", "system", "execute", "unknown", "network", "write", "read"),
)
"""What a question names first: the effects, the classes of paths that need the user, and what a
rule asks about. A word that is not here counts as `unknown`."""
_SEVERITY = {word: number for number, word in enumerate(_WORST)}


class Source(StrEnum):
    """Who spoke about an operation."""

    RULE = "rule"
    """A rule, of whatever layer."""
    PLACE = "place"
    """The class of a path, or a secret that a program shows."""
    CATALOGUE = "catalogue"
    """The entry of a known program, and what the posture says about its effects."""
    READER = "reader"
    """The reader of commands: what was not understood, or is dangerous whatever runs."""
    APPROVAL = "approval"
    """The answer of the user."""
    FLOOR = "floor"
    """The state of the policy or of the host, below which no decision goes."""
    SCOPE = "scope"
    """The folder that the agent is bound to."""


class Match(Value):
    """What one source says about an operation.

    `prefix` holds the command's own words that a rule matched, `effects` what the catalogue read.
    `reason` is one sentence, about the command with the words `argv`, where there is one. `places`
    holds the class of every path that is touched (`project`, `temporary`, `credentials`, …;
    `elsewhere` where no class fits), and is empty where no path is. `posture` is the layer whose
    posture decided, where one did. `said` is what would happen, for the user: a verb and the rest
    (`removes files for good`), or a sentence of its own. `confined` is the decision for what runs
    in the sandbox; None where it is the same. `undo`: it is that only because a snapshot, taken
    before it runs, can bring back what it destroys. `variable` is the one that is asked about.
    """

    source: Source
    decision: Decision
    reason: str
    origin: Origin | None = None
    prefix: tuple[str, ...] = ()
    justification: str | None = None
    effects: tuple[str, ...] = ()
    resolved: str | None = None
    argv: tuple[Word, ...] = ()
    places: tuple[str, ...] = ()
    posture: str = ""
    said: str = ""
    confined: Decision | None = None
    undo: bool = False
    variable: str = ""

    @property
    def in_sandbox(self) -> Decision:
        """The decision for what runs in the sandbox."""
        return self.decision if self.confined is None else self.confined

    @property
    def why(self) -> str:
        """The reason in one line, with the command it is about."""
        return f"{written(self.argv)}: {self.reason}" if self.argv else self.reason

    @property
    def sentence(self) -> str:
        """What would happen, in one sentence for the user."""
        said = self.said or self.reason
        if not self.argv:
            return said
        first = said.partition(" ")[0]
        verb = self.source is Source.CATALOGUE and (first == "only" or first.endswith("s"))
        return f"`{written(self.argv)}`{' ' if verb else ': '}{said}"

    @property
    def severity(self) -> int:
        """How bad what it tells of is; the least number is the worst."""
        unknown = _SEVERITY["unknown"]
        overlays = [_SEVERITY.get(place, unknown) for place in self.places if place in OVERLAY]
        if self.source is Source.PLACE and overlays:
            return min(overlays)
        if self.source is Source.SCOPE and self.decision is Decision.FORBIDDEN:
            return -1  # it says what to do instead
        if self.source is Source.RULE:
            return _SEVERITY["rule"]
        return min((_SEVERITY.get(word, unknown) for word in self.effects), default=unknown)


class JudgedOperation(Value):
    """An operation and all that was said about it. `place` is the base class of a path."""

    operation: Operation
    matches: tuple[Match, ...]
    place: str = ""

    @property
    def decision(self) -> Decision:
        """The strictest of the matches; ALLOW where none had anything to say."""
        return max((m.decision for m in self.matches), default=Decision.ALLOW)

    @property
    def confined(self) -> Decision:
        """The same for what runs in the sandbox."""
        inside = [m.decision if m.confined is None else m.confined for m in self.matches]
        return max(inside, default=Decision.ALLOW)


def written(argv: tuple[Word, ...], limit: int = 60) -> str:
    """The words as one line for the user, quoted where that shows what is one word.

    >>> written(("rm", "a b", "*", "c"))
    "rm 'a b' '*' c"
    """
    words = [quoted(w) if isinstance(w, str) else w.source for w in argv]
    return printable(" ".join(words), limit)


def quoted(word: str) -> str:
    """The word as a shell reads it back, with quotes only where it needs some."""
    if word and _SPECIAL.isdisjoint(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


_SPECIAL = frozenset(" \t\n'\"\\$`&|;<>()*?[]#")


class Amendment(Value):
    """A rule that would have allowed what was asked about: its pattern and its source line.

    `argv` are the words of the command that it was made for, empty where one is computed, and as is
    `pattern` for a rule about a path or a host. `below`: it also holds below the session's
    root. `exact`: it names the whole command.
    `project`: it runs whatever the project then holds, so it belongs into the project's layer.
    """

    pattern: tuple[str, ...]
    rule: str
    below: bool = False
    exact: bool = False
    project: bool = False
    argv: tuple[str, ...] = ()

    @property
    def grants(self) -> str:
        """What it allows, in one line: `allows mkdir …`."""
        words = written(self.pattern) + ("" if self.exact else " …")
        allows = f"allows `{words}`" if self.pattern else "allows this path or host"
        runs = ", which runs whatever the project then holds" if self.project else ""
        return printable(allows + runs, 300)


class Proposed(Value):
    """Rules that together allow a request; where there are none, what to do instead.

    `passing` are rules that would allow what cannot come again, which is not offered.
    """

    amendments: tuple[Amendment, ...]
    instead: str = ""
    passing: tuple[Amendment, ...] = ()


NO_PROPOSAL = Proposed(())


class LazyAmendments:
    """Amendments, worked out when they are first looked at: most verdicts are only obeyed.

    `anew` gives what `work` gives and holds on to less, but takes as long as the decision did.
    """

    __slots__ = ("_anew", "_found", "_work")

    def __init__(
        self, work: "Callable[[], Proposed]", anew: "Callable[[], Proposed] | None" = None
    ) -> None:
        self._work: Callable[[], Proposed] | None = work
        self._anew = anew
        self._found = NO_PROPOSAL

    @classmethod
    def of(
        cls,
        amendments: tuple[Amendment, ...],
        instead: str = "",
        passing: tuple[Amendment, ...] = (),
    ) -> "LazyAmendments":
        """These very amendments."""
        return cls(lambda: Proposed(amendments, instead, passing))

    @property
    def amendments(self) -> tuple[Amendment, ...]:
        """What is proposed, maybe nothing."""
        return self._done().amendments

    @property
    def instead(self) -> str:
        """What to do where nothing is proposed; empty where something is, or nothing was asked."""
        return self._done().instead

    @property
    def passing(self) -> tuple[Amendment, ...]:
        """The rules for what cannot come again, for a user who wants one nevertheless."""
        return self._done().passing

    def let_go(self) -> None:
        """Hold on to little: who has not looked at them by now hardly ever will."""
        if self._work is not None and self._anew is not None:
            self._work = self._anew

    def _done(self) -> Proposed:
        work = self._work
        if work is not None:
            self._found = work()
            self._work = self._anew = None  # and what they held on to
        return self._found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LazyAmendments) and self._done() == other._done()

    def __hash__(self) -> int:
        return hash(self._done())

    def __repr__(self) -> str:
        return f"LazyAmendments.of({self.amendments!r}, {self.instead!r})"

    def __reduce__(self) -> "tuple[object, ...]":
        return LazyAmendments.of, (self.amendments, self.instead, self.passing)


NOTHING = LazyAmendments.of(())


class Verdict(Value):
    """A decision and the judged operations it rests on.

    `confined` is the decision for the request in the sandbox, never stricter than `decision`, which
    is for running it as it is. `floor` says why the decision could not be lower than PROMPT, or is
    None. `digest` and `layers` name the policy that was asked. `backend` is what the rules put in
    the place of walls, `external` or `none`, and empty where there are walls. `texts` are what
    the commands among `judged` run by what files say, as a shell runs a text.
    """

    decision: Decision
    judged: tuple[JudgedOperation, ...] = ()
    floor: str | None = None
    proposal: LazyAmendments = NOTHING
    digest: str = ""
    layers: tuple[str, ...] = ()
    confined: Decision = Decision.FORBIDDEN
    backend: str = ""
    texts: tuple[JudgedOperation, ...] = ()

    @property
    def operations(self) -> tuple[JudgedOperation, ...]:
        """All that would happen."""
        return (*self.judged, *self.texts) if self.texts else self.judged

    @property
    def voices(self) -> tuple[Match, ...]:
        """What led to the decision, the worst first, nothing twice."""
        found = [m for m in self.matches if m.decision is self.decision]
        found.sort(key=lambda match: match.severity)
        return tuple({match.sentence: match for match in found}.values())

    @property
    def reason(self) -> str:
        """One line: the worst that would happen, or what allows it."""
        voices = self.voices
        if self.decision is Decision.ALLOW and len(voices) != 1:
            return "everything in it is allowed" if self.judged else "nothing runs"
        if not voices:
            return printable(self.floor or "", 300)
        suffix = f" (and {len(voices) - 1} more)" if len(voices) > 1 else ""
        return printable(voices[0].sentence, 300) + suffix

    @property
    def amendments(self) -> tuple[Amendment, ...]:
        """The rules that would have allowed it; none where none should."""
        return self.proposal.amendments

    @property
    def instead(self) -> str:
        """What to do where no rule would allow it; empty where one would."""
        return self.proposal.instead

    @property
    def allowed(self) -> bool:
        """Whether the request may run without asking."""
        return self.decision is Decision.ALLOW

    @property
    def matches(self) -> tuple[Match, ...]:
        """Every match of every operation, in order."""
        return tuple(m for j in self.operations for m in j.matches)
