"""The engine: a policy, and the one way to ask it."""

import os

from execpolicy.engine.decide import decide_valid
from execpolicy.engine.requests import request_of, validate
from execpolicy.model.decision import Decision
from execpolicy.model.errors import Diagnostic, RequestError
from execpolicy.model.operation import Request
from execpolicy.model.verdict import Verdict
from execpolicy.places.disk import Disk
from execpolicy.store.compiled.cache import DamagedError
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.store import Store, absolute
from execpolicy.support.record import compile_soon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from execpolicy.engine.memory.recent import Recent, Together
    from execpolicy.places.repository.history import Kept
    from execpolicy.places.resolver import Resolver
    from execpolicy.store.watch import Watching

    Approvals = Callable[[Request, Verdict, Snapshot, Resolver], Verdict]


def _histories() -> "Kept":
    """What keeps the histories of repositories; few processes ask for one."""
    from execpolicy.store import histories

    return histories


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
        self.way = ""
        self.resolver: Resolver = Disk(kept=_histories)
        self._recent: Recent | None = None
        self._asked = False

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
        `builtin` is False. Raises `PolicyError` with every problem of files named so, and
        `RequestError` for `rules` that is not a list. A broken file of a layer is no error: see
        `problems`. `audit` makes each verdict a line of the audit log, unless the settings say
        otherwise. `approvals` is called for verdicts that ask, and for no others: it gives the
        verdict with what was answered before (`approvals.Remembered`).
        """
        named = None if rules is None else _files(rules)
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
        command: "str | Sequence[str | os.PathLike[str]]",
        *,
        cwd: "str | os.PathLike[str] | None" = None,
        shell: str | None = None,
    ) -> Verdict:
        """The verdict about a script text, or about the words of one command.

        Words are a list or any other row of texts and path objects. Raises `RequestError` for what
        is not a command, and for a shell that is not read.
        """
        return self.decide(request_of(command, cwd, shell))

    def check_many(
        self,
        commands: "Iterable[str | Sequence[str | os.PathLike[str]]]",
        *,
        cwd: "str | os.PathLike[str] | None" = None,
        shell: str | None = None,
    ) -> list[Verdict]:
        """The verdicts about several scripts or commands, in their order.

        One that stands there twice is decided once, and what two of them ask about the machine is
        looked at once. Raises `RequestError` for what is not a command.
        """
        if isinstance(commands, (str, bytes)):
            raise RequestError("`commands` is a list of commands: write `[command]`")
        requests = [request_of(command, cwd, shell) for command in commands]
        with self.together() as together:
            return [self.decide(request, together) for request in requests]

    def together(self) -> "Together":
        """For requests that are decided together: what is seen for one counts for all.

        All of them are there before the first is decided, and no verdict is given to who asked
        before the context has ended.
        """
        from execpolicy.engine.memory.recent import Together

        return Together(self.resolver)

    def decide(self, request: Request, together: "Together | None" = None) -> Verdict:
        """The verdict about a request. Raises `RequestError` for one that is not valid.

        `together` is what it shares with other requests that are decided together with it.
        Relative paths mean the current directory of this process where the request names none.
        """
        validate(request)
        if request.cwd is None or request.cwd[:1] != "/":
            request = request.replace(cwd=directory(request.cwd))
        verdict = self._decide(request, self.store.current, together)
        if verdict.decision is Decision.PROMPT and self.approvals is not None:
            verdict = self.approvals(request, verdict, self.store.current, self.resolver)
        if self.audit and self.store.settings.audit:
            from execpolicy.engine.audit import record_by_settings

            held = together.log if together else None
            record_by_settings(request, verdict, self.store.settings, held, self.way)
        return verdict

    def _decide(self, request: Request, snapshot: Snapshot, together: "Together | None") -> Verdict:
        """Decide; where a piece of the kept rules is damaged, compile them again first.

        From the second request on, verdicts are kept: most processes have only one.
        """
        try:
            if not self._asked or request.operations is not None:
                self._asked = True
                return decide_valid(request, snapshot, self.resolver)
            from execpolicy.places.moment import CachedResolver

            moment = together.moment if together else CachedResolver(self.resolver)
            return self._remembered(snapshot).decide(request, moment, decide_valid)
        except DamagedError:
            return decide_valid(request, self.store.renew(), self.resolver)

    def _remembered(self, snapshot: Snapshot) -> "Recent":
        recent = self._recent
        if recent is None or recent.snapshot is not snapshot:
            from execpolicy.engine.memory.recent import Recent

            compile_soon()
            self._recent = recent = Recent(snapshot)
        return recent

    def beside(
        self, resolver: "Resolver", *, audit: bool, approvals: "Approvals | None"
    ) -> "Engine":
        """An engine with the same policy and memory that looks at another machine, or for another
        process. What is remembered is proved by the resolver that asks."""
        other = Engine(self.store, audit=audit, approvals=approvals)
        other.resolver, other._asked, other.way = resolver, True, self.way
        self._remembered(self.store.current)
        other._recent = self._recent
        return other

    def anew(self) -> "Engine":
        """An engine with the same policy and memory for a process that has become another one: with
        the PATH and the variables that it has now."""
        return self.beside(Disk(kept=_histories), audit=self.audit, approvals=self.approvals)

    def reload(self) -> bool:
        """Load the rules again if a file changed; whether the policy is another one now."""
        return self.store.reload()

    def watch(self, changed: "Callable[[], None] | None" = None) -> "Watching":
        """Follow the files: `with engine.watch():` or `async with engine.watch():`.

        `changed` is called, in a thread of the watch, after each change that came into force.
        """
        from execpolicy.store.watch import Watching

        return Watching(self.store, changed)


def _files(rules: "Sequence[str | os.PathLike[str]]") -> list[str]:
    """The files that the user named. Raises `RequestError`, which is a `ValueError`, for others."""
    if isinstance(rules, (str, bytes, os.PathLike)):
        raise RequestError("`rules` is a list of files: write `rules=[path]`")
    paths = list(rules)
    for path in paths:
        if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
            raise RequestError(f"`rules` is a list of paths, and holds a `{type(path).__name__}`")
        if not os.fspath(path) or "\0" in os.fspath(path):
            raise RequestError("`rules` holds a path that is empty or has a NUL")
    return [absolute(path) for path in paths]


def directory(cwd: str | None) -> str | None:
    """The absolute directory that is meant; None where the current one is gone."""
    if cwd is not None and cwd[:1] == "/":
        return cwd
    try:
        return os.path.normpath(os.path.join(os.getcwd(), cwd or ""))
    except OSError:
        return None
