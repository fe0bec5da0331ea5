"""A run that was kept, if all that it depends on is as it was.

It begins from plain data: no module of a plan, of its walls or of the filter is imported.
"""

from execpolicy.model.confinement import SandboxSettings
from execpolicy.sandbox.backends.start.launch import Launch
from execpolicy.sandbox.session import directory
from execpolicy.store.compiled import cache
from execpolicy.store.repeat import listings
from execpolicy.store.repeat.answers import Logged
from execpolicy.store.repeat.looks import all_same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.sandbox.again.whole import Plain, Whole
    from execpolicy.sandbox.job import Job
    from execpolicy.sandbox.prepare import SurveyInput
    from execpolicy.store.repeat.listings import Listing
    from execpolicy.store.repeat.looks import Look

    Words = tuple[str, ...]
    Begins = tuple[tuple[Words, Words] | None, bytes, bool, str, bytes]
    """The options without a session and in one, the filter, whether `/tmp` is that of the session,
    where sessions are, and the journal."""
    About = tuple[bool, str, str | None, str | None, str, bool]
    Told = tuple[About, tuple[tuple[str, str, int], ...]]
    Inside = tuple[tuple[Look, ...], tuple[Listing, ...]]
    """What was seen where the run may write."""
    Links = tuple[tuple[str, Plain], ...]
    Found = tuple[
        Begins, Whole, Told, Links, tuple[Look, ...], tuple[Look, ...],
        tuple[Listing, ...], tuple[Listing, ...],
    ]  # fmt: skip

SLOTS = 64
MAX_LOOKS = 20_000
MAX_REMEMBERED = 8
SESSION = "SESSION"
"""Stands in the options for the directory of the session. It is no path: those begin with `/`."""


class Recalled:
    """A run that may begin as it is: it is allowed and needs no answer of the user.

    `writes_git`, `refusal`, `session`, `status`, `digest`, `changes` and `logged` are those of
    `keep.Kept`.
    """

    __slots__ = (
        *(
            "_begins",
            "_cwd",
            "_inside",
            "_shares",
            "_whole",
            "offline",
            "argv",
            "environment",
            "digest",
            "changes",
        ),
        *("logged", "refusal", "root", "session", "settings", "status", "writes_git"),
    )

    def __init__(
        self, begins: "Begins", whole: "Whole", told: "Told", inside: "Inside", root: str
    ) -> None:
        self._begins, self._whole, self._inside, self.root = begins, whole, inside, root
        self.argv, self._cwd, _, self.environment, settings, _, self.offline, self._shares = whole[
            0
        ]
        self.settings = SandboxSettings(*settings)  # type: ignore[arg-type]
        about, logged = told
        self.writes_git, self.refusal, self.session, self.status, self.digest, self.changes = about
        self.logged = tuple(Logged(*line) for line in logged)

    @property
    def journal(self) -> bytes:
        """What is written down before it; nothing where it can leave nothing."""
        return self._begins[-1]

    @property
    def cwd(self) -> str:
        """Where it runs."""
        return self._cwd

    @property
    def held(self) -> tuple[str, ...]:
        """Paths with a wall that another process could make fall."""
        return self._whole[1][-1]

    def is_same(self) -> bool:
        """Whether all that was seen where it may write is as it was."""
        looks, listed = self._inside
        return all_same(looks) and all(map(listings.is_same, listed))

    def launch(self, leader: str) -> Launch | None:
        """What a launcher needs for it in this session; None where that has to be worked out."""
        launches, rules, private, base, _ = self._begins
        if launches is None or base != directory.real_base():
            return None
        alone, shared = launches
        given = self.argv, self._cwd, self.environment, self.settings
        try:
            path = directory.opened(leader, self.root) if leader else ""
        except OSError:
            path = ""
        if not path:
            return Launch(*given, False, "", "", alone, rules, self.offline, self._shares)
        temporary = f"{path}/{directory.TEMPORARY}" if private else ""
        here = f"{SESSION}/{directory.TEMPORARY}"
        options = tuple(temporary if word == here else word for word in shared)
        more = options, rules, self.offline, self._shares
        return Launch(*given, False, path, temporary, *more)

    def job(self, leader: str) -> "Job":
        """The whole of it in this session. What is looked for after it is what was kept."""
        from execpolicy.sandbox.again.whole import job_of
        from execpolicy.sandbox.job import in_session

        return in_session(job_of(self._whole, self._scene, self.is_same), leader)

    def _scene(self) -> "SurveyInput":
        from execpolicy.sandbox.leftovers.journal import scene_in

        return scene_in(self.journal)


def name(mark: str) -> str:
    """The name of the file that has the run with this key."""
    return f"run-{int(mark[:8], 16) % SLOTS:02x}"


def recall(mark: str, memory: "dict[str, Found] | None" = None) -> Recalled | None:
    """The run kept under a key, if all that it depends on is as it was.

    `memory` is what this process has read before.
    """
    known = memory.get(mark) if memory is not None else None
    made = _proved(known) if known is not None else None
    if made is not None:
        return made
    found = cache.read(name(mark), mark)
    if found is None:
        return None
    value: Found = found[0]  # type: ignore[assignment]
    made = _proved(value)
    if made is not None and memory is not None:
        while len(memory) >= MAX_REMEMBERED:
            del memory[next(iter(memory))]
        memory[mark] = value
    return made


def _proved(value: "Found") -> Recalled | None:
    """What was kept, if all that it depends on is as it was."""
    try:
        begins, whole, told, links, others, looks, elsewhere, listed = value
        if not (all_same(others) and all(map(listings.is_same, elsewhere))):
            return None
        made = Recalled(begins, whole, told, (looks, listed), whole[1][2])
        if not made.is_same() or any(_links_of(path) != known for path, known in links):
            return None
    except (TypeError, ValueError, LookupError):
        return None
    return made


def _links_of(path: str) -> "Plain":
    from execpolicy.sandbox.scan.links import in_directory

    return tuple((one.name, one.device, one.inode, one.names) for one in in_directory(path))
