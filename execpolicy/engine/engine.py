"""The engine: a policy, and the one way to ask it."""

import os

from execpolicy.engine.decide import decide
from execpolicy.engine.project import ProjectFiles
from execpolicy.errors import Diagnostic
from execpolicy.operation import Request
from execpolicy.store.snapshot import Snapshot
from execpolicy.store.store import Store, absolute
from execpolicy.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from execpolicy.engine.watching import Watching


RECENT = 4096
"""How many verdicts about texts are kept: agents run the same commands again and again."""


class Engine:
    """Answers requests by one policy, which may be replaced while it runs.

    Safe to share between threads: a request is decided by the policy of the moment it began, whole.

    >>> engine = Engine.load(rules=[])
    >>> engine.check("git status").decision
    <Decision.ALLOW: 0>
    >>> engine.check(["git", "push"]).decision
    <Decision.PROMPT: 1>
    """

    def __init__(self, store: Store, *, audit: bool = False) -> None:
        self.store = store
        self.audit = audit
        self._recent: tuple[Snapshot, dict[object, Verdict]] = store.current, {}

    @classmethod
    def load(
        cls,
        rules: "Sequence[str | os.PathLike[str]] | None" = None,
        *,
        builtin: bool = True,
        cwd: "str | os.PathLike[str] | None" = None,
        audit: bool = False,
    ) -> "Engine":
        """An engine over all layers, as the command line finds them from `cwd`.

        `rules` are files that stand in the place of the layers; the shipped rules stay unless
        `builtin` is False. Raises `PolicyError` with every problem of files named so. A broken file
        of a layer is no error: see `problems`. `audit` makes each verdict a line of the audit log,
        unless the settings say otherwise.
        """
        named = None if rules is None else [absolute(path) for path in rules]
        place = None if cwd is None else absolute(cwd)
        return cls(Store(named, builtin=builtin, cwd=place), audit=audit)

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
        snapshot, known = self._recent
        if snapshot is not self.store.current or len(known) >= RECENT:
            self._recent = snapshot, known = self.store.current, {}
        key = command, cwd, shell
        verdict = known.get(key)
        if verdict is None:
            files = ProjectFiles(snapshot.home)
            verdict = decide(Request(text=command, cwd=cwd, shell=shell), snapshot, files)
            if not files.asked:
                known[key] = verdict
        return verdict

    def decide(self, request: Request) -> Verdict:
        """The verdict about a request. Raises `RequestError` for one that is none."""
        snapshot = self.store.current
        verdict = decide(request, snapshot, ProjectFiles(snapshot.home))
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
