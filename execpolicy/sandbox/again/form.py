"""The form in which a run is kept: plain data in a cache, values here.

It is read before anything of a plan is imported; `whole` makes the job of it.
"""

from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.store.repeat.listings import Absent, Listing, Names
    from execpolicy.store.repeat.looks import Look

    Plain = tuple[object, ...]
    Words = tuple[str, ...]


class KeptStart(Value):
    """What a launcher needs for a run of its own (`alone`), and for one in the session that it is
    called in (`shared`), with the filter of system calls.

    There are no options where these are another program's business, too. `private`: `/tmp` is the
    session's. `base` is where sessions are. The journal is empty for a run that can leave nothing.
    """

    alone: "Words | None"
    shared: "Words | None"
    rules: bytes
    private: bool
    base: str
    journal: bytes


class KeptPlan(Value):
    """A plan; its mounts and settings by their fields."""

    argv: "Words"
    cwd: str
    mounts: "tuple[Plain, ...]"
    environment: tuple[tuple[str, str], ...]
    settings: "Plain"
    git: bool
    offline: bool
    shares: str


class KeptSurroundings(Value):
    """What lies around a run; the paths as they stood by their fields."""

    places: "Words"
    closed: "Words"
    root: str
    noted: "tuple[Plain, ...]"
    directories: "Words"
    held: "Words"


class About(Value):
    """What was decided about a run that may begin as it is, without an answer of the user.

    `writes_git` and `refusal` are what it does with git (`scan.git.GitUse`). `session` and `status`
    are the numbers that its words name of a process and of a descriptor. `digest` is that of the
    rules, if they let some connections through. `changes`: it may change files.
    """

    writes_git: bool
    refusal: str
    session: str | None = None
    status: str | None = None
    digest: str = ""
    changes: bool = True


class Seen(Value):
    """What was looked at, which directories were listed, what these have not, and those of which
    some names count alone."""

    looks: "tuple[Look, ...]" = ()
    listings: "tuple[Listing, ...]" = ()
    absent: "tuple[Absent, ...]" = ()
    walked: "tuple[Listing, ...]" = ()


class KeptRun(Value):
    """All of it. `links` are files with several names by directory, `logged` lines of the log, by
    their fields. `elsewhere` was seen where the run may not write, `inside` where it may. `names`
    are those that count where directories were walked.
    """

    start: KeptStart
    plan: KeptPlan
    around: KeptSurroundings
    about: About
    logged: "tuple[Plain, ...]"
    links: "tuple[tuple[str, tuple[Plain, ...]], ...]"
    elsewhere: Seen
    inside: Seen
    names: "Names | None" = None


_PARTS = {
    "start": KeptStart,
    "plan": KeptPlan,
    "around": KeptSurroundings,
    "about": About,
    "elsewhere": Seen,
    "inside": Seen,
}


def plain(value: Value) -> "Plain":
    """The fields of a value in their order."""
    return tuple(getattr(value, name) for name in type(value).__fields__)


def written(run: KeptRun) -> "Plain":
    """A run as plain data."""
    return tuple(plain(one) if isinstance(one, Value) else one for one in plain(run))


def read(data: "Plain") -> KeptRun:
    """The run of such data. Raises `TypeError` and `ValueError` for anything else."""
    fields = zip(KeptRun.__fields__, data, strict=True)
    made = {name: _PARTS[name](*one) if name in _PARTS else one for name, one in fields}  # type: ignore[misc]
    return KeptRun(**made)  # type: ignore[arg-type]
