"""What the grammar found, in the order found, before it is known what all of it means."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.syntax.state import Context

Piece = tuple[int, str]
"""A kind and a text: what a word is made of."""

LITERAL = 0  # as written, without quotes: may hold glob characters, braces, a tilde
QUOTED = 1  # as meant, after quote removal
VALUE = 2  # computed, exactly one piece of a word; of `$(…)`, the numbers of its events
SPLIT = 3  # computed, any number of words; as above
QUOTED_VARIABLE = 4  # "$name"
VARIABLE = 5  # $name
NUMBER = 6  # computed, without quotes, digits only
ELEMENTS = 7  # "$@" and "${a[@]}": any number of words
DIGITS = 8  # computed, in quotes, digits only


class Word:
    """A word and its pieces. `text` is set where the word is literal without further ado.

    `raw` is what stands there without line continuations, if there are any.
    """

    __slots__ = ("end", "pieces", "raw", "start", "text")

    def __init__(self, start: int, end: int, text: str | None, pieces: list[Piece]) -> None:
        self.start = start
        self.end = end
        self.text = text
        self.pieces = pieces
        self.raw: str | None = None


class Setting:
    """`name=value`, `name+=value`, `name[i]=value`, `name=(…)` where an assignment may stand."""

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
    """A redirection. `body` is the text of a heredoc as pieces, None for every other kind."""

    __slots__ = ("body", "descriptor", "end", "operator", "start", "target", "via")

    def __init__(self, start: int, end: int, operator: str, descriptor: str, target: Word) -> None:
        self.start = start
        self.end = end
        self.operator = operator
        self.descriptor = descriptor
        self.target = target
        self.body: Word | None = None


class Event:
    """Something in the text at `start`..`end`, in its context."""

    __slots__ = ("certain", "context", "end", "start")

    def __init__(self, start: int, end: int, context: "Context") -> None:
        self.start = start
        self.end = end
        self.context = context
        self.certain = context.certain


class Command(Event):
    """A simple command. `piped`: it runs beside others, in a pipeline or in the background."""

    __slots__ = ("outer", "piped", "redirects", "settings", "words")

    def __init__(self, start: int, context: "Context") -> None:
        super().__init__(start, start, context)
        self.words: list[Word | Setting] = []
        self.settings: list[Setting] = []
        self.redirects: list[Redirect] = []
        self.outer: Redirect | None = None
        self.piped = False


class Files(Event):
    """Redirections of a compound command."""

    __slots__ = ("redirects",)

    def __init__(self, start: int, end: int, context: "Context", found: list[Redirect]) -> None:
        super().__init__(start, end, context)
        self.redirects = found


class Unclear(Event):
    """A spot that is not understood; if `names` are given, only unless all hold numbers.

    A name is that of a variable, or stands for an output as the text of a piece does.
    """

    __slots__ = ("names", "why")

    def __init__(
        self, start: int, end: int, context: "Context", why: str, names: tuple[str, ...] = ()
    ) -> None:
        super().__init__(start, end, context)
        self.why = why
        self.names = names


class Bind(Event):
    """A variable is set by something else than an assignment.

    `words` are what it takes its value from, each in turn (the list of a `for`), or None where
    that is unknown. `number`: it only ever gets numbers. `until`: end of the loop's body.
    """

    __slots__ = ("name", "number", "until", "words")

    def __init__(
        self,
        start: int,
        end: int,
        context: "Context",
        name: str,
        words: list[Word] | None = None,
        number: bool = False,
    ) -> None:
        super().__init__(start, end, context)
        self.name = name
        self.words = words
        self.number = number
        self.until = end


class Definition(Event):
    """A function is defined; its body stands in `start`..`end`."""

    __slots__ = ("name",)

    def __init__(self, start: int, end: int, context: "Context", name: str) -> None:
        super().__init__(start, end, context)
        self.name = name
