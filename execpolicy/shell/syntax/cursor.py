"""A place in a text, and what every part of the grammar does there."""

from execpolicy.shell.chars import END
from execpolicy.shell.syntax.heredocs import any_within
from execpolicy.shell.syntax.state import Context, ContinuationError, Script, UnreadableError
from execpolicy.shell.syntax.tree import Piece, Unclear

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from execpolicy.shell.syntax.heredocs import Heredoc, Seams
    from execpolicy.shell.syntax.tree import Setting, Word


_OPERATING = frozenset("<>&|;(!-")


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
        "seams",
        "shapes",
        "skipped",
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
        self.seams: Seams | None = None  # of the body of a heredoc that only some shells join
        self.held = 0  # heredocs of a command around this substitution
        self.inner = -1  # compound commands within this substitution, -1 outside of any
        self.bodied = False  # whether a heredoc ended within this substitution
        self.garbled = False
        self.pending: list[Heredoc] = []
        self.skipped: list[int] = []  # line continuations in double quotes
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

    def whole_operator(self) -> None:
        """Start over if a line continuation stands here, in the middle of an operator.

        zsh reads two operators there.
        """
        text, i = self.text, self.pos
        while text[i] == "\\" and text[i + 1] == "\n":
            i += 2
        if i > self.pos:
            if self.script.zsh and text[i] in _OPERATING:
                raise UnreadableError("an operator of two lines, which zsh does not join")
            raise ContinuationError(self.pos)

    def whole(self, start: int, end: int) -> None:
        """Refuse a text that is read as it stands if only some shells removed something from it."""
        if self.seams is not None and any_within(self.seams.continued, start, end):
            raise UnreadableError("a line continuation in a heredoc, as only some read it")

    def unbroken(self, start: int) -> None:
        """Refuse the substitution up to here if only some shells removed tabs from its lines."""
        if self.seams is not None and any_within(self.seams.untabbed, start, self.pos):
            raise UnreadableError("tabs in a substitution of a heredoc, as only some read them")

    def source(self, start: int) -> str | None:
        """What stands from `start` to here without line continuations, None if it had none."""
        text, end = self.text, self.pos
        whole = self.offsets is None or self.at(end) - self.at(start) == end - start
        if whole and not (self.skipped and self.skipped[-1] >= start):
            return None
        parts = []
        for i in reversed(self.skipped):
            if i < start:
                break
            parts.append(text[i + 2 : end])
            end = i
        return "".join([text[start:end], *reversed(parts)])

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
                begin, i = i, text.find("\n", i)
                if i < 0:
                    i = self.last
                self.whole(begin, i)
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
