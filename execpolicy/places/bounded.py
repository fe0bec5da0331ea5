"""A resolver that is asked only so often for one decision: what looks at thousands of places costs
more than it is worth to whoever waits for it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.places.resolver import Resolver

MAX_LOOKS = 8192
"""Questions of one decision. Of real commands one in a thousand needs more than 650."""


class TooManyLooksError(Exception):
    """A decision asked more than `MAX_LOOKS` questions."""


class Bounded:
    """Hands each question on to a resolver. Raises `TooManyLooksError` for one too many."""

    __slots__ = ("_left", "_resolver")

    def __init__(self, resolver: "Resolver") -> None:
        self._resolver = resolver
        self._left: float = MAX_LOOKS

    def __getattr__(self, question: str) -> object:
        """The resolver's own answer to one more question."""
        self._left -= 1
        if self._left < 0:
            raise TooManyLooksError
        return getattr(self._resolver, question)

    def release(self) -> None:
        """What is asked from now on is for no decision, and not counted."""
        self._left = float("inf")
