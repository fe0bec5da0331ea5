"""A record of what was asked about the machine, so that an answer kept can be proved again."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import ParamSpec, TypeVar

    from execpolicy.places.resolver import Resolver

    Fact = tuple[str, tuple[object, ...], object]
    Given = ParamSpec("Given")
    Answer = TypeVar("Answer")


_TREES = frozenset(("below", "names", "nearby", "tracked"))
MAX_NAMES = 200
"""Names in an answer about a tree: to prove a longer one costs too much, and so does keeping it."""


class Recorded:
    """A resolver that asks another one, and each question once."""

    def __init__(self, resolver: "Resolver") -> None:
        self._answers: dict[str, Mapping[tuple[object, ...], object]] = {}
        self.locate = self._once("locate", resolver.locate)
        self.kind = self._once("kind", resolver.kind)
        self.names = self._once("names", resolver.names)
        self.head = self._once("head", resolver.head)
        self.below = self._once("below", resolver.below)
        self.nearby = self._once("nearby", resolver.nearby)
        self.tracked = self._once("tracked", resolver.tracked)
        self.tracks = self._once("tracks", resolver.tracks)
        self.unchanged = self._once("unchanged", resolver.unchanged)
        self.holds = self._once("holds", resolver.holds)
        self.planted = self._once("planted", resolver.planted)
        self.variables = self._once("variables", resolver.variables)
        self.temporary = self._once("temporary", resolver.temporary)
        self.root = self._once("root", resolver.root)

    def _once(self, question: str, ask: "Callable[Given, Answer]") -> "Callable[Given, Answer]":
        """A question that is answered from the record where it was asked before."""
        answers: dict[tuple[object, ...], Answer] = {}
        self._answers[question] = answers

        def asked(*arguments: "Given.args", **_none: "Given.kwargs") -> "Answer":
            if arguments not in answers:
                answers[arguments] = ask(*arguments, **_none)
            return answers[arguments]

        return asked

    def facts(self) -> "tuple[Fact, ...] | None":
        """Each question with its arguments and its answer; None where a large tree was walked."""
        for name in _TREES:
            for found in self._answers[name].values():
                if not isinstance(found, tuple) or len(found) > MAX_NAMES:
                    return None
        return tuple(
            (name, given, found)
            for name, answers in self._answers.items()
            for given, found in answers.items()
        )


def still_true(facts: "tuple[Fact, ...]", resolver: "Resolver") -> bool:
    """Whether the machine would answer the same now."""
    return all(getattr(resolver, name)(*given) == found for name, given, found in facts)
