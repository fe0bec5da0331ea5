"""What a script text says of all that runs from it, worked out once from its tree.

Later stages ask these values and never the text. What is not certain is true.
"""

from execpolicy.support.record import Value


class TextFacts(Value):
    """What holds of the operations of one text; those of texts inside it have their own.

    `returns`: a command may run after one that stands after it (a loop, a function that is called
    later, a trap). `hides_input`: a command may get input that does not stand beside it. `diverts`:
    what one prints may go to another stream than to the next of its pipeline. `dots`: a
    glob may match names that begin with a dot. `names` are the variables whose value is taken,
    `evaluated` those in arithmetic, `words` the values of all words, with `$` for what is computed,
    where the operations do not hold them already. `discloses`: what is computed is compared or cut
    by a pattern, which tells it bit by bit, or it is fed to more than one command. `detaches`: a
    command may still run once the text has ended: no shell waits for it.

    `after` has for each operation the number of the one after which it runs, and only if that one
    ended well; -1 where there is none. `mixed` are the numbers of those that may have messages
    among what they print. Both end where they would say nothing more.
    """

    returns: bool = False
    hides_input: bool = False
    diverts: bool = False
    dots: bool = False
    names: frozenset[str] = frozenset()
    evaluated: frozenset[str] = frozenset()
    words: tuple[str, ...] = ()
    after: tuple[int, ...] = ()
    mixed: frozenset[int] = frozenset()
    discloses: bool = False
    detaches: bool = False

    def takes(self, name: str) -> bool:
        """Whether a command may get the value of this variable, or evaluate it."""
        return name in self.names or name in self.evaluated or any(name in w for w in self.words)

    def beside(self, other: "TextFacts") -> "TextFacts":
        """The same with what holds of a text whose commands run among these: that of an `eval`."""
        return self.replace(
            returns=self.returns or other.returns,
            hides_input=self.hides_input or other.hides_input,
            diverts=self.diverts or other.diverts,
            dots=self.dots or other.dots,
            names=self.names | other.names,
            evaluated=self.evaluated | other.evaluated,
            words=(*self.words, *other.words),
            discloses=self.discloses or other.discloses,
            detaches=self.detaches or other.detaches,
        )


PLAIN = TextFacts()
"""Of a text that is one command of literal words."""


class TextPosition(Value):
    """Where a step stands in its text: what holds of that, the number of the step after which it
    runs, and only if that one ended well, and whether messages may be among what it prints."""

    facts: TextFacts = PLAIN
    after: int | None = None
    mixed: bool = False


NOWHERE = TextPosition()
"""Of an operation that stands in no text."""
