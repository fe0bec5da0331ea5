"""Verdicts about requests that were decided lately: agents run the same commands again and again.

Each is kept with the facts of the machine that it rests on, and counts while these are true
(`places.moment` has the rule). What was not asked for longest goes first, and all of it is bounded
in bytes.
"""

from execpolicy.model.operation import Request
from execpolicy.model.verdict import NOTHING, LazyAmendments, Verdict
from execpolicy.places.asked import Asked
from execpolicy.places.facts import Facts
from execpolicy.places.moment import CachedResolver
from execpolicy.store.log_file import Held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from execpolicy.places.facts import Fact
    from execpolicy.places.resolver import Resolver
    from execpolicy.store.snapshot import Snapshot

    Key = tuple[object, ...]


CACHE_BYTES = 16 * 1024 * 1024
_BYTES_OF_NAME = 128
_BYTES_OF_STEP = 2048
"""What an operation of a kept verdict takes, with all that was said about it, at most for most."""
_TEXTS = 4
"""How often a long word of a request is there again: in words, paths, places and reasons."""
_BYTES_OF_PROPOSAL = 4096
"""What a verdict holds on to as long as the rules were not looked at that it proposes."""


class Kept:
    """A verdict, what it rests on, the bytes that both take, and the mark of its last proof."""

    __slots__ = ("_facts", "_questions", "mark", "size", "verdict")

    def __init__(
        self, verdict: Verdict, asked: "Asked", facts: "tuple[Fact, ...]", size: int, mark: object
    ) -> None:
        self.verdict = verdict
        self.size = size
        self.mark = mark
        self._facts = facts
        self._questions = asked.questions

    def is_true(self, moment: CachedResolver, known: Facts) -> bool:
        """Whether all that the verdict rests on is so at another moment.

        More may have been asked since it was kept, for the rules that it proposes.
        """
        mark = moment.mark
        if self.mark is mark:
            return True
        if len(self._facts) != len(self._questions):
            facts = known.of(self._questions, None)
            if facts is None:
                return False
            self._facts = facts
        for fact in self._facts:
            if fact.mark is not mark and not fact.is_true(moment):
                return False
        self.mark = mark
        return True


class Recent:
    """Verdicts under one snapshot. Safe to share between threads: a lost entry is decided again."""

    __slots__ = ("_bytes", "_facts", "_kept", "_last", "snapshot")

    def __init__(self, snapshot: "Snapshot") -> None:
        self.snapshot = snapshot
        self._kept: dict[Key, Kept] = {}
        self._facts = Facts()
        self._last: tuple[LazyAmendments, Asked] | None = None
        self._bytes = 0

    def decide(
        self,
        request: Request,
        moment: CachedResolver,
        decide: "Callable[[Request, Snapshot, Resolver], Verdict]",
    ) -> Verdict:
        """The verdict kept, if the machine is still as it was; else what `decide` says."""
        key = _key(request)
        kept = self._kept.pop(key, None)
        if kept is not None:
            if kept.is_true(moment, self._facts):
                self._kept[key] = kept
                return kept.verdict
            self._bytes -= kept.size
        asked = Asked(moment)
        verdict = decide(request, self.snapshot, asked)
        given = request.text if request.text is not None else "".join(request.argv or ())
        self._keep(key, len(given), verdict, asked, moment.mark)
        return verdict

    def _keep(self, key: "Key", text: int, verdict: Verdict, asked: "Asked", mark: object) -> None:
        """Keep a verdict about a text of so many characters.

        One that rests on more than can be looked at again is not kept.
        """
        facts = self._facts.of(asked.questions, mark)
        if facts is None:
            return
        size = text * _TEXTS + _BYTES_OF_STEP * (len(verdict.judged) + 1)
        size += 0 if verdict.proposal is NOTHING else _BYTES_OF_PROPOSAL
        size += _BYTES_OF_NAME * sum([len(f.found) for f in facts if type(f.found) is tuple])
        if size > CACHE_BYTES // 8:
            return
        self._let_go(asked.moment)
        self._last = verdict.proposal, asked
        self._kept[key] = Kept(verdict, asked, facts, size, mark)
        self._bytes += size
        while self._bytes > CACHE_BYTES:
            try:
                self._bytes -= self._kept.pop(next(iter(self._kept))).size
            except (KeyError, RuntimeError, StopIteration):  # another thread was faster
                self._kept, self._bytes = {}, 0

    def _let_go(self, moment: CachedResolver) -> None:
        """Keep no more of the verdict before than itself, and of what was seen for it the answers.

        Another thread may ask for what it proposes at this time: a moment that it uses stays whole.
        """
        if self._last is not None:
            proposal, asked = self._last
            proposal.let_go()
            if asked.moment is not moment:
                asked.moment = CachedResolver(asked.moment.resolver)


def _key(request: Request) -> "Key":
    """All of a request that a decision depends on. Who asks is for the log and for approvals."""
    words = request.text, request.argv, request.shell
    return (*words, request.cwd, request.root, request.roots, request.scope)


class Together:
    """What the decisions about several requests share (`places.moment` has the rule).

    A context: the lines of the log are written at its end, before an answer is given.
    """

    __slots__ = ("log", "moment")

    def __init__(self, resolver: "Resolver") -> None:
        self.moment = CachedResolver(resolver)
        self.log = Held()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_error: object) -> None:
        self.moment.end()
        self.log.write()
