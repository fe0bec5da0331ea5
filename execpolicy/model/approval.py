"""Approvals: what the user answered, what the answer reaches, and how long it lasts.

An approval is not a rule. It lowers PROMPT of one operation each, never FORBIDDEN or a floor.
"""

from execpolicy.support.ordered_enum import OrderedEnum
from execpolicy.support.record import Value

EXEC, ACCESS, CONNECT, REQUEST = "exec", "access", "connect", "request"
"""The kinds of a reach: a command, a path, a host, and one request as a whole."""


class Life(OrderedEnum):
    """How long an answer lasts. Ordered, so that what is offered is everything up to a limit.

    `PROJECT` and `USER` are not approvals: they write a rule, as `execpolicy amend` does.
    """

    REJECT = 0
    ONCE = 1
    TIMED = 2
    SESSION = 3
    PROJECT = 4
    USER = 5

    @property
    def word(self) -> str:
        """The lower-case word on the wire and on the terminal."""
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> "Life":
        """The life of this name; `always` is `session`. Raises `ValueError` for any other word."""
        if word == "always":
            return cls.SESSION
        for life in cls:
            if life.word == word:
                return life
        raise ValueError(f"unknown answer `{word}`: write one of {', '.join(x.word for x in cls)}")


class Confinement(OrderedEnum):
    """Where an operation runs. An approval covers what runs as it says or more confined.

    `LIFTED` is for what runs outside where all else of its session is in a sandbox: for one call.
    """

    SANDBOX = 0
    NONE = 1
    LIFTED = 2


class Moment(Value):
    """A point in time by two clocks, in seconds: the wall clock, which may be set, and that since
    boot, which counts while the machine sleeps. `boot` names the boot, or is empty."""

    wall: float
    running: float
    boot: str = ""

    def after(self, seconds: float) -> "Moment":
        """The moment so many seconds later."""
        return Moment(self.wall + seconds, self.running + seconds, self.boot)

    def passed(self, deadline: "Moment", since: "Moment") -> bool:
        """Whether at this moment the deadline is over, for what began at `since`.

        The first clock to pass it ends it. Where the machine was started anew the wall clock alone
        tells, and one that runs after the beginning tells nothing, so that it is over.
        """
        if self.wall >= deadline.wall:
            return True
        if self.boot == deadline.boot and self.running >= since.running:
            return self.running >= deadline.running
        return self.wall < since.wall


class Reach(Value):
    """What an answer covers, all of it.

    `exact` is the digest of one operation with everything about it, or, for a `request`, of all
    that was asked. Without one, an `exec` covers
    commands that begin with `prefix` and have no more than these `effects` in these classes of
    `places`; an `access` covers `path`, and what is below it if `under`, in these `modes`, of which
    none implies another; a `connect` covers `host` by `protocol` at `port`.
    """

    kind: str
    exact: str = ""
    prefix: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    path: str = ""
    under: bool = False
    modes: tuple[str, ...] = ()
    host: str = ""
    protocol: str = ""
    port: int | None = None


class Bounds(Value):
    """Where and for how long an approval holds. None leaves a bound open.

    `session` and `project` are names, `scope` a real directory, `uses` how often it may be used.
    `confinement` is never open: what may run in the sandbox may not run outside it for that.
    """

    confinement: Confinement
    session: str | None = None
    project: str | None = None
    scope: str | None = None
    until: Moment | None = None
    uses: int | None = None


class Approval(Value):
    """An answer that is remembered. `by` is who gave it (`user`, `reviewer:NAME`), `policy` the
    digest of the policy that asked, `event` that of the answer's event in the ledger, `signed` the
    answer with its signature, where it has one."""

    id: str
    reach: Reach
    bounds: Bounds
    by: str
    at: Moment
    question: str
    policy: str = ""
    event: str = ""
    signed: str = ""


class Question(Value):
    """What the user is asked.

    `key` is the same for the same request of the same session, so that callers at the same time
    share one question. `asking` are the reasons in words; `reaches` has for each operation that
    asks the widths that may be chosen, the narrowest first. `remembered` says whether anything
    beyond `once` may be answered. `prefixes` are what `project` and `user` would allow from then
    on, `below` also below the root. `parents` are the sessions above the asking one. `whole` is the
    same for the same request of any session of the host in the project; it is empty where the
    caller waits for the answer, and else what a call must be that is made again after it. `marked`
    are the parts of the request that ask; `held` says whether the sandbox would hold all of it.
    """

    id: str
    code: str
    key: str
    request: str
    asking: tuple[str, ...]
    reaches: tuple[tuple[Reach, ...], ...]
    session: str
    project: str
    at: Moment
    until: Moment
    policy: str
    confinement: Confinement = Confinement.NONE
    agent: str = ""
    parents: tuple[str, ...] = ()
    scope: str | None = None
    cwd: str | None = None
    remembered: bool = True
    prefixes: tuple[tuple[str, ...], ...] = ()
    below: bool = False
    whole: str = ""
    marked: tuple[str, ...] = ()
    held: bool = False


class Answer(Value):
    """What was answered. `width` picks the reach: 0 is the narrowest. `seconds` is for `TIMED`,
    `uses` for how often; `nonce` makes a repeated answer known as one. `again`: it is for the call
    that is made again, whatever its session, and for nothing else (`Question.whole`)."""

    question: str
    life: Life
    by: str = "user"
    width: int = 0
    seconds: float | None = None
    uses: int | None = None
    feedback: str | None = None
    nonce: str = ""
    again: bool = False


_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_LENGTH = 6


def code_of(name: str) -> str:
    """A short code to compare by eye, without letters that look alike."""
    number = int(name[:12], 16)
    letters = []
    for _ in range(_LENGTH):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)


def is_code(word: str) -> bool:
    """Whether a word may be the code of a question.

    >>> is_code("K7QX2M"), is_code("IMPORT")
    (True, False)
    """
    return len(word) == _LENGTH and all(letter in _LETTERS for letter in word)


ASK, REFUSE = "ask", "refuse"


class Asking(Value):
    """Whether the user is asked, for each source of a question: a rule, the posture, a path, a
    host, the sandbox. `refuse` turns that kind of question into FORBIDDEN."""

    rule: str = ASK
    posture: str = ASK
    path: str = ASK
    host: str = ASK
    sandbox: str = ASK


NEVER_ASK = Asking(REFUSE, REFUSE, REFUSE, REFUSE, REFUSE)
