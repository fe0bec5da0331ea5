"""The engine: a policy, and the one way to ask it."""

import os

from execpolicy.decision import Decision
from execpolicy.engine.decide import decide
from execpolicy.errors import Diagnostic
from execpolicy.operation import Request
from execpolicy.places.disk import Disk
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.store import Store, absolute
from execpolicy.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.engine.watching import Watching
    from execpolicy.places.recorded import Fact
    from execpolicy.places.resolver import Resolver

    Approvals = Callable[[Request, Verdict, Snapshot, Resolver], Verdict]
    Key = tuple[str, str | None, str | None]


CACHE_BYTES = 16 * 1024 * 1024
"""How much is kept of verdicts about texts: agents run the same commands again and again."""
_BYTES_OF_STEP = 2048
"""What an operation of a kept verdict takes, with all that was said about it, at most for most."""


class Engine:
    """Answers requests by one policy, which may be replaced while it runs.

    Safe to share between threads: a request is decided by the policy of the moment it began, whole.

    >>> engine = Engine.load(rules=[])
    >>> engine.check("git status").decision
    <Decision.ALLOW: 0>
    >>> engine.check(["git", "push"]).decision
    <Decision.PROMPT: 1>
    """

    def __init__(
        self, store: Store, *, audit: bool = False, approvals: "Approvals | None" = None
    ) -> None:
        self.store = store
        self.audit = audit
        self.approvals = approvals
        self.resolver: Resolver = Disk()
        self._recent = _Recent(store.current)

    @classmethod
    def load(
        cls,
        rules: "Sequence[str | os.PathLike[str]] | None" = None,
        *,
        builtin: bool = True,
        cwd: "str | os.PathLike[str] | None" = None,
        audit: bool = False,
        approvals: "Approvals | None" = None,
    ) -> "Engine":
        """An engine over all layers, as the command line finds them from `cwd`.

        `rules` are files that stand in the place of the layers; the shipped rules stay unless
        `builtin` is False. Raises `PolicyError` with every problem of files named so. A broken file
        of a layer is no error: see `problems`. `audit` makes each verdict a line of the audit log,
        unless the settings say otherwise. `approvals` is called for verdicts that ask, and for no
        others: it gives the verdict with what was answered before (`approvals.Remembered`).
        """
        named = None if rules is None else [absolute(path) for path in rules]
        place = None if cwd is None else absolute(cwd)
        return cls(Store(named, builtin=builtin, cwd=place), audit=audit, approvals=approvals)

    @property
    def snapshot(self) -> Snapshot:
        """The policy of this moment."""
        return self.store.current

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is wrong with the files of the policy, and what was ignored."""
        return (*self.store.problems, *self.store.settings.problems)

    def check(
        self,
        command: "str | Sequence[str]",
        *,
        cwd: str | None = None,
        shell: str | None = None,
    ) -> Verdict:
        """The verdict about a script text, or about the words of one command.

        Raises `RequestError` for words that are no command.
        """
        if not isinstance(command, str):
            return self.decide(Request(argv=tuple(command), cwd=cwd, shell=shell))
        if self.audit:
            return self.decide(Request(text=command, cwd=cwd, shell=shell))
        recent = self._recent
        if recent.snapshot is not self.store.current:
            self._recent = recent = _Recent(self.store.current)
        key = command, directory(cwd), shell
        verdict = recent.get(key, self.resolver)
        if verdict is None:
            from execpolicy.places.recorded import Recorded

            request = Request(text=command, cwd=key[1], shell=shell)
            asked = Recorded(self.resolver)
            verdict = decide(request, recent.snapshot, asked)
            recent.keep(key, verdict, asked.facts())
        if verdict.decision is Decision.PROMPT and self.approvals is not None:
            request = Request(text=command, cwd=key[1], shell=shell)
            verdict = self.approvals(request, verdict, recent.snapshot, self.resolver)
        return verdict

    def decide(self, request: Request) -> Verdict:
        """The verdict about a request. Raises `RequestError` for one that is none.

        Relative paths mean the current directory of this process where the request names none.
        """
        if request.cwd is None or request.cwd[:1] != "/":
            request = request.replace(cwd=directory(request.cwd))
        snapshot = self.store.current
        verdict = decide(request, snapshot, self.resolver)
        if verdict.decision is Decision.PROMPT and self.approvals is not None:
            verdict = self.approvals(request, verdict, snapshot, self.resolver)
        if self.audit and self.store.settings.audit:
            from execpolicy.engine.auditing import record

            record(request, verdict, self.store.settings)
        return verdict

    def reload(self) -> bool:
        """Load the rules again if a file changed; whether the policy is another one now."""
        return self.store.reload()

    def watch(self, changed: "Callable[[], None] | None" = None) -> "Watching":
        """Follow the files: `with engine.watch():` or `async with engine.watch():`.

        `changed` is called, in a thread of the watch, after each change that came into force.
        """
        from execpolicy.engine.watching import Watching

        return Watching(self.store, changed)


class _Recent:
    """Verdicts about texts under one snapshot, each with the facts of the disk it rests on."""

    __slots__ = ("_bytes", "_known", "snapshot")

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._known: dict[Key, tuple[Verdict, tuple[Fact, ...]]] = {}
        self._bytes = 0

    def get(self, key: "Key", resolver: "Resolver") -> Verdict | None:
        """The verdict kept, if the disk is still as it was."""
        verdict, facts = self._known.get(key, (None, ()))
        if verdict is None:
            return None
        from execpolicy.places.recorded import still_true

        return verdict if still_true(facts, resolver) else None

    def keep(self, key: "Key", verdict: Verdict, facts: "tuple[Fact, ...] | None") -> None:
        """Keep a verdict, unless it rests on more than can be looked at again."""
        size = len(key[0]) + _BYTES_OF_STEP * (len(verdict.judged) + 1)
        if facts is None or size > CACHE_BYTES // 8:
            return
        if self._bytes + size > CACHE_BYTES:
            self._known, self._bytes = {}, 0
        self._known[key] = verdict, facts
        self._bytes += size


def directory(cwd: str | None) -> str | None:
    """The absolute directory that is meant; None where the current one is gone."""
    if cwd is not None and cwd[:1] == "/":
        return cwd
    try:
        return os.path.normpath(os.path.join(os.getcwd(), cwd or ""))
    except OSError:
        return None
