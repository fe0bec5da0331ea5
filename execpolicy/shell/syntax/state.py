"""The limits of one script text, what its shell reads, and why a text is not read."""

MAX_TEXT = 64 * 1024
MAX_DEPTH = 50
MAX_COMMANDS = 1000
MAX_WORDS = 10_000
MAX_REREAD = 400_000

_CODED = ("\\x", "\\u", "\\U", *(f"\\{digit}" for digit in range(8)))
_SPLITTING = dict.fromkeys(map(ord, "'\"\\\n"))

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.syntax.tree import Word


class UnreadableError(Exception):
    """The text is not a script that is understood, and why."""


class BoundError(Exception):
    """The text is larger or deeper than what is read, and which bound it exceeds."""


class ContinuationError(Exception):
    """A line continuation inside a token: without these two characters the text reads on."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Script:
    """What the parsers of one script text share, those of nested texts included.

    `unit` is where the line begins that is being read. `compound`: the text has compound commands.
    `modified` are variables of which zsh may take a part, as `$x:t`. `names` are the variables
    whose value is taken, in the order of the text, with `COMMANDS` for each substitution,
    `evaluated` those in arithmetic. `beside` are all words that are none of a command: those of
    lists, patterns, tests, redirections, default values.
    """

    __slots__ = (
        "beside",
        "commands",
        "compound",
        "depth",
        "detaches",
        "discloses",
        "evaluated",
        "modified",
        "names",
        "reread",
        "shell",
        "text",
        "timed",
        "unit",
        "words",
    )

    def __init__(self, shell: str | None, text: str) -> None:
        self.shell = shell
        self.text = text
        self.depth = 0
        self.commands = 0
        self.words = 0
        self.reread = 0
        self.timed = 0
        self.unit = 0
        self.compound = self.detaches = self.discloses = False
        self.modified: set[str] = set()
        self.evaluated: set[str] = set()
        self.names: list[str] = []
        self.beside: list[Word] = []

    @property
    def zsh(self) -> bool:
        """Whether zsh may be what reads the text."""
        return self.shell not in ("bash", "sh")

    @property
    def posix(self) -> bool:
        """Whether a plain POSIX shell such as dash may be what reads the text."""
        return self.shell == "sh"

    def says(self, word: str) -> bool:
        """Whether `word` may stand somewhere, however it is quoted or split."""
        text = self.text
        coded = "$'" in text and any(sign in text for sign in _CODED)
        return coded or word in text.translate(_SPLITTING)

    def descend(self) -> None:
        """Count one more level of nesting. Raises `BoundError` where there are too many."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BoundError(f"nested deeper than {MAX_DEPTH}")

    def count_command(self) -> None:
        """Count one more command. Raises `BoundError` where there are too many."""
        self.commands += 1
        if self.commands > MAX_COMMANDS:
            raise BoundError(f"more than {MAX_COMMANDS} commands")

    def count_words(self, number: int) -> None:
        """Count so many words more. Raises `BoundError` where there are too many."""
        self.words += number
        if self.words > MAX_WORDS:
            raise BoundError(f"more than {MAX_WORDS} words")
