"""Replies to calls of hosts that were given before, each with all that was seen of the disk for it.

As for processes (`store.repeat`): a reply counts while every look gives the same again, and each is
made again after the request came. A call is watched from its second time on, because to watch costs
more than to decide.
"""

from execpolicy.store.repeat.looks import all_same, without_implied
from execpolicy.store.repeat.witness import Witness
from execpolicy.support import watching
from execpolicy.support.record import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from execpolicy.store.repeat.answers import KeptAnswer
    from execpolicy.store.repeat.looks import Look

    Key = tuple[object, ...]
    """What a call says, and the process for which it is decided."""

MAX_REPLIES = 1024
"""Replies that are kept. Beyond, the one that was not asked for longest goes."""
MAX_LOOKS = 200
MAX_SHARED = 16_384
"""Looks of a reply, and looks that replies share: beyond, each has its own."""


class Kept(Value):
    """A reply with its lines in the log, what was seen, and whether the host above was marked."""

    answer: "KeptAnswer"
    looks: "tuple[Look, ...]"
    marks: bool


class Replies:
    """The replies that are kept. For one thread. `given` counts those that were given again."""

    def __init__(self) -> None:
        self.given = 0
        self._kept: dict[Key, Kept | None] = {}
        self._shared: dict[Look, Look] = {}

    def recall(self, key: "Key") -> Kept | None:
        """The reply to a call, if all that it rests on is as it was."""
        found = self._kept.get(key)
        if found is None or not all_same(found.looks):
            return None
        self.given += 1
        self._kept[key] = self._kept.pop(key)
        return found

    def is_known(self, key: "Key") -> bool:
        """Whether a call was made before; from now on it was."""
        known = key in self._kept
        self._kept[key] = None
        if len(self._kept) > MAX_REPLIES:
            del self._kept[next(iter(self._kept))]
        return known

    def watched(
        self, key: "Key", decide: "Callable[[], KeptAnswer]", marks: "Callable[[], bool]"
    ) -> "KeptAnswer":
        """What `decide` gives, kept where it may be given again."""
        watching.here.never_again = False
        with Witness(modules=False) as witness:
            answer = decide()
        looks = witness.looks
        if looks is not None and not watching.here.never_again and len(looks) <= MAX_LOOKS:
            every = tuple(map(self._one, without_implied(looks)))
            self._kept[key] = Kept(answer.replace(logged=witness.logged), every, marks())
        return answer

    def _one(self, look: "Look") -> "Look":
        """The same look for all replies that rest on it."""
        if len(self._shared) >= MAX_SHARED:
            self._shared.clear()
        return self._shared.setdefault(look, look)
