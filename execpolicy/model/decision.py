"""The answer to a request: one ordered enum for commands, paths and hosts."""

from execpolicy.support.ordered_enum import OrderedEnum


class Decision(OrderedEnum):
    """What may happen. Ordered, so that the strictest of several is their `max`.

    >>> max(Decision.ALLOW, Decision.PROMPT)
    <Decision.PROMPT: 1>
    >>> Decision.parse("forbidden").word
    'forbidden'
    """

    ALLOW = 0
    PROMPT = 1
    FORBIDDEN = 2

    @property
    def word(self) -> str:
        """The lower-case word used in rules, on the wire and on the terminal."""
        return self.name.lower()

    def __str__(self) -> str:
        return self.word

    def __format__(self, spec: str) -> str:
        return format(self.word, spec)

    @classmethod
    def parse(cls, word: str) -> "Decision":
        """The decision for `allow`, `prompt` or `forbidden`, spelled exactly so.

        Raises `ValueError` for any other word.
        """
        for decision in cls:
            if decision.word == word:
                return decision
        raise ValueError(f"invalid decision: `{word}`")
