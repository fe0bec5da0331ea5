"""The parser of a text: where it is, what it is in the middle of, and the tree it makes.

Each production of the grammar is a function that takes the parser, in the module that is named
after what it reads. A module calls the productions of those below it; the few that it needs from
above, because a grammar is recursive, are `Productions`.
"""

from execpolicy.shell.chars import END
from execpolicy.shell.syntax.heredocs import any_within
from execpolicy.shell.syntax.state import (
    MAX_REREAD,
    BoundError,
    ContinuationError,
    Script,
    UnreadableError,
)
from execpolicy.shell.syntax.tree import Node, Substitution, Unsupported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol, TypeVar

    from execpolicy.shell.syntax.heredocs import Heredoc, Seams
    from execpolicy.shell.syntax.tree import WordPart

    Result = TypeVar("Result")

    class Productions(Protocol):
        """The productions that are called from below the module that defines them."""

        def part(self, p: "Parser", parts: list[WordPart], /) -> bool:
            """Read the next part of a word; False where the word ends."""

        def quoted_part(self, p: "Parser", parts: list[WordPart], c: str, /) -> None:
            """Read what the `$`, backquote or backslash `c` begins between double quotes."""

        def double_quoted(self, p: "Parser", parts: list[WordPart], /) -> None:
            """Read what stands between double quotes, the first of which was read."""

        def compound_list(self, p: "Parser", /) -> None:
            """Read one command or more, up to what closes the list."""

        def enclosed_list(self, p: "Parser", /) -> None:
            """Read the commands of a substitution, and its `)`."""

        def program(self, p: "Parser", /) -> None:
            """Read everything up to the end of the text."""


_OPERATING = frozenset("<>&|;(!-")


class Parser:
    """Reads `text` at `pos`. `offsets` gives each character's place in the script if it differs.

    `inside` is where what is read goes: the list of the innermost open node. `seams` are of the
    body of a heredoc that only some shells join. `outer_heredocs` counts those of a command around
    this substitution, `inner` compound commands within it (-1 outside of any), `heredoc_seen` tells
    whether one ended within it. `rewritten` are the parts of words that are known in a plainer
    form: where each begins and ends, and what stands for it.
    """

    __slots__ = (
        "grammar",
        "heredoc",
        "heredoc_reprint_bug",
        "heredoc_seen",
        "inner",
        "inside",
        "last",
        "offsets",
        "outer_heredocs",
        "pending",
        "pos",
        "rewritten",
        "script",
        "seams",
        "text",
    )

    def __init__(
        self,
        grammar: "Productions",
        script: Script,
        text: str,
        inside: list[Node],
        offsets: "Sequence[int] | None" = None,
        seams: "Seams | None" = None,
    ) -> None:
        self.grammar = grammar
        self.script = script
        self.text = text + END + END
        self.last = len(text)
        self.inside = inside
        self.offsets = offsets
        self.pos = 0
        self.heredoc = False
        self.seams = seams
        self.outer_heredocs = 0
        self.inner = -1
        self.heredoc_seen = False
        self.heredoc_reprint_bug = False
        self.pending: list[Heredoc] = []
        self.rewritten: list[tuple[int, int, str]] = []

    def at(self, position: int) -> int:
        """The place in the script of the character at `position`."""
        if self.offsets is None:
            return min(position, self.last)
        return self.offsets[min(position, self.last)]

    def unsupported(
        self, start: int, why: str, needs: "tuple[str | Substitution, ...]" = ()
    ) -> None:
        """Say that from `start` to here something stands that is not understood."""
        self.inside.append(Unsupported(self.at(start), self.at(self.pos), why, needs))

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
        """What stands from `start` to here without line continuations, and with what escapes in
        `$'…'` stand for in plain quotes; None if it had none of both."""
        text, end = self.text, self.pos
        whole = self.offsets is None or self.at(end) - self.at(start) == end - start
        if whole and not (self.rewritten and self.rewritten[-1][0] >= start):
            return None
        parts = []
        for begin, after, plain in reversed(self.rewritten):
            if begin < start:
                break
            parts += [text[after:end], plain]
            end = begin
        return "".join([text[start:end], *reversed(parts)])

    def rewrite(self, start: int, end: int, plain: str) -> None:
        """Note that what stands from `start` to `end` is the same as this plainer text."""
        if not self.rewritten or self.rewritten[-1][0] < start:
            self.rewritten.append((start, end, plain))

    def disturb(self) -> None:
        """Note that something else than words follows a heredoc operator on its line.

        bash 5.2 runs a `$(…)` as it prints it after parsing, and prints some heredocs wrongly.
        """
        if self.inner >= 0 and self.pending:
            self.heredoc_reprint_bug = True

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

    def inner_newline(self) -> None:
        """Step over a newline where no body of a heredoc can begin."""
        if self.pending or self.outer_heredocs:
            raise UnreadableError("a heredoc that begins in the middle of something")
        self.pos += 1

    def nested(
        self,
        text: str,
        offsets: list[int],
        via: str,
        production: "Callable[[Parser], Result]",
        seams: "Seams | None" = None,
    ) -> "Result":
        """Read a text that had to be unquoted first, as something that is found here."""
        self.script.descend()
        found = Substitution(via)
        self.inside.append(found)
        result = reread(self.grammar, self.script, text, found.inside, production, offsets, seams)
        self.script.depth -= 1
        return result


def reread(
    grammar: "Productions",
    script: Script,
    text: str,
    inside: list[Node],
    production: "Callable[[Parser], Result]",
    offsets: list[int] | None = None,
    seams: "Seams | None" = None,
) -> "Result":
    """Read `text` into `inside`, over again without each line continuation that splits a token."""
    counts = (script.depth, script.commands, script.words, script.timed)
    names, beside = len(script.names), len(script.beside)
    while True:
        try:
            return production(Parser(grammar, script, text, inside, offsets, seams))
        except ContinuationError as restart:
            i = restart.position
            offsets = list(range(len(text) + 1)) if offsets is None else list(offsets)
            text = text[:i] + text[i + 2 :]
            del offsets[i : i + 2]
            seams = seams.without(i) if seams is not None else None
            script.reread += len(text)
            if script.reread > MAX_REREAD:
                raise BoundError("too many line continuations inside of words") from None
            inside.clear()
            script.depth, script.commands, script.words, script.timed = counts
            del script.names[names:], script.beside[beside:]
