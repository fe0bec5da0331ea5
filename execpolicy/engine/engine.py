"""The engine: a policy, and the one way to ask it."""

import os

from execpolicy.engine.decide import decide
from execpolicy.operation import Request
from execpolicy.store import loader
from execpolicy.store.files import read_rules
from execpolicy.store.snapshot import Snapshot
from execpolicy.verdict import Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Engine:
    """Answers requests by one snapshot of a policy. Safe to share between threads.

    >>> engine = Engine.load(rules=[])
    >>> engine.check("git status").decision
    <Decision.ALLOW: 0>
    >>> engine.check(["git", "push"]).reason
    'git push: network (sends commits to a remote)'
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    @classmethod
    def load(
        cls, rules: "Sequence[str | os.PathLike[str]] | None" = None, *, builtin: bool = True
    ) -> "Engine":
        """An engine over the shipped rules and these rules files.

        Raises `PolicyError` with every problem of the named files.
        """
        limit = loader.MAX_RULES_BYTES
        named = tuple(read_rules("user", os.fspath(path), limit) for path in rules or ())
        snapshot = loader.load(named, builtin=builtin)
        loader.strict(snapshot, named)
        return cls(snapshot)

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
        if isinstance(command, str):
            return self.decide(Request(text=command, cwd=cwd, shell=shell))
        return self.decide(Request(argv=tuple(command), cwd=cwd, shell=shell))

    def decide(self, request: Request) -> Verdict:
        """The verdict about a request. Raises `RequestError` for one that is none."""
        return decide(request, self.snapshot)
