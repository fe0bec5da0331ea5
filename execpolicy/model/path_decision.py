"""The three answers about a path, and what they make of the call of a tool."""

from execpolicy.model.errors import printable
from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value


class Cause(OrderedEnum):
    """Why a path is not simply allowed. The first four are denials that no mode and no answer
    lifts; the others ask."""

    UNRESOLVABLE = 0
    READ_ONLY = 1
    TRAVERSAL = 2
    SYMLINK_ESCAPE = 3
    PROTECTED = 4
    WORKSPACE_ROOT = 5
    DENY_WRITE = 6
    DENY_READ = 7
    OTHER_HOME = 8
    DEVICE = 9
    PROCESS_PATH = 10
    OUTSIDE = 11

    @property
    def word(self) -> str:
        """The lower-case word for programs."""
        return self.name.lower()


class Allow(Value):
    """The path may be used as asked."""

    @property
    def ok(self) -> bool:
        """True: nothing stands in the way."""
        return True

    def __str__(self) -> str:
        return "allowed"


class RequiresApproval(Value):
    """The user may allow it. `reason` is a sentence for them, `paths` what it is about."""

    reason: str
    cause: Cause | None = None
    paths: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False

    def __str__(self) -> str:
        return f"needs approval: {self.reason}"


class Deny(Value):
    """No answer of the user allows it. `reason` is a sentence for the model."""

    reason: str
    cause: Cause | None = None

    @property
    def ok(self) -> bool:
        """False: nothing was done."""
        return False

    def __str__(self) -> str:
        return f"denied: {self.reason}"


PathDecision = Allow | RequiresApproval | Deny


def strictest(decisions: "tuple[PathDecision, ...]") -> PathDecision:
    """The strictest of several; of equally strict ones the first. ALLOW where there is none."""
    return max(decisions, key=_rank, default=Allow())


def _rank(decision: PathDecision) -> int:
    return 0 if isinstance(decision, Allow) else 1 if isinstance(decision, RequiresApproval) else 2


class Level(OrderedEnum):
    """How much a tool may change, as its author declares it."""

    READ_ONLY = 0
    WRITE = 1
    DANGEROUS = 2


class AskMode(OrderedEnum):
    """Of which calls the user is asked: of none, of dangerous ones, of all that write."""

    BYPASS = 0
    ASK_DANGEROUS = 1
    ASK_ANY_WRITE = 2


_ASKED_FROM = {AskMode.ASK_DANGEROUS: Level.DANGEROUS, AskMode.ASK_ANY_WRITE: Level.WRITE}


class CallDecision(Value):
    """What happens with one call of a tool.

    `level` is the tool's own, or DANGEROUS where a path raised it. `decision` is `Allow`, a
    question or a denial; its `reason` is the path's, and empty where the level alone asks.
    """

    level: Level
    decision: PathDecision


def decide_call(level: Level, mode: AskMode, path: PathDecision) -> CallDecision:
    """What a mode makes of a tool's level and the strictest decision about its paths.

    A path that needs approval makes this one call dangerous. A denial stays one in every mode.

    >>> decide_call(Level.READ_ONLY, AskMode.ASK_DANGEROUS, RequiresApproval("outside")).level
    <Level.DANGEROUS: 2>
    >>> decide_call(Level.WRITE, AskMode.BYPASS, Deny("a loop")).decision.ok
    False
    """
    if isinstance(path, Deny):
        return CallDecision(level, path)
    raised = max(level, Level.DANGEROUS) if isinstance(path, RequiresApproval) else level
    if mode is AskMode.BYPASS or raised < _ASKED_FROM[mode]:
        return CallDecision(raised, Allow())
    asks = path if isinstance(path, RequiresApproval) else RequiresApproval("")
    return CallDecision(raised, asks)


def shown(path: str) -> str:
    """A path for messages, in backticks, with nothing that a terminal would obey."""
    return f"`{printable(path, 200)}`"
