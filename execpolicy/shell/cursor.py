"""A place in a text, and what every part of the grammar does there."""

from execpolicy.shell.chars import END
from execpolicy.shell.events import Piece, Unclear
from execpolicy.shell.state import Context, ContinuationError, Script, UnreadableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.events import Redirect, Setting, Word


class Cursor:
    """Reads `text` at `pos`. `offsets` gives each character's place in the script if it differs."""

    __slots__ = (
        "bodied",
        "context",
        "garbled",
        "held",
        "heredoc",
        "inner",
        "last",
        "offsets",
        "out",
        "pending",
        "pos",
        "script",
        "shapes",
        "text",
    )

    def __init__(
        self, script: Script, text: str, context: Context, offsets: "Sequence[int] | None" = None
    ) -> None:
        self.script = script
        self.text = text + END + END
        self.last = len(text)
        self.context = context
        self.offsets = offsets
        self.pos = 0
        self.heredoc = False
        self.held = 0  # heredocs of a command around this substitution
        self.inner = -1  # compound commands within this substitution, -1 outside of any
        self.bodied = False  # whether a heredoc ended within this substitution
        self.garbled = False
        self.pending: list[tuple[Redirect, str, bool, bool]] = []  # …, delimiter, quoted, tabs
        self.out: list[str] = []
        self.shapes: list[int] = []

    def at(self, position: int) -> int:
        """The place in the script of the character at `position`."""
        if self.offsets is None:
            return min(position, self.last)
        return self.offsets[min(position, self.last)]

    def unclear(self, start: int, why: str, names: tuple[str, ...] = ()) -> None:
        """From `start` to here something stands that is not understood."""
        self.script.events.append(
            Unclear(self.at(start), self.at(self.pos), self.context, why, names)
        )

    def expect(self, token: str) -> None:
        """Step over `token`, which has to stand here."""
        if not self.text.startswith(token, self.pos):
            raise UnreadableError(f"`{token}` expected")
        self.pos += len(token)

    def continued(self) -> None:
        """Start over if a line continuation stands here, in the middle of a token."""
        if self.text[self.pos] == "\\" and self.text[self.pos + 1] == "\n":
            raise ContinuationError(self.pos)

    def disturb(self) -> None:
        """Something else than words and newlines follows a heredoc operator on its line.

        bash 5.2 runs a `$(…)` as it prints it after parsing, and prints some heredocs wrongly.
        """
        if self.inner >= 0 and self.pending:
            self.garbled = True

    def blank(self) -> None:
        """Step over blanks, line continuations and a comment."""
        text, i = self.text, self.pos
        while True:
            c = text[i]
            if c == " " or c == "\t":
                i += 1
            elif c == "\\" and text[i + 1] == "\n":
                i += 2
            elif c == "#":
                i = text.find("\n", i)
                if i < 0:
                    i = self.last
            else:
                break
        self.pos = i

    def word(self, assignable: bool = False) -> "Word | Setting":
        raise NotImplementedError

    def argument(self) -> "Word":
        raise NotImplementedError

    def dollar(self, pieces: list[Piece], quoted: bool) -> None:
        raise NotImplementedError

    def double(self, pieces: list[Piece]) -> None:
        raise NotImplementedError

    def backquote(self, quoted: bool) -> None:
        raise NotImplementedError

    def substitution(self, via: str) -> None:
        raise NotImplementedError

    def heredoc_pieces(self) -> list[Piece]:
        raise NotImplementedError

    def newline(self) -> None:
        raise NotImplementedError

    def inner_newline(self) -> None:
        """Step over a newline where no body of a heredoc can begin."""
        if self.pending or self.held:
            raise UnreadableError("a heredoc that begins in the middle of something")
        self.pos += 1
