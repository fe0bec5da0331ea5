"""Verdicts about requests that were decided lately: agents run the same commands again and again.

Each is kept with the facts of the machine that it rests on, and counts while these are true. What
was not asked for longest goes first, and all of it is bounded in bytes.
"""

from execpolicy.model.operation import Request
from execpolicy.model.verdict import NOTHING, Verdict
from execpolicy.places.recorded import Recorded, still_true
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.places.recorded import Fact
    from execpolicy.places.resolver import Resolver
    from execpolicy.store.snapshot import Snapshot

    Key = tuple[object, ...]


CACHE_BYTES = 16 * 1024 * 1024
_BYTES_OF_NAME = 128
_BYTES_OF_STEP = 2048
"""What an operation of a kept verdict takes, with all that was said about it, at most for most."""
_BYTES_OF_SCENE = 16 * 1024
"""What a verdict holds on to as long as nobody looked at the rules that it proposes."""


class Kept(Value):
    """A verdict, the facts it rests on, and the bytes that both take."""

    verdict: Verdict
    facts: "tuple[Fact, ...]"
    size: int


class Recent:
    """Verdicts under one snapshot. Safe to share between threads: a lost entry is decided again."""

    __slots__ = ("_bytes", "_kept", "snapshot")

    def __init__(self, snapshot: "Snapshot") -> None:
        self.snapshot = snapshot
        self._kept: dict[Key, Kept] = {}
        self._bytes = 0

    def decide(
        self,
        request: Request,
        resolver: "Resolver",
        decide: "Callable[[Request, Snapshot, Resolver], Verdict]",
    ) -> Verdict:
        """The verdict kept, if the machine is still as it was; else what `decide` says."""
        key = (request.text, request.argv, request.cwd, request.shell, request.root)
        kept = self._kept.pop(key, None)
        if kept is not None and still_true(kept.facts, resolver):
            self._kept[key] = kept
            return kept.verdict
        if kept is not None:
            self._bytes -= kept.size
        asked = Recorded(resolver)
        verdict = decide(request, self.snapshot, asked)
        text = len(request.text or "") + sum(map(len, request.argv or ()))
        self._keep(key, text, verdict, asked.facts())
        return verdict

    def _keep(
        self, key: "Key", text: int, verdict: Verdict, facts: "tuple[Fact, ...] | None"
    ) -> None:
        """Keep a verdict about a text of so many characters.

        One that rests on more than can be looked at again is not kept.
        """
        if facts is None:
            return
        size = text + _BYTES_OF_STEP * (len(verdict.judged) + 1)
        size += 0 if verdict.proposal is NOTHING else _BYTES_OF_SCENE
        size += _BYTES_OF_NAME * sum(
            len(found) for _, _, found in facts if isinstance(found, tuple)
        )
        if size > CACHE_BYTES // 8:
            return
        self._kept[key] = Kept(verdict, facts, size)
        self._bytes += size
        while self._bytes > CACHE_BYTES:
            try:
                self._bytes -= self._kept.pop(next(iter(self._kept))).size
            except (KeyError, RuntimeError, StopIteration):  # another thread was faster
                self._kept, self._bytes = {}, 0
