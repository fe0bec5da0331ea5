"""What words are made of, and what stands among the words of a command."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.syntax.tree import Substitution

LITERAL = 0
"""A part as written, without quotes: may hold glob characters, braces, a tilde."""
QUOTED = 1
"""A part as meant, after quote removal."""
VALUE = 2
"""A computed part that is exactly one piece of a word."""
SPLIT = 3
"""A computed part that is any number of words."""
QUOTED_VARIABLE = 4
"""`"$name"`"""
VARIABLE = 5
"""`$name`"""
NUMBER = 6
"""A computed part without quotes that is digits only."""
ELEMENTS = 7
"""`"$@"` and `"${a[@]}"`: any number of words."""
DIGITS = 8
"""A computed part in quotes that is digits only."""


class Part:
    """A part of a word, of one of the kinds above.

    `text` is the text of a literal part and the name of a variable, empty for the rest.
    `substitution` is what a `$(…)` runs.
    """

    __slots__ = ("kind", "substitution", "text")

    def __init__(
        self, kind: int, text: str = "", substitution: "Substitution | None" = None
    ) -> None:
        self.kind = kind
        self.text = text
        self.substitution = substitution

    def is_sign(self, text: str) -> bool:
        """Whether it is this text, without quotes."""
        return self.kind == LITERAL and self.text == text


def has_sign(parts: list[Part], text: str) -> bool:
    """Whether one of the parts is this text, without quotes."""
    return any(part.text == text and part.kind == LITERAL for part in parts)


class Word:
    """A word and its parts. `text` is set where the word is literal without further ado.

    `raw` is what stands there without line continuations, if there are any.
    """

    __slots__ = ("end", "parts", "raw", "start", "text")

    def __init__(self, start: int, end: int, text: str | None, parts: list[Part]) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.parts = parts
        self.raw: str | None = None


class AssignmentWord:
    """`name=value`, `name+=value`, `name[i]=value`, `name=(…)` where an assignment may stand.

    `partly`: the variable keeps a part of its old value. `elements` are those of an array.
    """

    __slots__ = ("elements", "end", "name", "partly", "raw", "start", "value")

    def __init__(
        self,
        start: int,
        end: int,
        name: str,
        value: Word | None,
        partly: bool,
        elements: "list[Word] | None",
    ) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.value = value
        self.partly = partly
        self.elements = elements
        self.raw: str | None = None


class Redirect:
    """A redirection. `body` is the text of a heredoc as a word, None for every other kind."""

    __slots__ = ("body", "descriptor", "end", "operator", "start", "target")

    def __init__(self, start: int, end: int, operator: str, descriptor: str, target: Word) -> None:
        self.start = start
        self.end = end
        self.operator = operator
        self.descriptor = descriptor
        self.target = target
        self.body: Word | None = None
