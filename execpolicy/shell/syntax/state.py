"""What the readers of one script share: its events, its limits, and where they are in it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from execpolicy.shell.syntax.tree import Command, Event

MAX_TEXT = 64 * 1024
MAX_DEPTH = 50
MAX_COMMANDS = 1000
MAX_WORDS = 10_000
MAX_REREAD = 400_000

_CODED = ("\\x", "\\u", "\\U", *(f"\\{digit}" for digit in range(8)))
_SPLITTING = dict.fromkeys(map(ord, "'\"\\\n"))


class UnreadableError(Exception):
    """The text is no script that is understood, and why."""


class BoundError(Exception):
    """The text is larger or deeper than what is read, and which bound it exceeds."""


class ContinuationError(Exception):
    """A line continuation inside a token: without these two characters the text reads on."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position = position


class Context:
    """Where a command stands.

    `certain`: it runs whenever the text runs to this point, in the shell itself. `loop` and
    `function`: it may run more than once, or later than its place says.
    `fed`: the pipeline before it.
    """

    __slots__ = ("certain", "fed", "function", "loop", "via")

    def __init__(
        self,
        via: tuple[str, ...] = (),
        certain: bool = True,
        loop: bool = False,
        function: str | None = None,
        fed: "tuple[Command | None, ...]" = (),
    ) -> None:
        self.via = via
        self.certain = certain
        self.loop = loop
        self.function = function
        self.fed = fed

    def inside(self, via: str) -> "Context":
        """Within a substitution, a subshell or the like."""
        return Context((*self.via, via), False, self.loop, self.function, self.fed)

    def perhaps(self, loop: bool = False) -> "Context":
        """Where a command may or may not run, perhaps again and again."""
        return Context(self.via, False, self.loop or loop, self.function, self.fed)

    def body(self, name: str) -> "Context":
        return Context((*self.via, f"function {name}"), False, self.loop, name)

    def after(self, fed: "tuple[Command | None, ...]") -> "Context":
        return Context(self.via, False, self.loop, self.function, fed)


class Script:
    """The state of reading one script text, nested texts included."""

    __slots__ = (
        "commands",
        "compound",
        "depth",
        "events",
        "levels",
        "modified",
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
        self.events: list[Event] = []
        self.depth = 0
        self.commands = 0
        self.words = 0
        self.reread = 0
        self.timed = 0
        self.unit = 0
        self.compound = False
        self.levels: list[tuple[list[str], list[int]]] = []
        self.modified: set[str] = set()  # variables of which zsh may take a part, as `$x:t`

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
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BoundError(f"nested deeper than {MAX_DEPTH}")

    def count_command(self) -> None:
        self.commands += 1
        if self.commands > MAX_COMMANDS:
            raise BoundError(f"more than {MAX_COMMANDS} commands")

    def count_words(self, number: int) -> None:
        self.words += number
        if self.words > MAX_WORDS:
            raise BoundError(f"more than {MAX_WORDS} words")
