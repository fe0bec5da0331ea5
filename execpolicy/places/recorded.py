"""A record of what was asked about the machine, so that an answer kept can be proved again."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from execpolicy.places.resolver import Resolver

    Fact = tuple[str, tuple[object, ...], object]


_TREES = frozenset(("below", "gitlinks", "names", "nearby", "tracked"))
MAX_NAMES = 200
"""Names in an answer about a tree: to prove a longer one costs too much, and so does keeping it."""


class Recorded:
    """A resolver that remembers what it was asked, so that an answer kept can be proved again."""

    __slots__ = ("_answers", "_resolver")

    def __init__(self, resolver: "Resolver") -> None:
        self._resolver = resolver
        self._answers: dict[tuple[str, tuple[object, ...]], object] = {}

    def __getattr__(self, question: str) -> "Any":
        ask = getattr(self._resolver, question)

        def asked(*arguments: object) -> object:
            key = (question, arguments)
            if key not in self._answers:
                self._answers[key] = ask(*arguments)
            return self._answers[key]

        return asked

    def facts(self) -> "tuple[Fact, ...] | None":
        """Each question with its arguments and its answer; None where a large tree was walked."""
        for (name, _), found in self._answers.items():
            if name in _TREES and (not isinstance(found, tuple) or len(found) > MAX_NAMES):
                return None
        return tuple((name, given, found) for (name, given), found in self._answers.items())


def still_true(facts: "tuple[Fact, ...]", resolver: "Resolver") -> bool:
    """Whether the machine would answer the same now."""
    return all(getattr(resolver, name)(*given) == found for name, given, found in facts)
