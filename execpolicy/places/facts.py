"""What an answer rests on: the questions about the machine that were asked for it, as facts.

A fact that many answers rest on is one object, so that it is looked at once for all of them.
"""

from execpolicy.places.moment import CachedResolver, Question

_TREES = frozenset(
    ("below", "committed", "gitlinks", "links", "names", "nearby", "of_revisions", "tracked")
)
MAX_NAMES = 200
"""Names in an answer about a tree: to prove a longer one costs too much, and so does keeping it."""
MAX_SHARED = 4096
MAX_LENGTH = 200
"""Facts that are known again, and the longest path of one. Beyond, all of them are forgotten, and
one is not shared, which costs time alone."""


class Fact:
    """An answer of the machine to a question, and the mark of the moment that last proved it."""

    __slots__ = ("_question", "found", "mark")

    def __init__(self, question: "Question", found: object, mark: object) -> None:
        self._question = question
        self.found = found
        self.mark = mark

    def is_true(self, moment: "CachedResolver") -> bool:
        """Whether the machine answers the same at another moment."""
        found = moment.answer(self._question)
        if found is not self.found and found != self.found:
            return False
        self.mark = moment.mark
        return True


class Facts:
    """All facts of the answers that are kept."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Question, Fact] = {}

    def of(self, questions: "dict[Question, object]", mark: object) -> tuple[Fact, ...] | None:
        """Questions with their answers, proved by the moment of a mark if there is one.

        None where a large tree was walked.
        """
        if len(self._known) > MAX_SHARED:
            self._known = {}
        facts, known = [], self._known
        for question, found in questions.items():
            name, given = question
            if name in _TREES and (not isinstance(found, tuple) or len(found) > MAX_NAMES):
                return None
            fact = known.get(question)
            if fact is None or (fact.found is not found and fact.found != found):
                fact = Fact(question, found, mark)
                first = given[0] if given else ""
                if type(first) is not str or not first[MAX_LENGTH:]:
                    known[question] = fact
            elif mark is not None:
                fact.mark = mark
            facts.append(fact)
        return tuple(facts)
